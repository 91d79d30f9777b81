//! Copies by the TMA unit, around a region of shared memory that is filled before and written
//! after.
//!
//! Words, of each block:
//!
//! | word | |
//! | --- | --- |
//! | 0 | bytes of the region, a multiple of 4 |
//! | 1 | offset of the copy in it |
//! | 2 | bytes of the copy |
//! | 3 | bytes that this block's barrier expects |
//! | 4 to 8 | coordinates |
//! | 9 to 11 | offsets |
//! | 12 | destination in the region of a copy within shared memory |
//! | 13 | blocks that receive the copy, a bit for each |
//! | 14 | offset of the copy in global memory |
//! | 15 | whether this block issues |
//! | 16 to 18 | more values of 32 bits |
//! | 19 to 22 | two values of 64 bits |
//! | 23 | offset of the tensor in global memory, if the instruction has its address |
//! | 24 to 31, 16, 17 | dimensions and strides of the tensor, if the instruction has them |
//!
//! Results of a block are its region, whether its barrier's phase ended, and whether no byte was left
//! over.

use tma::{
    SharedPtr, cluster,
    ptx::{
        Acquire, Cluster, Cta, EvictLast, EvictUnchanged, Release, V1, cp_async_bulk, createpolicy,
        fence,
        mbarrier::{self, Mbarrier},
    },
    shared, thread,
};

use crate::io::{Io, NONE, Operands};

shared! {
    static COUNTER: Mbarrier;
}

/// Words of a block.
const WORDS: usize = 32;

/// Questions to a barrier before a copy counts as lost.
const PATIENCE: u32 = 1 << 14;

/// A block's part of the launch's parameters.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) io: Io,
    region: SharedPtr<u32>,
}

impl Block {
    #[inline(always)]
    pub(super) unsafe fn new(io: Io) -> Self {
        let block = thread::block_idx().x as usize;
        let io = Io {
            words: io.words.add(block * WORDS),
            ..io
        };
        let region = shared::dynamic::<u32, 1024>();
        Self { io, region }
    }

    /// Words of the region, and of the results.
    #[inline(always)]
    unsafe fn words(self) -> u32 {
        self.io.word(0) / 4
    }

    #[inline(always)]
    pub(super) unsafe fn fill(self) {
        let results = self
            .io
            .out
            .add((thread::block_idx().x * (self.words() + 2)) as usize);
        let mut index = thread::thread_idx().x;
        while index < self.words() {
            self.region.add(index).write(*results.add(index as usize));
            index += thread::block_dim().x;
        }
        fence::proxy_async();
    }

    #[inline(always)]
    pub(super) unsafe fn write_out(self, ended: bool, is_zero: bool) {
        let words = self.words();
        let mut index = thread::thread_idx().x;
        while index < words {
            self.io.put(words + 2, index, self.region.add(index).read());
            index += thread::block_dim().x;
        }
        if thread::thread_idx().x == 0 {
            self.io.put(words + 2, words, u32::from(ended));
            self.io.put(words + 2, words + 1, u32::from(is_zero));
        }
    }

    #[inline(always)]
    pub(super) unsafe fn operands(self) -> Operands {
        let io = self.io;
        let global = io.memory.add(io.word(14) as usize);
        let in_shared = self.region.address() + io.word(1);
        Operands {
            a: in_shared,
            b: COUNTER::ptr().address(),
            n: io.word(2),
            p: if io.map.is_null() {
                global
            } else {
                io.map as *mut u8
            },
            x: io.word(4) as i32,
            y: io.word(5) as i32,
            z: io.word(6) as i32,
            t: io.word(7) as i32,
            u: io.word(8) as i32,
            i: io.word(9) as u16,
            j: io.word(10) as u16,
            k: io.word(11) as u16,
            h: io.word(13) as u16,
            m: io.word(13),
            w: createpolicy::fractional::<EvictLast, EvictUnchanged>(0.5),
            d: io.memory.add(io.word(23) as usize),
            ..NONE
        }
    }

    /// Runs with a substitute for the dimensions and strides of the map.
    #[inline(always)]
    unsafe fn resized(self) -> Operands {
        let io = self.io;
        Operands {
            h: io.word(24) as u16,
            i: io.word(25) as u16,
            j: io.word(26) as u16,
            k: io.word(27) as u16,
            o: io.word(28) as u16,
            n: io.word(29),
            m: io.word(30),
            c: io.word(31),
            q: io.word(16),
            s: io.word(17) as u16,
            ..self.operands()
        }
    }
}

/// Runs a copy whose bytes a barrier counts.
#[inline(always)]
pub(crate) unsafe fn completes_tx(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    count(block, block.operands(), form);
}

/// Works like [`completes_tx`], with a substitute for the dimensions and strides of the map.
#[inline(always)]
pub(crate) unsafe fn resized_load(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    count(block, block.resized(), form);
}

/// Works like [`completes_tx`], but the first and the last bytes are undefined and become zeros. Word
/// 16: their number at the beginning; word 17: at the end.
#[inline(always)]
pub(crate) unsafe fn partial(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    let (left, right) = (block.io.word(16), block.io.word(17));
    let operands = Operands {
        m: left,
        c: right,
        ..block.operands()
    };
    count(block, operands, |operands| {
        form(operands);
        if comes(COUNTER::ptr(), 0) {
            let copied = block.region.cast::<u8>().byte_add(block.io.word(1));
            let mut index = 0;
            while index < operands.n {
                if index < left || index >= operands.n - right {
                    copied.byte_add(index).write(0);
                }
                index += 1;
            }
        }
    });
}

/// Works like [`completes_tx`], with a barrier that gets reports. Word 16: whether something must be reported; the
/// results are a copy's if this matched, and if the conditional phase ended without a report.
#[inline(always)]
pub(crate) unsafe fn reported(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    let bar = COUNTER::ptr();
    let first = thread::thread_idx().x == 0;
    block.fill();
    if first {
        mbarrier::init_layout::<V1>(bar, 1);
        fence::mbarrier_init_release_cluster();
        let _ = mbarrier::arrive_expect_tx::<Release, Cta>(bar, block.io.word(3));
    }
    cluster::sync();
    if first && block.io.word(15) != 0 {
        form(block.operands());
    }
    let ended = first && comes(bar, 0);
    let mut is_right = false;
    if ended {
        let phase = mbarrier::test_wait_parity_phase_type_primary_value::<Acquire, Cta>(bar, 0);
        let advanced = mbarrier::test_wait_parity_phase_type_conditional::<Acquire, Cta>(bar, 0);
        let must = block.io.word(16) != 0;
        is_right =
            phase.is_done && phase.is_reported == must && phase.value == 0 && advanced != must;
    }
    cluster::sync();
    block.write_out(ended, is_right);
    cluster::sync();
}

/// Works like [`completes_tx`], within shared memory.
#[inline(always)]
pub(crate) unsafe fn moved(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    let operands = Operands {
        a: block.region.address() + block.io.word(12),
        c: block.region.address() + block.io.word(1),
        ..block.operands()
    };
    count(block, operands, form);
}

/// A copy by one thread, which a barrier counts.
#[inline(always)]
pub(super) unsafe fn count(block: Block, operands: Operands, form: impl Fn(Operands)) {
    count_after(block, operands, || {}, form);
}

/// Works like [`count`], after a step of all threads.
#[inline(always)]
pub(super) unsafe fn count_after(
    block: Block,
    operands: Operands,
    before: impl Fn(),
    form: impl Fn(Operands),
) {
    let bar = COUNTER::ptr();
    let first = thread::thread_idx().x == 0;
    block.fill();
    if first {
        mbarrier::init(bar, 1);
        fence::mbarrier_init_release_cluster();
        let _ = mbarrier::arrive_expect_tx::<Release, Cta>(bar, block.io.word(3));
    }
    before();
    cluster::sync();
    if first && block.io.word(15) != 0 {
        form(operands);
    }
    let ended = first && comes(bar, 0);
    // The barrier of a block may count for another one.
    cluster::sync();
    // A barrier whose phase did not end accepts no more arrivals.
    let mut is_zero = false;
    if ended {
        let _ = mbarrier::arrive::<Release, Cta>(bar);
        is_zero = comes(bar, 1);
    }
    block.write_out(ended, is_zero);
    cluster::sync();
}

/// Executes stores and reductions by single instructions, which a barrier counts. The values are in the
/// words 2, 4 to 8 and from 16 on.
#[inline(always)]
pub(crate) unsafe fn stored(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    let io = block.io;
    let wide = |index: usize| u64::from(io.word(index)) | u64::from(io.word(index + 1)) << 32;
    let operands = Operands {
        m: io.word(16),
        f: f32::from_bits(io.word(17)),
        g: f32::from_bits(io.word(18)),
        w: wide(19),
        v: wide(21),
        l: wide(19) as i64,
        e: f64::from_bits(wide(19)),
        p: core::ptr::null_mut(),
        ..block.operands()
    };
    count(block, operands, form);
}

#[inline(always)]
unsafe fn comes(bar: SharedPtr<Mbarrier>, parity: u32) -> bool {
    let mut left = PATIENCE;
    while left > 0 {
        if mbarrier::test_wait_parity::<Acquire, Cluster>(bar, parity) {
            return true;
        }
        left -= 1;
    }
    false
}

/// A copy that a bulk group waits for.
#[inline(always)]
pub(crate) unsafe fn grouped(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    waited_for(block, || block.operands(), form);
}

/// Works like [`grouped`], with a substitute for the dimensions and strides of the map.
#[inline(always)]
pub(crate) unsafe fn resized_store(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    waited_for(block, || block.resized(), form);
}

#[inline(always)]
unsafe fn waited_for(block: Block, operands: impl Fn() -> Operands, form: impl Fn(Operands)) {
    block.fill();
    thread::sync_threads();
    if thread::thread_idx().x == 0 {
        form(operands());
        cp_async_bulk::commit_group();
        cp_async_bulk::wait_group::<0>();
    }
    thread::sync_threads();
    block.write_out(true, true);
}

/// Prefetches without a visible effect: the region gets the contents of global memory, by ordinary loads.
#[inline(always)]
pub(crate) unsafe fn prefetched(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    read_behind(block, || block.operands(), form);
}

/// Works like [`prefetched`], with a substitute for the dimensions and strides of the map.
#[inline(always)]
pub(crate) unsafe fn resized_prefetch(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    read_behind(block, || block.resized(), form);
}

#[inline(always)]
unsafe fn read_behind(block: Block, operands: impl Fn() -> Operands, form: impl Fn(Operands)) {
    if thread::thread_idx().x == 0 {
        form(operands());
    }
    let memory = block.io.memory.cast::<u32>();
    let mut index = thread::thread_idx().x;
    while index < block.words() {
        block.region.add(index).write(*memory.add(index as usize));
        index += thread::block_dim().x;
    }
    thread::sync_threads();
    block.write_out(true, true);
}

/// Bytes that each group stores.
const GROUP_BYTES: u32 = 128;

/// Groups of a thread.
const GROUPS: u32 = 5;

/// Issues five stores by one thread, a group each. Word 0 names the call.
///
/// Results: the first words of the first two groups' destinations, read when they must have arrived, and
/// then all destinations in global memory.
#[inline(always)]
pub(crate) unsafe fn bulk_groups(io: Io, form: impl Fn(Operands)) {
    const COMMITS: u32 = 0;
    const WAITS: u32 = 1;
    shared! {
        static SOURCE: [u32; 160] align 128;
    }
    let source = SOURCE::ptr().cast::<u32>();
    if thread::thread_idx().x != 0 {
        return;
    }
    let what = io.word(0);
    let mut index = 0;
    while index < GROUPS * GROUP_BYTES / 4 {
        source.add(index).write(io.word(1) ^ index);
        index += 1;
    }
    fence::proxy_async_shared_cta();
    let mut group = 0;
    while group < GROUPS {
        let at = group * GROUP_BYTES;
        cp_async_bulk::global_shared_cta(
            io.memory.add(at as usize),
            source.cast::<u8>().byte_add(at),
            GROUP_BYTES,
        );
        match what {
            COMMITS => form(NONE),
            _ => cp_async_bulk::commit_group(),
        }
        group += 1;
    }
    match what {
        COMMITS => cp_async_bulk::wait_group::<3>(),
        _ => form(NONE),
    }
    let memory = io.memory.cast::<u32>();
    if what <= WAITS {
        // Two groups have written.
        io.put(2, 0, memory.read_volatile());
        io.put(2, 1, memory.add(GROUP_BYTES as usize / 4).read_volatile());
    } else {
        // Two groups have read.
        source.write(0);
        source.add(GROUP_BYTES / 4).write(0);
    }
    cp_async_bulk::wait_group::<0>();
}
