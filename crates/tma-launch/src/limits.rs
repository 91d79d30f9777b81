use crate::Dim3;

/// The limits of a GPU that launches are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Maximum number of threads in a block.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK")]
    pub block_threads: u32,
    /// Maximum number of threads in a block in each dimension.
    pub block: Dim3,
    /// Maximum number of blocks in a grid in each dimension.
    pub grid: Dim3,
    /// Maximum static and dynamic shared memory of a block together, in bytes.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")]
    pub shared_bytes: u64,
    /// Maximum number of blocks in a cluster on every GPU with clusters.
    pub cluster_blocks: u32,
    /// Maximum number of blocks in a cluster on this GPU with non-portable sizes.
    pub non_portable_cluster_blocks: u32,
    /// Number of multiprocessors; without a device, 132 as on an H100 SXM or 170 as on a GeForce RTX 5090.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT")]
    pub multiprocessors: u32,
    /// Maximum number of resident threads per multiprocessor.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR")]
    pub multiprocessor_threads: u32,
    /// Maximum number of resident blocks per multiprocessor.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR")]
    pub multiprocessor_blocks: u32,
    /// Shared memory per multiprocessor in bytes, including 1024 bytes per block for the system.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR")]
    pub multiprocessor_shared_bytes: u64,
}

impl Limits {
    /// The limits of compute capability 9.0, which 10.0 shares.
    pub const SM_90: Self = Self {
        block_threads: 1024,
        block: Dim3::new(1024, 1024, 64),
        grid: Dim3::new(i32::MAX as u32, 65535, 65535),
        shared_bytes: 227 * 1024,
        cluster_blocks: 8,
        non_portable_cluster_blocks: 16,
        multiprocessors: 132,
        multiprocessor_threads: 2048,
        multiprocessor_blocks: 32,
        multiprocessor_shared_bytes: 228 * 1024,
    };

    /// The limits of compute capability 12.0.
    pub const SM_120: Self = Self {
        shared_bytes: 99 * 1024,
        non_portable_cluster_blocks: 8,
        multiprocessors: 170,
        multiprocessor_threads: 1536,
        multiprocessor_blocks: 24,
        multiprocessor_shared_bytes: 100 * 1024,
        ..Self::SM_90
    };

    /// Returns the number of blocks with these threads and bytes of shared memory that can be resident on a
    /// multiprocessor. [`blocks_by_registers`](Self::blocks_by_registers) may allow fewer.
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    pub fn blocks_per_multiprocessor(&self, threads: u64, shared_bytes: u64) -> u32 {
        self.blocks_by_threads(threads)
            .min(self.blocks_by_shared_bytes(shared_bytes))
            .min(self.multiprocessor_blocks)
    }

    /// Returns the number of blocks whose threads can be resident on a multiprocessor, in whole warps.
    pub fn blocks_by_threads(&self, threads: u64) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let blocks = u64::from(self.multiprocessor_threads / 32) / warps;
        u32::try_from(blocks).unwrap_or(u32::MAX)
    }

    /// Returns the number of blocks for whose bytes of shared memory a multiprocessor has room.
    pub fn blocks_by_shared_bytes(&self, shared_bytes: u64) -> u32 {
        let of_block = shared_bytes.saturating_add(1024);
        let blocks = self.multiprocessor_shared_bytes / of_block.div_ceil(128).saturating_mul(128);
        u32::try_from(blocks).unwrap_or(u32::MAX)
    }

    /// Returns the number of blocks with these threads for which a multiprocessor has registers; 0 if it has too few for one.
    /// `registers` is the number for each thread, as ptxas reports it.
    ///
    /// A multiprocessor has 65536 registers in four partitions, and each warp takes a multiple of 256 in one of them
    /// (`cuda_occupancy.h` of the CUDA toolkit, the same for compute capability 9.0 to 12.0).
    pub fn blocks_by_registers(threads: u64, registers: u32) -> u32 {
        const PARTITIONS: u64 = 4;
        const OF_PARTITION: u64 = 65536 / PARTITIONS;
        let warps = threads.div_ceil(32).max(1);
        let of_warp = (u64::from(registers.max(1)) * 32).next_multiple_of(256);
        let fitting = OF_PARTITION / of_warp * PARTITIONS;
        u32::try_from(fitting / warps).unwrap_or(u32::MAX)
    }

    /// Returns the number of blocks with these barriers for which a multiprocessor has barriers. It has 64, as the driver of an
    /// H200 counts.
    pub fn blocks_by_barriers(barriers: u32) -> u32 {
        64_u32.checked_div(barriers).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiprocessor_runs_so_many_blocks() {
        let blocks = |threads, bytes| Limits::SM_90.blocks_per_multiprocessor(threads, bytes);
        assert_eq!(
            [1, 64, 65, 1024].map(|threads| blocks(threads, 0)),
            [32, 32, 21, 2]
        );
        assert_eq!([112, 113, 227].map(|kib| blocks(32, kib << 10)), [2, 2, 1]);
        assert_eq!([114 << 10, u64::MAX].map(|bytes| blocks(32, bytes)), [1, 0]);
        assert_eq!(
            [1 << 63, u64::MAX].map(|threads| blocks(threads, 0)),
            [0, 0]
        );
        assert_eq!(Limits::SM_120.blocks_per_multiprocessor(1024, 0), 1);
    }

    #[test]
    fn registers_are_taken_by_warps_of_a_partition() {
        for (threads, registers, blocks) in [
            (1, 0, 256),
            (32, 32, 64),
            (33, 32, 32),
            (128, 168, 3),
            // 40 and 41 registers are 1280 and 1536 for a warp.
            (128, 40, 12),
            (128, 41, 10),
            (256, 255, 1),
            // Twelve warps fit, and the block has 13.
            (384, 160, 1),
            (416, 160, 0),
            (512, 128, 1),
            (1024, 65, 0),
            (u64::MAX, 1, 0),
        ] {
            assert_eq!(
                Limits::blocks_by_registers(threads, registers),
                blocks,
                "{threads} {registers}"
            );
        }
        assert_eq!(Limits::blocks_by_registers(32, u32::MAX), 0);
    }

    #[test]
    fn sixteen_barriers_leave_room_for_four_blocks() {
        let blocks = [0, 1, 3, 16, 65].map(Limits::blocks_by_barriers);
        assert_eq!(blocks, [u32::MAX, 64, 21, 4, 0]);
    }
}
