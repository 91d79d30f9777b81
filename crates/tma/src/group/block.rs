use core::{marker::PhantomData, num::NonZero};

use crate::{
    Barrier, Cluster, Lanes, Ring, SharedPtr, Transaction, Warp, Warpgroup, Warps,
    pipeline::Items,
    ptx::{barrier_cta, mbarrier::Mbarrier},
    ring::Cursor,
    shared,
    thread::{block_dim, block_idx, grid_dim, is_elected, sync_threads, thread_idx},
};

/// The block of this thread, at a point that all its threads reach together.
///
/// A kernel gets it once, by one `unsafe` call, and then synchronises, elects, reduces and hands out
/// barriers by safe methods. A method that its doc calls *collective* is one that all threads of the
/// group reach.
///
/// ```
/// # use tma::{Block, kernel};
/// /// Writes the sum of the numbers of each block.
/// ///
/// /// # Safety
/// /// 1. `numbers` has a number for each thread of the grid, `sums` one for each block.
/// /// 2. Blocks are one-dimensional, of whole warps.
/// #[kernel]
/// pub unsafe fn sum(sums: *mut u32, numbers: *const u32) {
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     // SAFETY: there is a number for each thread (1).
///     let number = unsafe { *numbers.add((block.index() * block.threads() + block.thread()) as usize) };
///     let sum = block.reduce(number, |a, b| a + b);
///     if block.elect() {
///         // SAFETY: there is a sum for each block (1).
///         unsafe { *sums.add(block.index() as usize) = sum };
///     }
/// }
/// # fn main() {}
/// ```
#[doc(alias("thread_block", "this_thread_block"))]
#[derive(Clone, Copy)]
pub struct Block {
    /// Binds the value to its thread.
    thread: PhantomData<*mut ()>,
}

shared! {
    /// A value of each warp, for [`Block::reduce`].
    static OF_WARPS: [[u32; Block::MOST_WORDS]; 32];
}

impl Block {
    /// The number of words of 32 bits that a value of [`reduce`](Self::reduce) can have.
    const MOST_WORDS: usize = 4;

    /// Returns the block of this thread.
    ///
    /// # Safety
    /// 1. Blocks are one-dimensional, and their threads are a multiple of 32. Every thread of the block
    ///    makes this call.
    /// 2. A collective method is reached by all threads of its group at the same call, and by the threads of a warp
    ///    together: by the threads of the block for [`Block`], of the warps for [`Warps`], of the
    ///    warpgroup for [`Warpgroup`], of the warp for [`Warp`], of the cluster for [`Cluster`].
    /// 3. Shared memory that is passed to a method of a block or a warp exists, is aligned to the size of its elements,
    ///    and has no other use until the kernel ends; no two calls get the same memory, and so no two warps. Only the
    ///    group that updates or stores a tile, a buffer or a stage uses it.
    /// 4. A barrier that a method returns is used as (3) to (5) of [`Barrier::assume_init`] require.
    /// 5. Memory that safe methods load and store through tensor maps is used only by this kernel while it runs; memory
    ///    that is only loaded may be read by others. The first coordinate of a copy times the element size is a
    ///    multiple of 16 bytes; coordinates of stores are not negative. The thread that issues a copy has acquired a
    ///    map in global memory ([`GlobalRef::acquire`](crate::GlobalRef::acquire)).
    /// 6. The filling end of a pipeline loads all elements of a stage that the draining end reads, and names its item
    ///    if the draining end asks for it. The closure of [`load_buffer`](Self::load_buffer) loads all elements.
    /// 7. The grid has fewer than 2^32 threads, and numbers that blocks deal out are so far below 2^32 that
    ///    one for each block and stage can follow.
    /// 8. Before the block ends, loads have been waited for, loaded stages drained, and outputs and draining ends that
    ///    have a `finish` finished. An output tile or stage is stored by its own end, and before the next one is taken.
    #[inline(always)]
    pub unsafe fn converged() -> Self {
        debug_assert!(block_dim().x.is_multiple_of(32), "(1)");
        debug_assert!(block_dim().y == 1 && block_dim().z == 1, "(1)");
        Self {
            thread: PhantomData,
        }
    }

    /// Returns this thread's number in the block.
    #[doc(alias("threadIdx", "thread_rank"))]
    #[inline(always)]
    pub fn thread(self) -> u32 {
        thread_idx().x
    }

    /// Returns the number of threads of the block.
    #[doc(alias("blockDim", "num_threads"))]
    #[inline(always)]
    pub fn threads(self) -> u32 {
        block_dim().x
    }

    /// Returns the number of warps of the block.
    #[inline(always)]
    pub fn warps(self) -> NonZero<u32> {
        // SAFETY: threads are a multiple of 32 (converged 1), and this is one.
        unsafe { NonZero::new_unchecked(self.threads() / Warp::LANES) }
    }

    /// Returns the number of blocks of the grid, along its first dimension.
    #[doc(alias = "gridDim")]
    #[inline(always)]
    pub fn blocks(self) -> NonZero<u32> {
        // SAFETY: the grid has this block.
        unsafe { NonZero::new_unchecked(grid_dim().x) }
    }

    /// Returns the block's number in the grid, along its first dimension.
    #[doc(alias("blockIdx", "group_index"))]
    #[inline(always)]
    pub fn index(self) -> u32 {
        block_idx().x
    }

    /// Returns the warp of this thread.
    #[doc(alias = "tiled_partition")]
    #[inline(always)]
    pub fn warp(self) -> Warp {
        // SAFETY: blocks are one-dimensional, and collective methods are reached together (converged 1, 2).
        unsafe { Warp::of_block() }
    }

    /// Returns the cluster of this block.
    #[doc(alias = "this_cluster")]
    #[inline(always)]
    pub fn cluster(self) -> Cluster {
        Cluster::new()
    }

    /// Waits until every thread of the block is here; earlier writes of each thread are visible to all.
    /// Collective.
    ///
    /// PTX: `bar.sync 0;`
    #[doc(alias = "__syncthreads")]
    #[inline(always)]
    pub fn sync(self) {
        // SAFETY: every thread of the block is here (converged 2).
        unsafe { sync_threads() }
    }

    /// Returns whether this is the one thread of the block, a lane of its first warp, that issues copies. Collective.
    ///
    /// Every call elects the same thread (PTX ISA 9.7.13.14, "elect.sync").
    #[doc(alias("elect_one_sync", "invoke_one"))]
    #[inline(always)]
    pub fn elect(self) -> bool {
        // SAFETY: whole warps are here, and blocks are one-dimensional (converged 1, 2).
        unsafe { is_elected() }
    }

    /// Returns every `blocks`-th number below `count`, from the block's own on.
    #[doc(alias = "grid-stride loop")]
    #[inline(always)]
    pub fn items(self, count: u32) -> Items<'static> {
        Items::dealt(self, count)
    }

    /// Makes a barrier for phases of `count` arrivals, for all threads. Collective.
    #[doc(alias = "cuda::barrier")]
    #[inline(always)]
    pub fn barrier(self, memory: SharedPtr<Mbarrier>, count: u32) -> Barrier {
        let [barrier] = self.barriers(memory.cast(), [count]);
        barrier
    }

    /// Makes barriers for phases of `counts` arrivals, for all threads. Collective.
    #[inline(always)]
    pub fn barriers<const N: usize>(
        self,
        memory: SharedPtr<[Mbarrier; N]>,
        counts: [u32; N],
    ) -> [Barrier; N] {
        init_barriers(memory, counts);
        self.sync();
        core::array::from_fn(|index| {
            // SAFETY: `sync` orders the initialisation before; the rest is (4) of `converged`.
            unsafe { Barrier::assume_init(memory.at(index as u32)) }
        })
    }

    /// Makes `COUNT` barriers for phases of `count` arrivals, to be used in turn. Collective.
    #[inline(always)]
    pub fn barrier_array<const COUNT: u32>(
        self,
        memory: SharedPtr<Mbarrier>,
        count: u32,
    ) -> BarrierArray<COUNT> {
        BarrierArray::new(self, memory, count)
    }

    /// Makes the barriers of a ring of stages: "full" takes `fillers` arrivals, and "empty" takes
    /// `emptiers`. Collective.
    ///
    /// Each thread goes through the stages in order with one [`Cursor`](crate::ring::Cursor) for each role
    /// that it has, and at each stage runs its role, once.
    ///
    /// ```compile_fail,E0080
    /// # use tma::{Block, SharedPtr};
    /// # let memory = SharedPtr::from_address(0);
    /// # let block = unsafe { Block::converged() };
    /// // A ring has at least one stage.
    /// let ring = block.ring::<0>(memory, 1, 32);
    /// ```
    #[inline(always)]
    pub fn ring<const STAGES: u32>(
        self,
        memory: SharedPtr<Mbarrier>,
        fillers: u32,
        emptiers: u32,
    ) -> Ring<STAGES> {
        if self.thread() == 0 {
            // SAFETY: one thread does so, before any other uses the barriers, in memory that is for them
            // alone (converged 3).
            unsafe { Ring::<STAGES>::init(memory, fillers, emptiers) };
        }
        self.sync();
        // SAFETY: `sync` orders the initialisation before; the rest is (4) of `converged`.
        unsafe { Ring::assume_init(memory) }
    }

    /// Has one thread issue loads, and returns a handle that all threads wait on. Collective.
    ///
    /// The thread makes the barrier itself, so that the loads are in flight while the others arrive at
    /// the block's barrier.
    #[doc(alias = "cuda::memcpy_async")]
    #[inline(always)]
    pub fn load(
        self,
        memory: SharedPtr<Mbarrier>,
        start: impl FnOnce(&mut Transaction<'_>),
    ) -> Loading {
        if self.elect() {
            // SAFETY: one thread does so, before any other uses the barrier, in memory that is for it alone
            // (converged 3).
            unsafe { Barrier::init(memory, 1) };
            // SAFETY: this thread initialised it; its one phase has this arrival and the loads' bytes.
            let barrier = unsafe { Barrier::assume_init(memory) };
            let mut loads = barrier.transaction();
            start(&mut loads);
            let _ = loads.arrive();
        }
        self.sync();
        // SAFETY: `sync` orders the initialisation before; no thread arrives any more.
        let barrier = unsafe { Barrier::assume_init(memory) };
        Loading { barrier }
    }

    /// Runs two roles: `first` in the threads of the first warp, `others` in all other threads. Collective; the
    /// block has at least two warps.
    ///
    /// The others synchronise at the hardware's barrier 1.
    #[doc(alias = "warp specialization")]
    #[inline(always)]
    pub fn split(self, first: impl FnOnce(Warp), others: impl FnOnce(Warps)) {
        let warp = self.warp();
        match warp.index() {
            0 => first(warp),
            index => others(Warps {
                warp,
                is_first: index == 1,
                first_thread: Warp::LANES,
                threads: self.threads() - Warp::LANES,
                barrier: 1,
            }),
        }
    }

    /// Reduces the values of all threads by `combine`, in any order; every thread gets the result. Collective.
    ///
    /// # Panics
    /// A value has more words than its type declares.
    #[doc(alias("BlockReduce", "cub::BlockReduce"))]
    #[inline(always)]
    pub fn reduce<T: Lanes>(self, value: T, combine: impl Fn(T, T) -> T) -> T {
        const { assert!(T::WORDS <= Self::MOST_WORDS, "a value has 16 bytes at most") };
        let warp = self.warp();
        let of_warp = warp.reduce(value, &combine);
        let slot = |warp, word: u32| {
            assert!(word < Self::MOST_WORDS as u32);
            OF_WARPS::ptr().at(warp).at(word)
        };
        if warp.lane() == 0 {
            let own = self.thread() / Warp::LANES;
            let mut word = 0;
            let _ = of_warp.map_words(|bits| {
                // SAFETY: the slot is this warp's, and the words of a value fit into it.
                unsafe { slot(own, word).write(bits) };
                word += 1;
                bits
            });
        }
        self.sync();
        let read = |warp| {
            let mut word = 0;
            value.map_words(|_| {
                // SAFETY: that warp wrote the word, and `sync` orders it before.
                let bits = unsafe { slot(warp, word).read() };
                word += 1;
                bits
            })
        };
        let mut all = read(0);
        for warp in 1..self.threads() / Warp::LANES {
            all = combine(all, read(warp));
        }
        // The slots serve the next call.
        self.sync();
        all
    }
}

/// Threads that work together: they are numbered, and synchronise.
///
/// A function that is written for any of them takes a block, a warp, or some warps:
///
/// ```
/// # use tma::{SharedPtr, Threads};
/// /// Writes zeros, and waits until all of them are there.
/// ///
/// /// # Safety
/// /// 1. Every thread of the group makes this call. There are `len` numbers that no other code uses.
/// unsafe fn clear(group: impl Threads, numbers: SharedPtr<u32>, len: u32) {
///     let mut index = group.thread();
///     while index < len {
///         // SAFETY: the number is there, and this thread's (1).
///         unsafe { numbers.add(index).write(0) };
///         index += group.threads();
///     }
///     group.sync();
/// }
/// ```
pub trait Threads: Copy + crate::sealed::Sealed {
    /// Returns this thread's number in the group.
    fn thread(self) -> u32;

    /// Returns the number of threads of the group.
    fn threads(self) -> u32;

    /// Waits until every thread of the group is here. Collective.
    fn sync(self);

    /// Returns whether this is the one thread that issues copies. Collective; the same thread at every call.
    fn elect(self) -> bool;
}

macro_rules! groups {
    ($($group:ty)*) => {$(
        impl crate::sealed::Sealed for $group {}
        impl Threads for $group {
            #[inline(always)]
            fn thread(self) -> u32 {
                self.thread()
            }

            #[inline(always)]
            fn threads(self) -> u32 {
                self.threads()
            }

            #[inline(always)]
            fn sync(self) {
                self.sync();
            }

            #[inline(always)]
            fn elect(self) -> bool {
                self.elect()
            }
        }
    )*};
}

groups! { Block Warp Warps Warpgroup }

/// Barriers that are stored one after the other, to be gone through in turn.
///
/// ```
/// # use tma::{Block, kernel, ptx::mbarrier::Mbarrier, ring::Cursor, shared};
/// /// All threads meet `rounds` times.
/// ///
/// /// # Safety
/// /// 1. Blocks are one-dimensional, of whole warps.
/// #[kernel]
/// pub unsafe fn meet(rounds: u32) {
///     shared! { static BARS: [Mbarrier; 2]; }
///     // SAFETY: every thread gets here (1), and arrives once in each phase.
///     let block = unsafe { Block::converged() };
///     let bars = block.barrier_array::<2>(BARS::ptr().cast(), block.threads());
///     let mut at = Cursor::new();
///     for _ in 0..rounds {
///         bars.at(at).arrive_and_wait();
///         at.advance();
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct BarrierArray<const COUNT: u32> {
    memory: SharedPtr<Mbarrier>,
}

impl<const COUNT: u32> BarrierArray<COUNT> {
    #[inline(always)]
    pub(crate) fn new(group: impl Threads, memory: SharedPtr<Mbarrier>, count: u32) -> Self {
        if group.thread() == 0 {
            for index in 0..COUNT {
                // SAFETY: one thread does so, before any other uses the barrier, in memory that is for it
                // alone (3 of `Block::converged`).
                unsafe { Barrier::init(memory.add(index), count) };
            }
        }
        group.sync();
        Self { memory }
    }

    /// Returns the barrier at a cursor.
    #[inline(always)]
    pub fn at(&self, cursor: Cursor<COUNT>) -> Barrier {
        // SAFETY: `new` has initialised it; the rest is (4) of `Block::converged`.
        unsafe { Barrier::assume_init(self.memory.add(cursor.stage())) }
    }
}

/// Loads that [`Block::load`] has started.
///
/// ```
/// # use tma::{Block, kernel, ptx::mbarrier::Mbarrier, shared};
/// /// Writes 1024 numbers in reverse.
/// ///
/// /// # Safety
/// /// 1. `numbers` has 1024 numbers at a multiple of 16 bytes that no other code uses; so has `reversed`.
/// /// 2. There is one block of 1024 threads.
/// #[kernel(max_threads = 1024)]
/// pub unsafe fn reverse(reversed: *mut u32, numbers: *const u32) {
///     shared! { static BUFFER: [u32; 1024] align 16; static BAR: Mbarrier; }
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     let (buffer, thread) = (BUFFER::ptr(), block.thread());
///     // SAFETY: there are 1024 numbers (1), and room for them that no other code uses.
///     let loading = block.load(BAR::ptr(), |loads| unsafe {
///         loads.bulk(buffer.cast(), numbers.cast(), 4096);
///     });
///     loading.wait();
///     // SAFETY: the number has been loaded, and its place is this thread's (1).
///     unsafe { *reversed.add(thread as usize) = buffer.at(1023 - thread).read() };
/// }
/// # fn main() {}
/// ```
#[must_use = "what is loaded is there after `wait`"]
pub struct Loading {
    pub(crate) barrier: Barrier,
}

impl Loading {
    /// Waits until all loads are complete; this thread sees the loaded bytes.
    #[inline(always)]
    pub fn wait(self) {
        self.barrier.wait_parity(0);
    }
}

/// One thread of the block initialises barriers, in memory that is for them alone (3 of `converged`).
#[inline(always)]
pub(crate) fn init_barriers<const N: usize>(memory: SharedPtr<[Mbarrier; N]>, counts: [u32; N]) {
    if thread_idx().x == 0 {
        for (index, count) in counts.into_iter().enumerate() {
            // SAFETY: one thread does so, before any other uses the barrier.
            unsafe { Barrier::init(memory.at(index as u32), count) };
        }
    }
}

/// The barriers of groups of warps, see [`Warps`].
pub(crate) fn sync_warps(barrier: u32, threads: u32) {
    // SAFETY: all threads of these warps are here, and no others use the barrier (converged 2).
    unsafe { barrier_cta::sync_aligned_count(barrier, threads) }
}
