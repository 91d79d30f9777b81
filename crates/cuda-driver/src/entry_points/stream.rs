//! Streams.

use std::{ffi::c_uint, ptr};

use crate::{
    DriverError,
    forward::checked,
    sys::{CUevent, CUstream},
};

checked! {
    fn cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
}

/// Creates a stream in the current context that also waits for work of the legacy default stream.
///
/// # Errors
/// The driver's, for example if no context is current.
#[doc(alias = "cuStreamCreate")]
pub fn create() -> Result<CUstream, DriverError> {
    let mut stream = ptr::null_mut();
    // SAFETY: the signature is the driver's, `stream` is valid for a write, and 0 is `CU_STREAM_DEFAULT`.
    unsafe { cuStreamCreate(&raw mut stream, 0) }?;
    Ok(stream)
}

/// Destroys a stream once its work has ended.
///
/// # Safety
/// 1. `stream` is alive, and nothing uses it afterwards.
#[doc(alias = "cuStreamDestroy")]
pub unsafe fn destroy(stream: CUstream) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuStreamDestroy_v2(stream) }
}

/// Waits until the work of a stream has ended.
///
/// # Safety
/// 1. `stream` is alive.
///
/// # Errors
/// The error of a kernel that failed.
#[doc(alias = "cuStreamSynchronize")]
pub unsafe fn synchronize(stream: CUstream) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and the stream is alive by condition 1.
    unsafe { cuStreamSynchronize(stream) }
}

/// Makes later work of a stream wait for an event.
///
/// # Safety
/// 1. `stream` and `event` are alive.
#[doc(alias = "cuStreamWaitEvent")]
pub unsafe fn wait_event(stream: CUstream, event: CUevent) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, both are alive by condition 1, and 0 is the default of the flags.
    unsafe { cuStreamWaitEvent(stream, event, 0) }
}
