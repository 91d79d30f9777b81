//! Ports the guide's "Using STAS": the blocks of a cluster form a ring, and each sends to the
//! next the value that it got from the one before, with stores that do not wait (`st.async`).
//!
//! The guide waits with the default scope of `mbarrier_try_wait_parity`, the block. What the barriers
//! of this kernel are for comes from other blocks: arrivals and stores that are released to the
//! cluster. By the memory model (PTX ISA 8.7) a wait that acquires in the block alone does not
//! synchronise with them. So both waits acquire in the cluster here.

use tma::{
    Block, GlobalMut, PerThread, kernel,
    ptx::{mapa, mbarrier::Mbarrier, st_async},
    shared,
};

/// The number of blocks of the cluster.
pub const BLOCKS: u32 = 8;
/// Most threads of a block.
pub const MAX_THREADS: usize = 1024;

/// Each thread begins with a number of its own, and in each of `rounds` rounds sends its number to
/// the next block of its cluster and takes the one that comes from the block before, plus one. In
/// the end it writes the number to its index of `output`.
///
/// A thread begins with the index of its number.
///
/// # Safety
/// 1. `output` is as its type requires.
/// 2. Grid and blocks are one-dimensional; blocks are whole warps.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/ring.ptx"), "\n```"))]
#[kernel(max_threads = 1024, cluster = 8)]
pub unsafe fn ring(output: GlobalMut<u32, PerThread>, rounds: u32) {
    shared! {
        static BUFFER: [u32; MAX_THREADS];
        static BARS: [Mbarrier; 2];
    }
    // SAFETY: every thread of the cluster gets here (2); the barriers take the arrivals and bytes below.
    let block = unsafe { Block::converged() };
    let (tid, threads) = (block.thread(), block.threads());
    // Filled when the one before has sent all, ready when all threads of the next have read.
    // The barriers of the others are initialised, too.
    let [filled, ready] = block.cluster().barriers(BARS::ptr(), [1, threads]);

    // The places in the next block and the one before that are written.
    let rank = block.cluster().rank();
    // SAFETY: the ranks are the ranks of blocks of the cluster.
    let (buffer_next, filled_next) = unsafe {
        let next = (rank + 1) % BLOCKS;
        (
            mapa::shared_cluster_u32(BUFFER::ptr().at(tid), next),
            mapa::shared_cluster_u32(filled.address(), next),
        )
    };
    let ready_prev = block
        .cluster()
        .barrier_of(&ready, (rank + BLOCKS - 1) % BLOCKS);

    let mut number = block.index() * threads + tid;
    let mut parity = 0;
    for _ in 0..rounds {
        // The producer's side: send to the next block.
        // SAFETY: the next block expects the bytes in this phase, and has read the bytes of the last
        // round; no block ends before its neighbours have ended the round.
        unsafe { st_async::weak_shared_cluster(buffer_next, number, filled_next) };
        if tid == 0 {
            // The block's own threads wait for it, and need none of this one's accesses: a wider
            // scope would only cost time.
            let _ = filled.arrive_expect_tx(threads * 4);
        }
        // The consumer's side: wait for the value of the block before, and use it.
        filled.wait_parity_cluster(parity);
        // SAFETY: the block before has written the number.
        number = unsafe { BUFFER::ptr().at(tid).read() } + 1;
        // Tell it that the buffer may be written again.
        ready_prev.arrive();
        // The producer's side: wait until the next block has read.
        ready.wait_parity_cluster(parity);
        parity ^= 1;
        // The lanes of a warp go on together: the waits of a warp that could be apart cost more, and a loop without
        // this would be unrolled around them.
        block.warp().sync();
    }
    output.write(block, number);
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Ring;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{BLOCKS, ring};

    /// Sends numbers around the blocks of a cluster.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Ring {
        /// The buffer of `u32` that is written: a number for each thread of the grid.
        pub output: usize,
        /// The number of rounds.
        pub rounds: u32,
        /// The number of clusters of eight blocks.
        pub clusters: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    impl Ring {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            let blocks = self.clusters.saturating_mul(BLOCKS);
            let numbers = u64::from(blocks) * u64::from(self.threads);
            let reason = "thread numbers have 32 bits";
            conditions.within(
                "threads of the grid",
                numbers,
                1..=u64::from(u32::MAX),
                reason,
            );
            let bytes = numbers.saturating_mul(size_of::<u32>() as u64);
            conditions.writes(Region::bytes(self.output, bytes));
            let call = ring(BufferRef::new(self.output), self.rounds);
            (call, Shape::new(blocks, self.threads))
        }
    }
}
