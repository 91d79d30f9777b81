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
    /// multiprocessor. It may be lower for kernels with many registers, which only the driver knows.
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    pub fn blocks_per_multiprocessor(&self, threads: u64, shared_bytes: u64) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let by_threads = u64::from(self.multiprocessor_threads / 32) / warps;
        let of_block = shared_bytes.saturating_add(1024);
        let by_shared =
            self.multiprocessor_shared_bytes / of_block.div_ceil(128).saturating_mul(128);
        let most = by_threads.min(by_shared);
        u32::try_from(most).map_or(self.multiprocessor_blocks, |most| {
            most.min(self.multiprocessor_blocks)
        })
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
}
