//! Events.

use std::{ffi::c_uint, ptr};

use crate::{
    DriverError,
    forward::checked,
    sys::{CUevent, CUstream},
};

/// `CU_EVENT_DISABLE_TIMING`
const DISABLE_TIMING: c_uint = 2;

checked! {
    fn cuEventCreate(event: *mut CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: CUevent);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventSynchronize(event: CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
}

/// Creates an event in the current context; only one with `timing` has a time.
///
/// # Errors
/// The driver's, for example if no context is current.
#[doc(alias = "cuEventCreate")]
pub fn create(timing: bool) -> Result<CUevent, DriverError> {
    let mut event = ptr::null_mut();
    let flags = if timing { 0 } else { DISABLE_TIMING };
    // SAFETY: the signature is the driver's, and `event` is valid for a write.
    unsafe { cuEventCreate(&raw mut event, flags) }?;
    Ok(event)
}

/// Destroys an event, whose handle is invalid afterwards.
///
/// # Safety
/// 1. `event` is alive, and nothing uses it afterwards.
#[doc(alias = "cuEventDestroy")]
pub unsafe fn destroy(event: CUevent) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuEventDestroy_v2(event) }
}

/// Records an event after the current work of a stream.
///
/// # Safety
/// 1. `event` and `stream` are alive, and of one context.
#[doc(alias = "cuEventRecord")]
pub unsafe fn record(event: CUevent, stream: CUstream) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuEventRecord(event, stream) }
}

/// Waits until the work before an event has ended.
///
/// # Safety
/// 1. `event` is alive.
///
/// # Errors
/// The error of a kernel that failed.
#[doc(alias = "cuEventSynchronize")]
pub unsafe fn synchronize(event: CUevent) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and the event is alive by condition 1.
    unsafe { cuEventSynchronize(event) }
}

/// Returns the milliseconds between two recorded events.
///
/// # Safety
/// 1. Both are alive.
///
/// # Errors
/// The driver's: the work before an event has not ended, or an event has no time.
#[doc(alias = "cuEventElapsedTime")]
pub unsafe fn elapsed_milliseconds(start: CUevent, end: CUevent) -> Result<f32, DriverError> {
    let mut milliseconds = 0.0;
    // SAFETY: the signature is the driver's, `milliseconds` is valid for a write, and both events are alive by
    // condition 1.
    unsafe { cuEventElapsedTime(&raw mut milliseconds, start, end) }?;
    Ok(milliseconds)
}
