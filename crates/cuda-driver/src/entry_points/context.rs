//! Primary contexts.

use std::ptr;

use crate::{
    DriverError,
    forward::checked,
    sys::{CUcontext, CUdevice},
};

checked! {
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxSynchronize();
}

/// Retains the primary context of a device, until [`release_primary`].
///
/// # Safety
/// 1. `device` came from the driver ([`get`](crate::device::get)).
#[doc(alias = "cuDevicePrimaryCtxRetain")]
pub unsafe fn retain_primary(device: CUdevice) -> Result<CUcontext, DriverError> {
    let mut context = ptr::null_mut();
    // SAFETY: the signature is the driver's, `context` is valid for a write, and the device came from the driver by
    // condition 1.
    unsafe { cuDevicePrimaryCtxRetain(&raw mut context, device) }?;
    Ok(context)
}

/// Releases the primary context of a device. The last release destroys it and everything in it.
///
/// # Safety
/// 1. The context was retained by [`retain_primary`] and not yet released for it.
/// 2. Nothing uses the context afterwards, unless something else retains it.
#[doc(alias = "cuDevicePrimaryCtxRelease")]
pub unsafe fn release_primary(device: CUdevice) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and conditions 1 and 2 are the manual's.
    unsafe { cuDevicePrimaryCtxRelease_v2(device) }
}

/// Makes a context current on this thread.
///
/// # Safety
/// 1. `context` is alive.
#[doc(alias = "cuCtxSetCurrent")]
pub unsafe fn set_current(context: CUcontext) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and the context is alive by condition 1.
    unsafe { cuCtxSetCurrent(context) }
}

/// Waits until all work of the current context has ended.
///
/// # Errors
/// The error of a kernel that failed, or no context is current.
#[doc(alias = "cuCtxSynchronize")]
pub fn synchronize() -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, which returns an error if no context is current.
    unsafe { cuCtxSynchronize() }
}
