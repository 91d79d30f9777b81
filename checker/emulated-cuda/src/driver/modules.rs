//! Modules, libraries, kernels and variables.

use std::fs;

use crate::{
    calls::{alive, with},
    code::{Code, Result},
    export::export,
    ffi::{Image, In, Out, Pointer, Text},
};

/// Loads code, which is parsed at once.
pub(crate) fn load(image: Image, handle: &Out<u64>) -> Result {
    handle.put(alive(|context| {
        let handle = context.add_binary(image);
        context.module(handle)?;
        Ok(handle)
    })?)
}

/// `CU_JIT_ERROR_LOG_BUFFER`, and `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`: the capacity on input, the used size on
/// output.
const ERROR_LOG: i32 = 5;
const ERROR_LOG_BYTES: i32 = 6;

/// Compiler options, each with a value of 8 bytes: a number or an address.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub(crate) keys: In<i32>,
    pub(crate) values: Pointer,
    pub(crate) count: u32,
}

impl Options {
    fn index(self, key: i32) -> Result<Option<usize>> {
        let keys = self.keys.list(self.count as usize)?;
        Ok(keys.iter().position(|found| *found == key))
    }

    /// Writes the errors to the caller's buffer, truncated to its size.
    fn tell(self, what: &str) -> Result {
        let places = (self.index(ERROR_LOG)?, self.index(ERROR_LOG_BYTES)?);
        let (Some(log), Some(size)) = places else {
            return Ok(());
        };
        // The size is an `unsigned int` instead of an address.
        let most = self.values.pointer_at(size)?.address() as u32 as usize;
        let mut text = what.as_bytes().to_vec();
        text.truncate(most.saturating_sub(1));
        text.push(0);
        if most > 0 {
            self.values.pointer_at(log)?.write_host(&text)?;
        }
        let written = (text.len() as u32 - 1).to_le_bytes();
        let size = self.values.add(size * size_of::<u64>());
        size.write_host(&written)
    }
}

/// Like [`load`], with compiler options; only the error log is supported.
pub(crate) fn load_with(image: Image, handle: &Out<u64>, options: Options) -> Result {
    let loaded = load(image, handle);
    options.tell(&with(|context| Ok(context.modules.refusal.clone()))?)?;
    loaded
}

/// Size limit of a code file.
const MOST_FILE_BYTES: u64 = 1 << 30;

/// Like [`load`], from a file.
pub(crate) fn load_file(path: Text, handle: &Out<u64>) -> Result {
    let path = path.get()?;
    // A device or a pipe may be endless.
    let is_code = |file: fs::Metadata| file.is_file() && file.len() <= MOST_FILE_BYTES;
    if !fs::metadata(&path).is_ok_and(is_code) {
        return Err(Code::FILE_NOT_FOUND);
    }
    let bytes = fs::read(path).map_err(|_| Code::FILE_NOT_FOUND)?;
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

/// Writes the name of a kernel.
pub(crate) fn name_of(name: &Out<u64>, function: Pointer) -> Result {
    let entry = alive(|context| Ok(context.kernel(function.address())?.entry.clone()))?;
    // The text must live as long as the program.
    name.put(format!("{entry}\0").leak().as_ptr() as u64)
}

/// Returns the handles of a module's kernels.
pub(crate) fn kernels(binary: Pointer) -> Result<Vec<u64>> {
    let binary = binary.address();
    alive(|context| {
        let module = context.module(binary)?;
        let entries = context.session.entries(module);
        let entries = entries.map_err(|_| Code::INVALID_HANDLE)?.into_iter();
        entries
            .map(|entry| context.kernel_named(binary, &entry))
            .collect()
    })
}

/// Writes at most `most` handles of a module's kernels.
pub(crate) fn write_kernels(to: Pointer, most: u32, binary: Pointer) -> Result {
    let kernels = kernels(binary)?.into_iter().take(most as usize);
    let bytes: Vec<u8> = kernels.flat_map(u64::to_le_bytes).collect();
    to.write_host(&bytes)
}

/// Writes the offset and the size of a kernel parameter.
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

    fn cuModuleLoadDataEx(handle: Out<u64>, image: Image, count: u32, keys: In<i32>, values: Pointer) {
        load_with(image, &handle, Options { keys, values, count })
    }

    fn cuLibraryLoadData(handle: Out<u64>, image: Image, keys: In<i32>, values: Pointer, count: u32) {
        load_with(image, &handle, Options { keys, values, count })
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

    // A library is a module here, and its kernel a function.
    fn cuLibraryGetModule as cuKernelGetFunction (handle: Out<u64>, of: Pointer) {
        handle.put(of.address())
    }

    fn cuFuncGetModule as cuKernelGetLibrary (handle: Out<u64>, function: Pointer) {
        handle.put(alive(|context| Ok(context.kernel(function.address())?.binary))?)
    }

    fn cuLibraryGetKernelCount(count: Out<u32>, library: Pointer) {
        count.put(kernels(library)?.len() as u32)
    }

    fn cuLibraryEnumerateKernels(to: Pointer, most: u32, library: Pointer) {
        write_kernels(to, most, library)
    }

    fn cuFuncGetName as cuKernelGetName (name: Out<u64>, function: Pointer) {
        name_of(&name, function)
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
