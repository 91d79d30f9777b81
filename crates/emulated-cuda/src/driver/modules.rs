//! Modules, libraries, kernels and variables.

use std::fs;

use crate::{
    calls::{Result, alive},
    code::Code,
    ffi::{Image, Out, Pointer, Text, export},
};

/// Takes note of code, which is read at once.
pub(crate) fn load(image: Image, handle: &Out<u64>) -> Result {
    handle.put(alive(|context| {
        let handle = context.add_binary(image);
        context.module(handle)?;
        Ok(handle)
    })?)
}

/// As [`load`], of a file.
pub(crate) fn load_file(path: Text, handle: &Out<u64>) -> Result {
    let bytes = fs::read(path.get()?).map_err(|_| Code::NOT_FOUND)?;
    load(Image::of_file(bytes), handle)
}

pub(crate) fn variable(
    binary: Pointer,
    name: Text,
    address: &Out<u64>,
    bytes: &Out<usize>,
) -> Result {
    let name = name.get()?;
    let (at, len) = alive(|context| context.symbol_named(binary.address(), &name))?;
    address.put_if_any(at);
    bytes.put_if_any(len as usize);
    Ok(())
}

pub(crate) fn kernel(handle: &Out<u64>, binary: Pointer, name: Text) -> Result {
    let name = name.get()?;
    handle.put(alive(|context| {
        context.kernel_named(binary.address(), &name)
    })?)
}

/// Writes where a parameter of a kernel lies, and its bytes.
pub(crate) fn parameter(
    function: Pointer,
    index: usize,
    offset: &Out<usize>,
    bytes: &Out<usize>,
) -> Result {
    let signature = alive(|context| context.signature(function.address()))?;
    let mut end = 0_usize;
    for (at, parameter) in signature.parameters.iter().enumerate() {
        let start = end.next_multiple_of(parameter.align_bytes);
        end = start + parameter.size_bytes;
        if at == index {
            offset.put(start)?;
            bytes.put_if_any(parameter.size_bytes);
            return Ok(());
        }
    }
    Err(Code::INVALID_VALUE)
}

export! {
    driver;

    fn cuFuncGetParamInfo as cuKernelGetParamInfo (
        function: Pointer,
        index: usize,
        offset: Out<usize>,
        bytes: Out<usize>,
    ) {
        parameter(function, index, &offset, &bytes)
    }

    fn cuModuleLoadData as cuModuleLoadFatBinary (handle: Out<u64>, image: Image) {
        load(image, &handle)
    }

    fn cuModuleLoadDataEx(handle: Out<u64>, image: Image, count: u32, options: Pointer, values: Pointer) {
        let _ = (count, options, values);
        load(image, &handle)
    }

    fn cuLibraryLoadData(handle: Out<u64>, image: Image) {
        load(image, &handle)
    }

    fn cuModuleLoad as cuLibraryLoadFromFile (handle: Out<u64>, path: Text) {
        load_file(path, &handle)
    }

    fn cuModuleUnload as cuLibraryUnload (handle: Pointer) {
        alive(|context| context.remove_binary(handle.address()))
    }

    fn cuModuleGetFunction as cuLibraryGetKernel (handle: Out<u64>, module: Pointer, name: Text) {
        kernel(&handle, module, name)
    }

    fn cuModuleGetGlobal_v2 as cuModuleGetGlobal, cuLibraryGetGlobal (
        address: Out<u64>,
        bytes: Out<usize>,
        module: Pointer,
        name: Text,
    ) {
        variable(module, name, &address, &bytes)
    }

    // A library is a module, and a kernel of one a function.
    fn cuLibraryGetModule as cuKernelGetFunction (handle: Out<u64>, of: Pointer) {
        handle.put(of.address())
    }

    fn cuFuncGetModule as cuKernelGetLibrary (handle: Out<u64>, function: Pointer) {
        handle.put(alive(|context| Ok(context.kernel(function.address())?.binary))?)
    }

    fn cuFuncGetName as cuKernelGetName (name: Out<u64>, function: Pointer) {
        let entry = alive(|context| Ok(context.kernel(function.address())?.entry.clone()))?;
        // The text lives as long as the program.
        name.put(format!("{entry}\0").leak().as_ptr() as u64)
    }

    fn cuFuncGetAttribute(value: Out<i32>, attribute: i32, function: Pointer) {
        value.put(alive(|context| context.attribute_of(function.address(), attribute))?)
    }

    fn cuFuncSetAttribute(function: Pointer, attribute: i32, value: i32) {
        alive(|context| context.set_attribute_of(function.address(), attribute, value))
    }

    fn cuKernelGetAttribute(value: Out<i32>, attribute: i32, kernel: Pointer, device: i32) {
        let _ = device;
        value.put(alive(|context| context.attribute_of(kernel.address(), attribute))?)
    }

    fn cuKernelSetAttribute(attribute: i32, value: i32, kernel: Pointer, device: i32) {
        let _ = device;
        alive(|context| context.set_attribute_of(kernel.address(), attribute, value))
    }

    fn cuFuncSetCacheConfig as cuFuncSetSharedMemConfig (function: Pointer, config: i32) {
        let _ = config;
        alive(|context| context.kernel(function.address()).map(drop))
    }

    fn cuFuncLoad(function: Pointer) {
        alive(|context| context.kernel(function.address()).map(drop))
    }
}
