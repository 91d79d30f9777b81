//! Calls of programs before `main`: nvcc writes these calls.

use std::ffi::{c_char, c_void};

use crate::{
    calls::{alive, caught, with},
    code::Code,
    ffi::{Dim3, FromC, Image, Out, Pointer, Text, export},
};

/// Takes note of the code of a program, and gives its handle.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __cudaRegisterFatBinary(image: *mut c_void) -> *mut *mut c_void {
    // SAFETY: the value is the caller's of this function, which is exported (1).
    let image = unsafe { Image::from_c(image) };
    let handle = caught("__cudaRegisterFatBinary", || {
        with(|context| Ok(context.add_binary(image)))
    });
    handle.unwrap_or_default() as *mut *mut c_void
}

/// Takes note of a kernel.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    function: *const c_char,
    _device_function: *mut c_char,
    name: *const c_char,
) {
    // SAFETY: the value is the caller's of this function, which is exported (1).
    let name = unsafe { Text::from_c(name) };
    // What has no name cannot be launched.
    let _ = caught("__cudaRegisterFunction", || {
        with(|context| {
            context.add_kernel(function as u64, handle as u64, name.get()?);
            Ok(())
        })
    });
}

/// Takes note of a variable.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    variable: *mut c_char,
    _device_variable: *mut c_char,
    name: *const c_char,
) {
    // SAFETY: the value is the caller's of this function, which is exported (1).
    let name = unsafe { Text::from_c(name) };
    // What has no name cannot be used.
    let _ = caught("__cudaRegisterVar", || {
        with(|context| {
            context.add_variable(variable as u64, handle as u64, name.get()?);
            Ok(())
        })
    });
}

/// Takes note of a variable in managed memory, and of the pointer by which the host uses it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    variable: *mut *mut c_void,
    _device_variable: *mut c_char,
    name: *const c_char,
) {
    // SAFETY: the value is the caller's of this function, which is exported (1).
    let name = unsafe { Text::from_c(name) };
    // SAFETY: as above.
    let pointer = unsafe { Pointer::from_c(variable.cast()) };
    // What has no name cannot be used.
    let _ = caught("__cudaRegisterManagedVar", || {
        with(|context| {
            context.add_managed(handle as u64, name.get()?, pointer);
            Ok(())
        })
    });
}

/// Nothing is to be done when all is registered.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

/// Programs call it when they end: nothing is lost then.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __cudaUnregisterFatBinary(_handle: *mut *mut c_void) {}

/// Modules are read when they are used: now, if the host is about to use a variable in managed memory.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __cudaInitModule(handle: *mut *mut c_void) -> c_char {
    let loaded = caught("__cudaInitModule", || {
        with(|context| context.module(handle as u64).map(drop))
    });
    c_char::from(loaded.is_ok())
}

/// A launch that `<<<...>>>` has begun.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: u64,
}

thread_local! {
    static CONFIGURATIONS: std::cell::RefCell<Vec<Configuration>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Takes note of grid, block, shared memory and stream.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: u64,
) -> u32 {
    let configuration = Configuration {
        grid,
        block,
        shared_bytes,
        stream,
    };
    let pushed = caught("__cudaPushCallConfiguration", || {
        CONFIGURATIONS.with_borrow_mut(|all| all.push(configuration));
        Ok(())
    });
    pushed.err().map_or(0, |code| code.0 as u32)
}

export! {
    runtime;

    fn __cudaPopCallConfiguration(
        grid: Out<Dim3>,
        block: Out<Dim3>,
        shared_bytes: Out<usize>,
        stream: Out<u64>,
    ) {
        let last = CONFIGURATIONS.with_borrow_mut(Vec::pop);
        let last = last.ok_or(Code::INVALID_CONFIGURATION)?;
        grid.put(last.grid)?;
        block.put(last.block)?;
        shared_bytes.put(last.shared_bytes)?;
        stream.put(last.stream)
    }

    fn __cudaGetKernel as cudaGetKernel(kernel: Out<u64>, function: Pointer) {
        let key = function.address();
        alive(|context| context.kernel(key).map(drop))?;
        kernel.put(key)
    }

    fn cudaGetFuncBySymbol(kernel: Out<u64>, function: Pointer) {
        let key = function.address();
        alive(|context| context.kernel(key).map(drop))?;
        kernel.put(key)
    }
}
