//! Attributes of kernels.

use std::ffi::c_int;

use crate::{DriverError, forward::checked, sys::CUfunction};

/// An attribute of a kernel that can be queried or set (`CUfunction_attribute`).
#[doc(alias = "CUfunction_attribute")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct FunctionAttribute(pub i32);

impl FunctionAttribute {
    /// Maximum number of threads of a block of this kernel.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK")]
    pub const MAX_THREADS_PER_BLOCK: Self = Self(0);
    /// Bytes of static shared memory.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES")]
    pub const SHARED_SIZE_BYTES: Self = Self(1);
    /// Bytes of local memory per thread.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES")]
    pub const LOCAL_SIZE_BYTES: Self = Self(3);
    /// Number of registers per thread.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_NUM_REGS")]
    pub const NUM_REGS: Self = Self(4);
    /// Maximum bytes of dynamic shared memory of a launch. Can be set.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")]
    pub const MAX_DYNAMIC_SHARED_SIZE_BYTES: Self = Self(8);
    /// Clusters of more than 8 blocks are allowed: 0 or 1. Can be set.
    #[doc(alias = "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED")]
    pub const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: Self = Self(14);
}

checked! {
    fn cuFuncSetAttribute(function: CUfunction, attribute: c_int, value: c_int);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: CUfunction);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: CUfunction, threads: c_int, dynamic_shared_bytes: usize,
    );
}

/// Sets an attribute of a kernel.
///
/// # Safety
/// 1. `function` is alive.
#[doc(alias = "cuFuncSetAttribute")]
pub unsafe fn set_attribute(
    function: CUfunction,
    attribute: FunctionAttribute,
    value: i32,
) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and the handle is alive by condition 1.
    unsafe { cuFuncSetAttribute(function, attribute.0, value) }
}

/// Reads an attribute of a kernel.
///
/// # Safety
/// 1. `function` is alive.
#[doc(alias = "cuFuncGetAttribute")]
pub unsafe fn get_attribute(
    function: CUfunction,
    attribute: FunctionAttribute,
) -> Result<i32, DriverError> {
    let mut value = 0;
    // SAFETY: the signature is the driver's, the handle is alive by condition 1, and `value` is valid
    // for a write.
    unsafe { cuFuncGetAttribute(&raw mut value, attribute.0, function) }?;
    Ok(value)
}

/// Returns the number of blocks with these threads and this dynamic shared memory that a multiprocessor runs
/// concurrently.
///
/// # Safety
/// 1. `function` is alive.
#[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
pub unsafe fn blocks_per_multiprocessor(
    function: CUfunction,
    threads: u32,
    dynamic_shared_bytes: usize,
) -> Result<u32, DriverError> {
    let mut blocks = 0;
    let out = &raw mut blocks;
    let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
    // SAFETY: the signature is the driver's, `blocks` is valid for a write, and the kernel is alive by condition 1.
    unsafe {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(out, function, threads, dynamic_shared_bytes)
    }?;
    Ok(blocks.unsigned_abs())
}
