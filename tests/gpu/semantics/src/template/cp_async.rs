//! `cp.async`: copies of a few bytes by each thread, their groups and their arrivals.

use tma::{
    SharedPtr,
    ptx::{
        Acquire, Ca, Cta, EvictLast, EvictUnchanged, Release, cp_async, createpolicy,
        mbarrier::{self, Mbarrier},
    },
    shared, thread,
};

use crate::io::{Io, NONE, Operands};

/// Words of shared memory, and of results, for each thread.
const PITCH: u32 = 8;

shared! {
    static PIECES: [[u32; 8]; 32] align 128;
    static ARRIVALS: Mbarrier;
}

/// Each thread copies to the beginning of its words, from an address in global memory at 16 times an
/// increasing number. Word 0 is the limit of the operand `n` in the lanes, one after the
/// other.
#[inline(always)]
pub(crate) unsafe fn small_copies(io: Io, form: impl Fn(Operands)) {
    let lane = thread::thread_idx().x;
    let piece = piece(lane);
    let mut index = 0;
    while index < PITCH {
        piece
            .add(index)
            .write(*io.out.add((lane * PITCH + index) as usize));
        index += 1;
    }
    form(Operands {
        a: piece.address(),
        n: lane % io.word(0),
        p: io.memory.add(16 * (3 * lane + 1) as usize),
        w: createpolicy::fractional::<EvictLast, EvictUnchanged>(0.5),
        ..NONE
    });
    cp_async::commit_group();
    cp_async::wait_group::<0>();
    write_out(io, lane);
}

/// Each thread copies three times, a group each. Word 0 is 0 if the call ends a group, 1 if it waits
/// for all but one group, 2 if it waits for all. Results: the contents after it.
#[inline(always)]
pub(crate) unsafe fn small_groups(io: Io, form: impl Fn(Operands)) {
    let lane = thread::thread_idx().x;
    let piece = piece(lane);
    let mut index = 0;
    while index < 3 {
        let from = io.memory.add(4 * (3 * lane + index) as usize);
        cp_async::shared_cta_global::<Ca, 4>(piece.add(index).cast(), from);
        match io.word(0) {
            0 => form(NONE),
            _ => cp_async::commit_group(),
        }
        index += 1;
    }
    match io.word(0) {
        0 => cp_async::wait_group::<1>(),
        _ => form(NONE),
    }
    io.put(32 * PITCH, lane * PITCH, piece.read());
    io.put(32 * PITCH, lane * PITCH + 1, piece.add(1).read());
    if io.word(0) == 2 {
        io.put(32 * PITCH, lane * PITCH + 2, piece.add(2).read());
    }
    cp_async::wait_all();
}

/// Each thread copies, calls, and arrives by itself. Word 0 is the count of the barrier. A thread
/// reads the copy of its neighbour. Results: the copy, and the parity of the phases that have ended.
#[inline(always)]
pub(crate) unsafe fn small_arrivals(io: Io, form: impl Fn(Operands)) {
    let lane = thread::thread_idx().x;
    let bar = ARRIVALS::ptr();
    if lane == 0 {
        mbarrier::init(bar, io.word(0));
    }
    thread::sync_threads();
    let from = io.memory.add(4 * lane as usize);
    cp_async::shared_cta_global::<Ca, 4>(piece(lane).cast(), from);
    form(Operands {
        a: bar.address(),
        p: bar.as_ptr().cast(),
        ..NONE
    });
    let _ = mbarrier::arrive::<Release, Cta>(bar);
    let mut left = 1 << 14;
    let mut ended = false;
    while !ended && left > 0 {
        ended = mbarrier::test_wait_parity::<Acquire, Cta>(bar, 0);
        left -= 1;
    }
    if ended {
        io.put(32 * PITCH, lane * PITCH, piece((lane + 1) % 32).read());
    }
    io.put(32 * PITCH, lane * PITCH + 1, u32::from(ended));
}

#[inline(always)]
fn piece(lane: u32) -> SharedPtr<u32> {
    PIECES::ptr().cast::<u32>().add(lane * PITCH)
}

#[inline(always)]
unsafe fn write_out(io: Io, lane: u32) {
    let mut index = 0;
    while index < PITCH {
        io.put(
            32 * PITCH,
            lane * PITCH + index,
            piece(lane).add(index).read(),
        );
        index += 1;
    }
}
