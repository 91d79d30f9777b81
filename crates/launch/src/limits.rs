use crate::Dim3;

/// The limits of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Threads in a block.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK")]
    pub block_threads: u32,
    /// Threads in a block in each dimension.
    pub block: Dim3,
    /// Blocks in a grid in each dimension.
    pub grid: Dim3,
    /// Static and dynamic shared memory of a block together, in bytes.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")]
    pub shared_bytes: u64,
    /// Blocks in a cluster on every GPU that has clusters.
    pub cluster_blocks: u32,
    /// Blocks in a cluster on this GPU, where non-portable sizes are allowed.
    pub non_portable_cluster_blocks: u32,
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
    };

    /// The limits of compute capability 12.0.
    pub const SM_120: Self = Self {
        shared_bytes: 99 * 1024,
        non_portable_cluster_blocks: 8,
        ..Self::SM_90
    };
}
