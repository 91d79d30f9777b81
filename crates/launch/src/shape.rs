use crate::Dim3;

/// How many blocks and threads run, and with how much shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Blocks in the grid.
    #[doc(alias = "gridDim")]
    pub grid: Dim3,
    /// Threads in a block.
    #[doc(alias = "blockDim")]
    pub block: Dim3,
    /// Blocks in a cluster, where the launch and not the kernel says so.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")]
    pub cluster: Option<Dim3>,
    /// Allows clusters of more than the portable number of blocks.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED")]
    pub non_portable_cluster: bool,
    /// Dynamic shared memory of each block, in bytes.
    #[doc(alias = "sharedMemBytes")]
    pub shared_bytes: u32,
    /// Makes all blocks run at once, so that they can wait for each other.
    #[doc(alias("CU_LAUNCH_ATTRIBUTE_COOPERATIVE", "cudaLaunchCooperativeKernel"))]
    pub cooperative: bool,
    /// Lets the launch begin while the one before it in the stream ends: once each of its blocks has executed
    /// `griddepcontrol.launch_dependents` or is over.
    #[doc(alias(
        "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
        "cudaLaunchAttributeProgrammaticStreamSerialization",
        "programmatic dependent launch"
    ))]
    pub overlaps: bool,
}

impl Shape {
    /// `grid` blocks of `block` threads, without clusters and dynamic shared memory.
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

    /// Blocks in a cluster.
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.cluster = Some(cluster.into());
        self
    }

    /// Allow clusters that not every GPU can run.
    #[must_use]
    pub fn non_portable_cluster(mut self) -> Self {
        self.non_portable_cluster = true;
        self
    }

    /// Dynamic shared memory of each block, in bytes.
    #[must_use]
    pub fn shared_bytes(mut self, shared_bytes: u32) -> Self {
        self.shared_bytes = shared_bytes;
        self
    }

    /// Make all blocks run at once, so that they can wait for each other, as by `grid.sync()` of cooperative groups. A
    /// grid that does not fit is refused.
    #[doc(alias = "cudaLaunchCooperativeKernel")]
    #[must_use]
    pub fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }

    /// Let the launch begin while the one before it ends: see [`overlaps`](Self::overlaps).
    #[must_use]
    pub fn overlaps(mut self) -> Self {
        self.overlaps = true;
        self
    }
}

/// Grid and block, without clusters and dynamic shared memory.
impl<G: Into<Dim3>, B: Into<Dim3>> From<(G, B)> for Shape {
    fn from((grid, block): (G, B)) -> Self {
        Self::new(grid, block)
    }
}
