/// The GPU that a map is for: some rules depend on it.
///
/// The driver checks for the device of the current context; without a context it fails.
/// The rules for compute capability 9.0 were compared with a driver on an H100; those for later
/// ones follow the manuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The major number of the compute capability.
    pub major: u8,
    /// The minor number of the compute capability.
    pub minor: u8,
    /// The number of bytes of shared memory of one multiprocessor, which a box must fit.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR")]
    pub shared_bytes: u64,
}

impl Target {
    /// Hopper: H100 and H200.
    pub const SM_90: Self = Self::new(9, 0);
    /// Blackwell for data centres: B200.
    pub const SM_100: Self = Self::new(10, 0);
    /// Blackwell Ultra for data centres: B300.
    pub const SM_103: Self = Self::new(10, 3);
    /// Blackwell for desktops: the RTX 50 series.
    pub const SM_120: Self = Self::new(12, 0);

    /// Returns a GPU of this compute capability, with the shared memory that such have.
    pub const fn new(major: u8, minor: u8) -> Self {
        let shared_kib = if major == 12 { 100 } else { 228 };
        Self {
            major,
            minor,
            shared_bytes: shared_kib * 1024,
        }
    }

    /// Returns whether it is of compute capability 10.0 or later.
    pub const fn is_blackwell(self) -> bool {
        self.major >= 10
    }

    /// Returns the number of bytes of shared memory that one block can have: a KiB less than the multiprocessor.
    pub const fn block_shared_bytes(self) -> u64 {
        self.shared_bytes.saturating_sub(1024)
    }
}

impl Default for Target {
    /// Returns the GPU that all others with a Tensor Memory Accelerator build upon, [`Target::SM_90`].
    fn default() -> Self {
        Self::SM_90
    }
}
