//! Attributes of addresses known to the driver.

use std::ffi::{c_int, c_uint, c_void};

use crate::{DriverError, forward::checked, sys::CUcontext};

/// The allocation that contains an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The first address of the allocation.
    pub address: u64,
    /// The length of the allocation in bytes.
    pub bytes: u64,
    /// The context of the allocation; null for memory without a context.
    pub context: CUcontext,
    /// True for memory of a GPU, managed memory included.
    pub is_device: bool,
}

const CONTEXT: c_int = 1;
const MEMORY_TYPE: c_int = 2;
const RANGE_START: c_int = 11;
const RANGE_BYTES: c_int = 12;
/// `CU_MEMORYTYPE_DEVICE`
const DEVICE: c_uint = 2;

checked! {
    fn cuPointerGetAttribute(data: *mut c_void, attribute: c_int, address: u64);
}

/// Returns the allocation that contains this address; an error if there is none, or it was freed.
#[doc(alias = "cuPointerGetAttribute")]
pub fn allocation(address: u64) -> Result<Allocation, DriverError> {
    let mut context: CUcontext = std::ptr::null_mut();
    let mut memory_type: c_uint = 0;
    let mut start: u64 = 0;
    let mut bytes: u64 = 0;
    for (data, attribute) in [
        ((&raw mut context).cast(), CONTEXT),
        ((&raw mut memory_type).cast(), MEMORY_TYPE),
        ((&raw mut start).cast::<c_void>(), RANGE_START),
        ((&raw mut bytes).cast(), RANGE_BYTES),
    ] {
        // SAFETY: the signature is the driver's, and `data` is valid for a write of the attribute's
        // type: a context, an `unsigned int`, an address, a `size_t`. The address is only looked up.
        unsafe { cuPointerGetAttribute(data, attribute, address) }?;
    }
    Ok(Allocation {
        address: start,
        bytes,
        context,
        is_device: memory_type == DEVICE,
    })
}
