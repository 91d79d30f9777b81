//! Loading of modules, with the logs of the driver's compiler.

use std::{
    ffi::{CStr, c_char, c_uint, c_void},
    fmt::{self, Display, Formatter},
    ptr,
};

use crate::{
    DriverError,
    forward::checked,
    sys::{CUfunction, CUmodule},
};

/// An option of the driver's compiler.
#[doc(alias = "CUjit_option")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct JitOption(pub u32);

impl JitOption {
    /// Maximum number of registers per thread.
    #[doc(alias = "CU_JIT_MAX_REGISTERS")]
    pub const MAX_REGISTERS: Self = Self(0);
    /// The level of optimisation, 0 to 4.
    #[doc(alias = "CU_JIT_OPTIMIZATION_LEVEL")]
    pub const OPTIMIZATION_LEVEL: Self = Self(7);
    /// Makes debug information: 0 or 1.
    #[doc(alias = "CU_JIT_GENERATE_DEBUG_INFO")]
    pub const GENERATE_DEBUG_INFO: Self = Self(11);
    /// Makes the logs verbose: 0 or 1.
    #[doc(alias = "CU_JIT_LOG_VERBOSE")]
    pub const LOG_VERBOSE: Self = Self(12);
    /// The option to keep line numbers: 0 or 1.
    #[doc(alias = "CU_JIT_GENERATE_LINE_INFO")]
    pub const GENERATE_LINE_INFO: Self = Self(13);

    const INFO_LOG_BUFFER: Self = Self(3);
    const INFO_LOG_BUFFER_SIZE_BYTES: Self = Self(4);
    const ERROR_LOG_BUFFER: Self = Self(5);
    const ERROR_LOG_BUFFER_SIZE_BYTES: Self = Self(6);
}

/// The logs of the driver's compiler. Bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JitLog {
    /// The compiler's information and warnings.
    pub info: String,
    /// The compiler's errors.
    pub error: String,
}

/// A module, alive until `cuModuleUnload`.
#[derive(Debug)]
pub struct Loaded {
    /// The handle of the loaded module.
    pub module: CUmodule,
    /// The logs of the just-in-time compiler.
    pub log: JitLog,
}

/// A module that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The error that the driver returned.
    pub error: DriverError,
    /// The logs of the just-in-time compiler.
    pub log: JitLog,
}

impl Display for LoadError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        match self.log.error.trim_end() {
            "" => Ok(()),
            log => write!(f, "\n{log}"),
        }
    }
}

impl std::error::Error for LoadError {}

checked! {
    fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, option_count: c_uint,
        options: *mut JitOption, values: *mut *mut c_void,
    );
    fn cuModuleUnload(module: CUmodule);
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: CUmodule, name: *const c_char);
}

/// Loads `image` into the current context, with logs of at most `log_bytes` each and with these `options`, which
/// have numbers as values.
///
/// # Safety
/// 1. `image` points to PTX that ends with a zero byte, to a cubin, or to a fat binary.
/// 2. Each option takes a number, not a pointer, and is none of the four of the log buffers.
#[doc(alias = "cuModuleLoadDataEx")]
pub unsafe fn load_data_ex(
    image: *const c_void,
    log_bytes: u32,
    options: &[(JitOption, u32)],
) -> Result<Loaded, LoadError> {
    let mut info = vec![0_u8; log_bytes as usize];
    let mut error = vec![0_u8; log_bytes as usize];
    let number = |value: u32| ptr::without_provenance_mut::<c_void>(value as usize);

    let (mut keys, mut values): (Vec<JitOption>, Vec<*mut c_void>) = [
        (JitOption::INFO_LOG_BUFFER, info.as_mut_ptr().cast()),
        (JitOption::INFO_LOG_BUFFER_SIZE_BYTES, number(log_bytes)),
        (JitOption::ERROR_LOG_BUFFER, error.as_mut_ptr().cast()),
        (JitOption::ERROR_LOG_BUFFER_SIZE_BYTES, number(log_bytes)),
    ]
    .into_iter()
    .chain(options.iter().map(|&(key, value)| (key, number(value))))
    .unzip();

    let mut module = ptr::null_mut();
    let count = c_uint::try_from(keys.len()).unwrap_or(c_uint::MAX);
    // SAFETY: the signature is the driver's (`CUjit_option` is an `int`-sized enumeration). The image
    // is one by condition 1. `keys` and `values` have `count` elements or more; the two buffers are
    // valid for writes of the size given with them, and the other values are numbers by condition 2.
    let result = unsafe {
        cuModuleLoadDataEx(
            &raw mut module,
            image,
            count,
            keys.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    let log = JitLog {
        info: text(&info),
        error: text(&error),
    };
    match result {
        Ok(()) => Ok(Loaded { module, log }),
        Err(error) => Err(LoadError { error, log }),
    }
}

/// Unloads a module from the current context.
///
/// # Safety
/// 1. `module` is alive, its context is current, and nothing uses the module afterwards.
#[doc(alias = "cuModuleUnload")]
pub unsafe fn unload(module: CUmodule) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, and condition 1 is the manual's.
    unsafe { cuModuleUnload(module) }
}

/// Returns the kernel of this name.
///
/// # Safety
/// 1. `module` is alive.
///
/// # Errors
/// The driver's, for example if the module has no such kernel.
#[doc(alias = "cuModuleGetFunction")]
pub unsafe fn get_function(module: CUmodule, name: &CStr) -> Result<CUfunction, DriverError> {
    let mut function = ptr::null_mut();
    // SAFETY: the signature is the driver's, `function` is valid for a write, the name ends with a zero byte, and the
    // module is alive by condition 1.
    unsafe { cuModuleGetFunction(&raw mut function, module, name.as_ptr()) }?;
    Ok(function)
}

/// Returns the address and the size in bytes of a variable.
///
/// # Safety
/// 1. `module` is alive.
///
/// # Errors
/// The driver's, for example if the module has no such variable.
#[doc(alias = "cuModuleGetGlobal")]
pub unsafe fn get_global(module: CUmodule, name: &CStr) -> Result<(u64, usize), DriverError> {
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the signature is the driver's, both locations are valid for a write, the name ends with a zero byte, and
    // the module is alive by condition 1.
    unsafe { cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, name.as_ptr()) }?;
    Ok((address, bytes))
}

/// Returns the text before the first zero byte.
fn text(buffer: &[u8]) -> String {
    let written = buffer.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(written).into_owned()
}
