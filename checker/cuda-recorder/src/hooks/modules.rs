//! Modules, libraries and their kernels.

use std::{
    ffi::{c_char, c_void},
    fs,
};

use crate::{
    code::Handle,
    driver::SUCCESS,
    hooks::hooks,
    host::{self, Image},
    state,
};

/// Records code loaded from memory.
///
/// # Safety
/// 1. If the code is success, the driver has written the handle and read the image.
unsafe fn loaded(
    code: i32,
    handle: *const u64,
    of: fn(u64) -> Handle,
    image: *const c_void,
) -> i32 {
    if code == SUCCESS {
        // SAFETY: the driver has written the handle (1), so it is readable (1 of `value`).
        let handle = unsafe { host::value(handle) }.unwrap_or_default();
        // SAFETY: condition 1, and the image is not used after this call.
        let image = unsafe { Image::new(image as u64) };
        state::with(|state| state.codes.load(of(handle), &image));
    }
    code
}

/// Records code loaded from a file.
///
/// # Safety
/// 1. If the code is success, the driver has written the handle and read the file of this name.
unsafe fn loaded_file(
    code: i32,
    handle: *const u64,
    of: fn(u64) -> Handle,
    path: *const c_char,
) -> i32 {
    if code != SUCCESS {
        return code;
    }
    // SAFETY: the driver has read the name (1), so it is a zero-terminated text (1 of `text`).
    let path = unsafe { host::text(path) };
    // A text needs a terminating zero, and machine code tolerates one.
    let bytes = path.and_then(|path| fs::read(path).ok());
    if let Some(mut bytes) = bytes {
        bytes.push(0);
        // SAFETY: condition 1; the image lives until the end of the call and ends with a zero.
        unsafe { loaded(code, handle, of, bytes.as_ptr().cast()) };
    }
    code
}

/// Records a kernel.
///
/// # Safety
/// 1. If the code is success, the driver has written the handle and read the name.
unsafe fn found(code: i32, kernel: *const u64, of: u64, name: *const c_char) -> i32 {
    if code == SUCCESS {
        // SAFETY: the driver has written the handle (1), so it is readable (1 of `value`).
        let kernel = unsafe { host::value(kernel) }.unwrap_or_default();
        // SAFETY: the driver has read the name (1), so it is a zero-terminated text (1 of `text`).
        let name = unsafe { host::text(name) }.unwrap_or_default();
        state::with(|state| state.codes.add_kernel(kernel, of, name));
    }
    code
}

hooks! {
    fn cuModuleLoad(handle: *mut u64, path: *const c_char) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { loaded_file(real(), handle, Handle::Module, path) }
    }

    fn cuModuleLoadData, fn cuModuleLoadFatBinary(handle: *mut u64, image: *const c_void) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { loaded(real(), handle, Handle::Module, image) }
    }

    fn cuModuleLoadDataEx(
        handle: *mut u64, image: *const c_void, count: u32, options: *mut c_void, values: *mut c_void,
    ) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { loaded(real(), handle, Handle::Module, image) }
    }

    fn cuLibraryLoadData(
        handle: *mut u64, image: *const c_void,
        options: *mut c_void, values: *mut c_void, count: u32,
        library_options: *mut c_void, library_values: *mut c_void, library_count: u32,
    ) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { loaded(real(), handle, Handle::Library, image) }
    }

    fn cuLibraryLoadFromFile(
        handle: *mut u64, path: *const c_char,
        options: *mut c_void, values: *mut c_void, count: u32,
        library_options: *mut c_void, library_values: *mut c_void, library_count: u32,
    ) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { loaded_file(real(), handle, Handle::Library, path) }
    }

    fn cuModuleUnload, fn cuLibraryUnload(handle: u64) |real| {
        state::with(|state| state.codes.unload(handle));
        real()
    }

    fn cuModuleGetFunction, fn cuLibraryGetKernel(kernel: *mut u64, of: u64, name: *const c_char) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { found(real(), kernel, of, name) }
    }

    fn cuLibraryGetModule(module: *mut u64, library: u64) |real| {
        let code = real();
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        if let Some(module) = unsafe { host::written(code, module) } {
            state::with(|state| state.codes.module_of_library(module, library));
        }
        code
    }

    fn cuKernelGetFunction(function: *mut u64, kernel: u64) |real| {
        let code = real();
        // SAFETY: if the driver succeeds, it has written to this pointer (1).
        if let Some(function) = unsafe { host::written(code, function) } {
            state::with(|state| state.codes.same_kernel(function, kernel));
        }
        code
    }
}
