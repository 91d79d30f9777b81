//! Lookup of functions by name, which the runtime uses for all of them.

use std::ffi::{c_char, c_void};

use crate::{
    driver::SUCCESS,
    hooks::{Hook, hooks},
    host,
};

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const PER_THREAD: u64 = 2;
/// The version of CUDA in which `cuGetProcAddress` got its second form.
const SECOND_FORM: i32 = 12000;

/// Replaces the driver's function by the exported one.
///
/// # Safety
/// 1. If the code is success, the driver has read the name and written the address.
unsafe fn replace(
    code: i32,
    name: *const c_char,
    address: *mut *mut c_void,
    version: i32,
    flags: u64,
) -> i32 {
    if code != SUCCESS {
        return code;
    }
    // SAFETY: the driver has read the name (1), so it is a zero-terminated text (1 of `text`).
    let name = unsafe { host::text(name) }.unwrap_or_default();
    // SAFETY: the driver has written the address (1), so it is readable (1 of `value`).
    let found = unsafe { host::value(address) }.filter(|found| !found.is_null());
    if let Some(found) = found
        && let Some(hook) = hook(&name, found, version, flags)
    {
        hook.slot.set(found);
        // SAFETY: the driver has written there (1).
        unsafe { address.write(hook.function.cast_mut()) };
    }
    code
}

/// Returns the hook of a driver function: the one with its address, or else the newest form of its name.
fn hook(name: &str, found: *mut c_void, version: i32, flags: u64) -> Option<Hook> {
    let forms = || super::all().filter(|hook| is_form(hook.slot.name(), name));
    if let Some(same) = forms().find(|hook| hook.slot.get() == found) {
        return Some(same);
    }
    let is_per_thread = |hook: &Hook| hook.slot.name().ends_with("_ptsz");
    let has_second = version >= SECOND_FORM;
    let is_newest =
        |hook: &Hook| has_second || name != "cuGetProcAddress" || hook.slot.name() == name;
    let mut forms: Vec<Hook> = forms().filter(is_newest).collect();
    forms.sort_by_key(|hook| {
        let is_wanted = is_per_thread(hook) == (flags & PER_THREAD != 0);
        (is_wanted, hook.slot.name().contains("_v2"))
    });
    forms.pop()
}

/// Returns whether `symbol` is `name` with a version, the suffix for per-thread streams, or both.
fn is_form(symbol: &str, name: &str) -> bool {
    let rest = symbol.strip_prefix(name);
    rest.is_some_and(|rest| ["", "_v2", "_ptsz", "_v2_ptsz"].contains(&rest))
}

hooks! {
    fn cuGetProcAddress(name: *const c_char, address: *mut *mut c_void, version: i32, flags: u64) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { replace(real(), name, address, version, flags) }
    }

    fn cuGetProcAddress_v2, fn cuGetProcAddress_v2_ptsz(
        name: *const c_char, address: *mut *mut c_void, version: i32, flags: u64, status: *mut i32,
    ) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { replace(real(), name, address, version, flags) }
    }
}
