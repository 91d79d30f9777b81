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

/// The address of an exported function of the driver: of the version that a program for this version of CUDA means
/// by the name, the latest that is here.
pub(crate) fn function(name: &str, version: i32) -> Option<u64> {
    let suffixes = match name {
        // Each has other parameters.
        "cuCtxCreate" if version >= 13_000 => ["_v4", "_v3", "_v2", ""],
        "cuGetProcAddress" if version < 12_000 => [""; 4],
        _ => ["_v2", "", "", ""],
    };
    suffixes
        .iter()
        .find_map(|suffix| exported(&format!("{name}{suffix}")))
}

/// The address of an exported function of this library, whatever other libraries have.
fn exported(name: &str) -> Option<u64> {
    if !name.starts_with("cu") {
        return None;
    }
    let name = CString::new(name).ok()?;
    // SAFETY: null and zero are values that it may have, and `dladdr` overwrites them.
    let mut own: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = exported as *const c_void;
    // SAFETY: `own` is valid for a write.
    if unsafe { libc::dladdr(here, &raw mut own) } == 0 {
        return None;
    }
    // SAFETY: `dladdr` gave the path of this library, which is loaded and stays so.
    let library = unsafe { libc::dlopen(own.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the handle is open, and the name is a text.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address as u64)
}
