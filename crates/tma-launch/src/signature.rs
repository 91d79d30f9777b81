use std::fmt::{self, Display, Formatter};

use crate::Dim3;

/// The signature that a kernel declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The name of the kernel's entry in the PTX.
    pub entry: String,
    /// The parameters in the order of declaration.
    pub parameters: Vec<Parameter>,
    /// `.maxntid`: the maximum number of threads in a block, as the product of the dimensions.
    #[doc(alias = "__launch_bounds__")]
    pub maxntid: Option<Dim3>,
    /// `.reqntid`: the threads in a block, in each dimension.
    pub reqntid: Option<Dim3>,
    /// `.reqnctapercluster`: the blocks in a cluster, in each dimension.
    #[doc(alias = "__cluster_dims__")]
    pub reqnctapercluster: Option<Dim3>,
    /// Static shared memory of every block, in bytes.
    pub static_shared_bytes: u64,
    /// True if the kernel contains `griddepcontrol.wait`, which waits for the previous kernel, so that it may begin
    /// while that one ends.
    #[doc(alias("cudaGridDependencySynchronize", "programmatic dependent launch"))]
    pub waits_for_kernels: bool,
}

/// A parameter of a kernel, as the PTX declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's name in the PTX.
    pub name: String,
    /// The size of the parameter in bytes.
    pub size_bytes: usize,
    /// The alignment of the parameter in bytes.
    pub align_bytes: usize,
}

impl Parameter {
    /// Returns whether a tensor map fits: 128 bytes at a multiple of 64.
    #[doc(alias = "__grid_constant__")]
    pub fn holds_tensor_map(&self) -> bool {
        self.size_bytes == tensor_map::TensorMap::BYTES && self.align_bytes >= 64
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            size_bytes,
            align_bytes,
        } = self;
        write!(
            f,
            "`{name}` of {size_bytes} bytes, aligned to {align_bytes}"
        )
    }
}
