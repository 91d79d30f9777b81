use core::marker::PhantomData;

use crate::{
    barrier::Barrier,
    group::{Cluster, Warpgroup, thread::trap},
    matrix::{accumulator::Accumulator, rows::Rows},
    ptx::{
        mapa,
        mbarrier::Mbarrier,
        operand::{ClusterPtr, SharedPtr},
        st_async,
    },
};

/// Sums to which the `BLOCKS` blocks of a cluster have added products, each of its part of K. The block of rank `i`
/// adds up the sums of warpgroup `i`.
///
/// ```
/// # use tma::{Accumulator, Cluster, SharedPtr, Warpgroup, ptx::mbarrier::Mbarrier};
/// # type Sums = [f32; 64];
/// /// Returns the sums of both blocks, in the block that stores the sums of this warpgroup.
/// fn all(cluster: Cluster, memory: SharedPtr<Sums>, barrier: SharedPtr<Mbarrier>, warpgroup: Warpgroup,
///     part: Accumulator<Sums>) -> Option<Accumulator<Sums>> {
///     cluster.split_sums::<Sums, 2>(memory, barrier).add(warpgroup, part)
/// }
/// ```
#[doc(alias("split-K", "cluster reduction"))]
pub struct SplitSums<R, const BLOCKS: u32> {
    /// Four sums of each thread of a warpgroup follow each other, then the next four, block by block.
    received: SharedPtr<[f32; 4]>,
    barrier: Barrier,
    cluster: Cluster,
    sums: PhantomData<R>,
}

/// Returns the shared memory of [`SplitSums`] of `blocks` blocks, in bytes.
pub const fn split_sums_bytes<R>(blocks: u32) -> u64 {
    (blocks as u64 - 1) * Warpgroup::THREADS as u64 * size_of::<R>() as u64
}

impl Cluster {
    /// Prepares to add up sums, in [`split_sums_bytes`] of memory from a multiple of 16, which each block has at the
    /// same place, as it has the barrier. Collective of the cluster, which has `BLOCKS` blocks: else the kernel stops.
    #[inline(always)]
    pub fn split_sums<R: Rows, const BLOCKS: u32>(
        self,
        memory: SharedPtr<R>,
        barrier: SharedPtr<Mbarrier>,
    ) -> SplitSums<R, BLOCKS> {
        const {
            assert!(
                BLOCKS >= 2 && split_sums_bytes::<R>(BLOCKS) < 1 << 20,
                "two blocks or more, of fewer than 2^20 bytes"
            )
        };
        if self.blocks().get() != BLOCKS {
            trap();
        }
        let [barrier] = self.barriers(barrier.cast(), [1]);
        SplitSums {
            received: memory.cast(),
            barrier,
            cluster: self,
            sums: PhantomData,
        }
    }
}

impl<R: Rows, const BLOCKS: u32> SplitSums<R, BLOCKS> {
    /// Adds up the sums of the warpgroups of this number, in the block of that rank. Collective of
    /// these warpgroups of the cluster; a number that no rank has stops the kernel.
    #[inline(always)]
    pub fn add(self, warpgroup: Warpgroup, sums: Accumulator<R>) -> Option<Accumulator<R>> {
        let Self {
            received, barrier, ..
        } = self;
        let (rank, to) = (self.cluster.rank(), warpgroup.index());
        if to >= BLOCKS {
            trap();
        }
        let of_block = |number: u32| {
            let quads = split_sums_bytes::<R>(2) as u32 / 16;
            received.add(number * quads + warpgroup.thread())
        };
        let Accumulator { registers } = sums;
        if rank != to {
            // This block's number among the blocks after `to`.
            let number = (rank + BLOCKS - to - 1) % BLOCKS;
            // SAFETY: the cluster has a block of this rank.
            let there: ClusterPtr<[f32; 4]> =
                unsafe { mapa::shared_cluster_u32(of_block(number), to) };
            // SAFETY: the cluster has a block of this rank.
            let barrier = unsafe { mapa::shared_cluster_u32(barrier.address(), to) };
            let _ = registers.quads(|quad, sums| {
                let there = there.add(quad * Warpgroup::THREADS);
                // SAFETY: the memory is this thread's own in a block that waits for it; its barrier has been
                // initialised for the whole cluster, and its one phase expects the bytes.
                unsafe { st_async::weak_shared_cluster_v4(there.cast::<f32>(), sums, barrier) };
                sums
            });
            return None;
        }
        if warpgroup.thread() == 0 {
            let _ = barrier.arrive_expect_tx(split_sums_bytes::<R>(BLOCKS) as u32);
        }
        barrier.wait_parity_cluster(0);
        let mut registers = registers;
        let mut number = 0;
        while number < BLOCKS - 1 {
            let from = of_block(number);
            registers = registers.quads(|quad, sums| {
                // SAFETY: the phase has ended with the bytes of all blocks, and no thread writes them again.
                let others = unsafe { from.add(quad * Warpgroup::THREADS).read() };
                let [a, b, c, d] = sums;
                [a + others[0], b + others[1], c + others[2], d + others[3]]
            });
            number += 1;
        }
        Some(Accumulator { registers })
    }
}
