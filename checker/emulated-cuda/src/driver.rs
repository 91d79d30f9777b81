//! The driver, `libcuda`.

mod arrays;
mod context;
mod copies;
pub(crate) mod errors;
mod launches;
mod memory;
mod missing;
pub(crate) mod modules;
mod streams;
mod tensor_maps;

use std::ffi::{CString, c_void};

/// Returns the address of an exported driver function, in the latest available form for programs of this CUDA
/// version.
pub(crate) fn function(name: &str, version: i32) -> Option<u64> {
    let suffixes = match name {
        // Each form has different parameters.
        "cuCtxCreate" if version >= 13_000 => ["_v4", "_v3", "_v2", ""],
        "cuGetProcAddress" if version < 12_000 => [""; 4],
        _ => ["_v2", "", "", ""],
    };
    suffixes
        .iter()
        .find_map(|suffix| exported(&format!("{name}{suffix}")))
}

/// Returns the address of an exported function of this library, regardless of other libraries.
fn exported(name: &str) -> Option<u64> {
    if !name.starts_with("cu") {
        return None;
    }
    let name = CString::new(name).ok()?;
    // SAFETY: null and zero are valid values, and `dladdr` overwrites them.
    let mut own: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = exported as *const c_void;
    // SAFETY: `own` is valid for a write.
    if unsafe { libc::dladdr(here, &raw mut own) } == 0 {
        return None;
    }
    // SAFETY: `dladdr` returned the path of this library, which stays loaded.
    let library = unsafe { libc::dlopen(own.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the handle is open, and the name is zero-terminated.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address as u64)
}
