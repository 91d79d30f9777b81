//! Access of one device to the memory of another.

use std::ffi::{c_int, c_uint};

use crate::{
    DriverError,
    forward::checked,
    sys::{CUcontext, CUdevice},
};

/// `CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED`
const NATIVE_ATOMIC_SUPPORTED: c_int = 3;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`
const ALREADY_ENABLED: i32 = 704;

checked! {
    fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
    fn cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, device: CUdevice, peer: CUdevice);
    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
}

/// Returns whether `device` can have access to the memory of `peer`.
///
/// # Safety
/// 1. Both came from the driver (`cuDeviceGet`).
#[doc(alias = "cuDeviceCanAccessPeer")]
pub unsafe fn can_access(device: CUdevice, peer: CUdevice) -> Result<bool, DriverError> {
    let mut can = 0;
    // SAFETY: the signature is the driver's, the devices are two of its by condition 1, and `can` is valid for a
    // write.
    unsafe { cuDeviceCanAccessPeer(&raw mut can, device, peer) }?;
    Ok(can != 0)
}

/// Returns whether atomic operations of `device` work on the memory of `peer`.
///
/// # Safety
/// 1. Both came from the driver (`cuDeviceGet`).
#[doc(alias = "cuDeviceGetP2PAttribute")]
pub unsafe fn has_atomics(device: CUdevice, peer: CUdevice) -> Result<bool, DriverError> {
    let mut value = 0;
    // SAFETY: the signature is the driver's, the devices are two of its by condition 1, and `value` is valid for a
    // write.
    unsafe { cuDeviceGetP2PAttribute(&raw mut value, NATIVE_ATOMIC_SUPPORTED, device, peer) }?;
    Ok(value != 0)
}

/// Lets the current context access the memory of `peer`, including later allocations, unless already enabled.
///
/// # Safety
/// 1. `peer` is alive, and so is the current context.
#[doc(alias = "cuCtxEnablePeerAccess")]
pub unsafe fn enable_access(peer: CUcontext) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, the contexts are alive by condition 1, and 0 is the one value of the
    // flags that is allowed.
    match unsafe { cuCtxEnablePeerAccess(peer, 0) } {
        Err(error) if error.code == ALREADY_ENABLED => Ok(()),
        result => result,
    }
}
