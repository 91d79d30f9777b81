use crate::Dim3;

/// The numbers of blocks and threads of a launch, and its shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The number of blocks in the grid.
    #[doc(alias = "gridDim")]
    pub grid: Dim3,
    /// The number of threads in a block.
    #[doc(alias = "blockDim")]
    pub block: Dim3,
    /// Blocks in a cluster, if set by the launch rather than the kernel.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")]
    pub cluster: Option<Dim3>,
    /// Allows clusters of more than the portable number of blocks.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED")]
    pub non_portable_cluster: bool,
    /// Dynamic shared memory of each block, in bytes.
    #[doc(alias = "sharedMemBytes")]
    pub shared_bytes: u32,
    /// Makes all blocks resident at once, so that they can wait for each other.
    #[doc(alias("CU_LAUNCH_ATTRIBUTE_COOPERATIVE", "cudaLaunchCooperativeKernel"))]
    pub cooperative: bool,
    /// Lets the launch begin while the previous one in the stream ends: after each of its blocks has executed
    /// `griddepcontrol.launch_dependents` or exited.
    #[doc(alias(
        "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
        "cudaLaunchAttributeProgrammaticStreamSerialization",
        "programmatic dependent launch"
    ))]
    pub overlaps: bool,
}

impl Shape {
    /// Creates a shape of `grid` blocks of `block` threads, without clusters or dynamic shared memory.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
            cluster: None,
            non_portable_cluster: false,
            shared_bytes: 0,
            cooperative: false,
            overlaps: false,
        }
    }

    /// Sets the blocks per cluster.
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.cluster = Some(cluster.into());
        self
    }

    /// Allows clusters that not every GPU can run.
    #[must_use]
    pub fn non_portable_cluster(mut self) -> Self {
        self.non_portable_cluster = true;
        self
    }

    /// Sets the dynamic shared memory of each block, in bytes.
    #[must_use]
    pub fn shared_bytes(mut self, shared_bytes: u32) -> Self {
        self.shared_bytes = shared_bytes;
        self
    }

    /// Makes all blocks resident at once, so that they can wait for each other, as with `grid.sync()` of
    /// cooperative groups. A grid that does not fit is refused.
    #[doc(alias = "cudaLaunchCooperativeKernel")]
    #[must_use]
    pub fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }

    /// Lets the launch begin while the previous one ends; see [`overlaps`](Self::overlaps).
    #[must_use]
    pub fn overlaps(mut self) -> Self {
        self.overlaps = true;
        self
    }
}

/// Grid and block, without clusters or dynamic shared memory.
impl<G: Into<Dim3>, B: Into<Dim3>> From<(G, B)> for Shape {
    fn from((grid, block): (G, B)) -> Self {
        Self::new(grid, block)
    }
}
