use core::{marker::PhantomData, num::NonZero};

use tma_macros::shared;

use super::{
    Cluster, Lanes, Warp,
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
    ///    together: by the threads of the block for [`Block`], of the warps for [`Warps`](super::Warps), of the
    ///    warpgroup for [`Warpgroup`](super::Warpgroup), of the warp for [`Warp`], of the cluster for [`Cluster`].
    /// 3. Shared memory that is passed to a method of a block or a warp exists, is aligned to the size of its elements,
    ///    and has no other use until the kernel ends. No two calls get the same memory, and so no two warps. Only the
    ///    group that updates or stores a tile, a buffer or a stage uses it.
    /// 4. A barrier that a method returns is used as (3) to (5) of
    ///    [`Barrier::assume_init`](crate::Barrier::assume_init) require.
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

    /// Waits until every thread of the block is here. Earlier writes of each thread are visible to all.
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
