//! Memory of the current context, and pinned memory of the host.

use std::{
    ffi::{c_uchar, c_void},
    ptr,
};

use crate::{DriverError, forward::checked, sys::CUstream};

checked! {
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize);
    fn cuMemFree_v2(address: u64);
    fn cuMemAllocHost_v2(pointer: *mut *mut c_void, bytes: usize);
    fn cuMemFreeHost(pointer: *mut c_void);
    fn cuMemsetD8_v2(address: u64, byte: c_uchar, count: usize);
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize);
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: CUstream);
}

/// Allocates device memory, uninitialised and aligned to 256 bytes, and returns its address.
///
/// # Errors
/// The driver's, for example `bytes` is 0 or the memory is exhausted.
#[doc(alias = "cuMemAlloc")]
pub fn allocate(bytes: usize) -> Result<u64, DriverError> {
    let mut address = 0;
    // SAFETY: the signature is the driver's, and `address` is valid for a write.
    unsafe { cuMemAlloc_v2(&raw mut address, bytes) }?;
    Ok(address)
}

/// Frees device memory that this driver allocated.
///
/// # Safety
/// 1. [`allocate`] returned the address, and nothing uses the memory afterwards.
#[doc(alias = "cuMemFree")]
pub unsafe fn free(address: u64) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuMemFree_v2(address) }
}

/// Allocates pinned memory of the host.
///
/// # Errors
/// The driver's, for example if the memory is exhausted.
#[doc(alias = "cuMemAllocHost")]
pub fn allocate_host(bytes: usize) -> Result<*mut c_void, DriverError> {
    let mut pointer = ptr::null_mut();
    // SAFETY: the signature is the driver's, and `pointer` is valid for a write.
    unsafe { cuMemAllocHost_v2(&raw mut pointer, bytes) }?;
    Ok(pointer)
}

/// Frees pinned memory of the host.
///
/// # Safety
/// 1. [`allocate_host`] returned the pointer, and nothing uses the memory afterwards.
#[doc(alias = "cuMemFreeHost")]
pub unsafe fn free_host(pointer: *mut c_void) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuMemFreeHost(pointer) }
}

/// Sets `count` bytes of device memory, in the legacy default stream.
///
/// # Safety
/// 1. The bytes are device memory that no other work is using.
#[doc(alias = "cuMemsetD8")]
pub unsafe fn set_bytes(address: u64, byte: u8, count: usize) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuMemsetD8_v2(address, byte, count) }
}

/// Copies bytes from the host to a device, once earlier work of the legacy default stream has ended.
///
/// # Safety
/// 1. The `from.len()` bytes at `to` are device memory that no other work is using.
#[doc(alias = "cuMemcpyHtoD")]
pub unsafe fn copy_to_device(to: u64, from: &[u8]) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, `from` is borrowed until the driver has read it, and the rest is
    // condition 1.
    unsafe { cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len()) }
}

/// Copies bytes from a device to the host, once earlier work of the legacy default stream has ended.
///
/// # Safety
/// 1. The `to.len()` bytes at `from` are device memory that no other work is writing.
#[doc(alias = "cuMemcpyDtoH")]
pub unsafe fn copy_to_host(to: &mut [u8], from: u64) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, `to` is borrowed until the driver has written it, and the rest is
    // condition 1.
    unsafe { cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len()) }
}

/// Copies bytes within a device, or between two that have access to each other, after the earlier work of a stream of the
/// current context, and returns before the copy has ended.
///
/// # Safety
/// 1. The `bytes` bytes at `to` and at `from` are device memory, and from the copy's start to its end no other work writes
///    them or reads those at `to`.
/// 2. The stream is of the current context, and alive.
#[doc(alias = "cuMemcpyDtoDAsync")]
pub unsafe fn copy_on(
    stream: CUstream,
    to: u64,
    from: u64,
    bytes: usize,
) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and conditions 1 and 2 are the manual's.
    unsafe { cuMemcpyDtoDAsync_v2(to, from, bytes, stream) }
}
