//! Memory accessible to kernels.

use crate::{driver::SUCCESS, hooks::hooks, host, state};

/// Records memory whose address a call has written.
///
/// # Safety
/// 1. If the code is success, the driver has written to the pointer.
unsafe fn allocated(code: i32, address: *const u64, bytes: usize, call: &str) -> i32 {
    // SAFETY: after success the driver has written the address (1), as `written` requires (1).
    let address = unsafe { host::written(code, address) };
    placed(code, address.unwrap_or_default(), bytes, call)
}

/// Records memory at a known address.
fn placed(code: i32, address: u64, bytes: usize, call: &str) -> i32 {
    if code == SUCCESS && address != 0 {
        state::with(|state| state.allocations.add(address, bytes as u64, call));
    }
    code
}

/// Removes memory before it is freed: afterwards another thread may get the same address.
fn freed(address: u64, real: impl FnOnce() -> i32) -> i32 {
    let before = state::with(|state| state.allocations.remove(address));
    let code = real();
    if let Some(allocation) = before.filter(|_| code != SUCCESS) {
        state::with(|state| state.allocations.put_back(address, allocation));
    }
    code
}

hooks! {
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) |real| {
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(real(), address, bytes, "cuMemAlloc") }
    }

    fn cuMemAllocPitch_v2(address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32) |real| {
        let code = real();
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        let row = unsafe { host::written(code, pitch) }.unwrap_or_default();
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(code, address, row.saturating_mul(height), "cuMemAllocPitch") }
    }

    fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32) |real| {
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(real(), address, bytes, "cuMemAllocManaged") }
    }

    fn cuMemAllocAsync, fn cuMemAllocAsync_ptsz(address: *mut u64, bytes: usize, stream: u64) |real| {
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(real(), address, bytes, "cuMemAllocAsync") }
    }

    fn cuMemAllocFromPoolAsync, fn cuMemAllocFromPoolAsync_ptsz(
        address: *mut u64, bytes: usize, pool: u64, stream: u64,
    ) |real| {
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(real(), address, bytes, "cuMemAllocFromPoolAsync") }
    }

    fn cuMemAllocHost_v2(address: *mut u64, bytes: usize) |real| {
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(real(), address, bytes, "cuMemAllocHost") }
    }

    fn cuMemHostAlloc(address: *mut u64, bytes: usize, flags: u32) |real| {
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        unsafe { allocated(real(), address, bytes, "cuMemHostAlloc") }
    }

    fn cuMemHostRegister_v2(address: u64, bytes: usize, flags: u32) |real| {
        placed(real(), address, bytes, "cuMemHostRegister")
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64) |real| {
        placed(real(), address, bytes, "cuMemMap")
    }

    fn cuMemFree_v2(address: u64) |real| {
        freed(address, real)
    }

    fn cuMemFreeAsync, fn cuMemFreeAsync_ptsz(address: u64, stream: u64) |real| {
        freed(address, real)
    }

    fn cuMemFreeHost, fn cuMemHostUnregister(address: u64) |real| {
        freed(address, real)
    }

    fn cuMemUnmap(address: u64, bytes: usize) |real| {
        freed(address, real)
    }
}
