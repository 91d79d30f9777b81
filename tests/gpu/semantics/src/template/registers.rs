//! Special registers, and addresses in the blocks of a cluster.

use tma::{
    ClusterPtr, cluster,
    ptx::{cvta, mapa},
    shared, thread, warp,
};

use crate::io::{Io, NONE, Operands};

shared! {
    static SLOT: u32;
}

/// A value that is written unchanged.
pub(crate) trait Plain {
    fn word(self) -> u32;
}

impl Plain for u32 {
    #[inline(always)]
    fn word(self) -> u32 {
        self
    }
}

impl Plain for bool {
    #[inline(always)]
    fn word(self) -> u32 {
        self.into()
    }
}

/// Writes the value that each thread sees.
#[inline(always)]
pub(crate) unsafe fn value<R: Plain>(io: Io, form: impl Fn(Operands) -> R) {
    let value = form(NONE).word();
    io.put(thread::block_dim().x, thread::thread_idx().x, value);
}

/// An address of another block, in any notation.
pub(crate) trait Mapped {
    /// Returns a generic pointer to it, if it is in the space of `other`.
    unsafe fn pointer(self, other: *mut u32) -> *mut u32;
}

impl Mapped for ClusterPtr<u8> {
    #[inline(always)]
    unsafe fn pointer(self, other: *mut u32) -> *mut u32 {
        u64::from(self.address()).pointer(other)
    }
}

impl Mapped for u64 {
    #[inline(always)]
    unsafe fn pointer(self, other: *mut u32) -> *mut u32 {
        let is_there = u64::from(cvta::to_shared_cluster(other).address()) == self;
        if is_there {
            other
        } else {
            core::ptr::null_mut()
        }
    }
}

impl Mapped for *mut u8 {
    #[inline(always)]
    unsafe fn pointer(self, _: *mut u32) -> *mut u32 {
        self.cast()
    }
}

/// Each block writes to the next one through the call's address. Result: the number from the block
/// before.
#[inline(always)]
pub(crate) unsafe fn mapped<R: Mapped>(io: Io, form: impl Fn(Operands) -> R) {
    let slot = SLOT::ptr();
    let next = (cluster::block_rank() + 1) % cluster::blocks();
    let first = thread::thread_idx().x == 0;
    if first {
        slot.write(0);
    }
    cluster::sync();
    if first {
        let given = form(Operands {
            a: slot.address(),
            w: slot.address().into(),
            p: slot.as_ptr().cast(),
            n: next,
            ..NONE
        });
        let other = mapa::generic_u64(slot.as_ptr().cast(), next).cast();
        let pointer = given.pointer(other);
        if !pointer.is_null() {
            *pointer = io.word(0) + cluster::block_rank();
        }
    }
    cluster::sync();
    if first {
        io.put(1, 0, slot.read());
    }
}

/// Returns the other block of two, by an address in it.
#[inline(always)]
pub(crate) unsafe fn rank_of(io: Io, form: impl Fn(Operands) -> u32) {
    let slot = SLOT::ptr();
    let other = cluster::block_rank() ^ 1;
    cluster::sync();
    let rank = form(Operands {
        a: slot.address(),
        w: mapa::shared_cluster_u64(slot.address().into(), other),
        p: mapa::generic_u64(slot.as_ptr().cast(), other),
        ..NONE
    });
    io.put(thread::block_dim().x, thread::thread_idx().x, rank);
    cluster::sync();
}

/// Tests whether this block's shared memory, the other's, and global memory are in the space.
#[inline(always)]
pub(crate) unsafe fn is_in(io: Io, form: impl Fn(Operands) -> bool) {
    let slot = SLOT::ptr().as_ptr().cast();
    let other = cluster::block_rank() ^ 1;
    cluster::sync();
    if thread::thread_idx().x == 0 {
        let addresses = [slot, mapa::generic_u64(slot, other), io.memory];
        let mut index = 0;
        while index < 3 {
            let is = form(Operands {
                p: addresses[index as usize],
                ..NONE
            });
            io.put(3, index, is.into());
            index += 1;
        }
    }
    cluster::sync();
}

/// Tests that the address of the other block is the result of `mapa`.
#[inline(always)]
pub(crate) unsafe fn to_cluster(io: Io, form: impl Fn(Operands) -> ClusterPtr<u8>) {
    let slot = SLOT::ptr();
    let other = cluster::block_rank() ^ 1;
    cluster::sync();
    let p = mapa::generic_u64(slot.as_ptr().cast(), other);
    let is = form(Operands { p, ..NONE }).address();
    let should = mapa::shared_cluster_u32(slot, other).address();
    io.put(
        thread::block_dim().x,
        thread::thread_idx().x,
        u32::from(is == should),
    );
    cluster::sync();
}

/// Words: the participating lanes, and whether the number of the chosen one counts. Result of each lane:
/// whether exactly one of them was chosen, and its number is right.
#[inline(always)]
pub(crate) unsafe fn elected(io: Io, form: impl Fn(Operands) -> (u32, bool)) {
    let lane = thread::thread_idx().x;
    let members = io.word(0);
    let mut chosen = (0, false);
    let is_member = members >> lane & 1 != 0;
    if is_member {
        chosen = form(Operands { n: members, ..NONE });
    }
    warp::sync_warp();
    let ballot = warp::ballot(chosen.1);
    let mut is_right = ballot.count_ones() == 1 && ballot & !members == 0;
    if is_member && io.word(1) != 0 {
        is_right &= chosen.0 == ballot.trailing_zeros();
    }
    io.put(32, lane, is_right.into());
}
