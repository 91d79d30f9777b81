//! Errors of the driver.

mod codes;

use std::{
    ffi::{CStr, CString, c_char, c_int},
    fmt::{self, Display, Formatter},
    ptr,
    sync::OnceLock,
};

use crate::{forward::driver_call, library::status, sys::CUresult};

/// Success.
const SUCCESS: c_int = CUresult::CUDA_SUCCESS as c_int;
/// There is no driver.
const STUB_LIBRARY: c_int = CUresult::CUDA_ERROR_STUB_LIBRARY as c_int;
/// The driver lacks the function.
const NOT_FOUND: c_int = CUresult::CUDA_ERROR_NOT_FOUND as c_int;
/// The code that `cust` gives for every one that it does not know, `CUDA_ERROR_STUB_LIBRARY` among
/// them.
const UNKNOWN: c_int = CUresult::CUDA_ERROR_UNKNOWN as c_int;

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverError {
    /// The driver function that was called, by its C name.
    pub function: &'static str,
    /// The `CUresult`. A newer driver may return codes that [`sys::CUresult`](crate::sys::CUresult)
    /// does not list.
    pub code: i32,
    /// The origin of the code.
    pub origin: Origin,
}

/// The origin of an error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The driver did.
    Driver,
    /// No driver is loaded: `CUDA_ERROR_STUB_LIBRARY` (34). [`status`] says why.
    NoDriver,
    /// The driver that is loaded has no such function: `CUDA_ERROR_NOT_FOUND` (500).
    NoFunction,
}

impl DriverError {
    /// The name of the code, such as `CUDA_ERROR_INVALID_VALUE`. See [`name`].
    #[doc(alias = "cuGetErrorName")]
    pub fn name(&self) -> &'static str {
        name(self.code)
    }

    /// One sentence on the code: the driver's own where the driver returned it.
    #[doc(alias = "cuGetErrorString")]
    pub fn sentence(&self) -> &'static str {
        match self.origin {
            Origin::NoFunction => "the loaded CUDA driver has no such function",
            Origin::NoDriver | Origin::Driver => sentence(self.code),
        }
    }
}

impl Display for DriverError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (name, sentence) = (self.name(), self.sentence());
        write!(f, "{}: {name} ({}): {sentence}", self.function, self.code)
    }
}

impl std::error::Error for DriverError {}

/// The name of a `CUresult`: the driver's, else this crate's, else `an unlisted CUresult`.
#[doc(alias = "cuGetErrorName")]
pub fn name(code: i32) -> &'static str {
    text(driver_name(code).or_else(|| codes::name(code)))
}

/// One sentence on a `CUresult`: the driver's, else this crate's, else `an unlisted CUresult`.
///
/// Without a driver the sentence on codes 34 and 999 (which `cust` makes of 34) is that of
/// [`status`].
#[doc(alias = "cuGetErrorString")]
pub fn sentence(code: i32) -> &'static str {
    text(driver_sentence(code).or_else(|| own_sentence(code)))
}

fn text(found: Option<&'static CStr>) -> &'static str {
    found
        .and_then(|text| text.to_str().ok())
        .unwrap_or("an unlisted CUresult")
}

/// `cuGetErrorName`, where there is a driver that knows the code.
pub(crate) fn driver_name(code: c_int) -> Option<&'static CStr> {
    let mut text: *const c_char = ptr::null();
    let out = &raw mut text;
    // SAFETY: the driver's `cuGetErrorName(CUresult, const char **)`, an enumeration being an `int`
    // there. `out` is valid for one write.
    let result = unsafe { driver_call!(cuGetErrorName(code: c_int, out: *mut *const c_char)) };
    // SAFETY: `text` is null or was written by this call.
    unsafe { static_text(result, text) }
}

/// `cuGetErrorString`, where there is a driver that knows the code.
pub(crate) fn driver_sentence(code: c_int) -> Option<&'static CStr> {
    let mut text: *const c_char = ptr::null();
    let out = &raw mut text;
    // SAFETY: the driver's `cuGetErrorString(CUresult, const char **)`, an enumeration being an `int`
    // there. `out` is valid for one write.
    let result = unsafe { driver_call!(cuGetErrorString(code: c_int, out: *mut *const c_char)) };
    // SAFETY: `text` is null or was written by this call.
    unsafe { static_text(result, text) }
}

/// The text a successful call left behind.
///
/// # Safety
/// 1. `text` is null, or was written by the driver's `cuGetErrorName` or `cuGetErrorString`.
unsafe fn static_text(result: Result<c_int, Origin>, text: *const c_char) -> Option<&'static CStr> {
    if result != Ok(SUCCESS) || text.is_null() {
        return None;
    }
    // SAFETY: by condition 1 `text` points to a NUL-terminated constant of the driver's library,
    // which is never unloaded.
    Some(unsafe { CStr::from_ptr(text) })
}

/// This crate's name for a code.
pub(crate) fn own_name(code: c_int) -> Option<&'static CStr> {
    codes::name(code)
}

/// This crate's sentence on a code; where there is no driver, the reason for that.
pub(crate) fn own_sentence(code: c_int) -> Option<&'static CStr> {
    static REASON: OnceLock<CString> = OnceLock::new();
    let no_driver = matches!(status(), crate::Status::Missing { .. });
    if no_driver && matches!(code, STUB_LIBRARY | UNKNOWN) {
        let reason =
            || CString::new(status().to_string()).unwrap_or_else(|_| c"no CUDA driver".into());
        return Some(REASON.get_or_init(reason));
    }
    codes::sentence(code)
}

/// The result of a call as the C caller of a forwarded function sees it.
///
/// `CUresult` is a Rust enumeration of CUDA 11.4's codes: a code that a newer driver added becomes
/// `CUDA_ERROR_UNKNOWN`, since no such value may exist.
pub(crate) fn to_result(result: Result<c_int, Origin>) -> CUresult {
    match result {
        Ok(SUCCESS) => CUresult::CUDA_SUCCESS,
        Ok(code) => codes::listed(code).unwrap_or(CUresult::CUDA_ERROR_UNKNOWN),
        Err(Origin::NoFunction) => CUresult::CUDA_ERROR_NOT_FOUND,
        Err(Origin::NoDriver | Origin::Driver) => CUresult::CUDA_ERROR_STUB_LIBRARY,
    }
}

/// The result of a call to `function` as a Rust caller sees it.
pub(crate) fn check(
    function: &'static str,
    result: Result<c_int, Origin>,
) -> Result<(), DriverError> {
    let (code, origin) = match result {
        Ok(SUCCESS) => return Ok(()),
        Ok(code) => (code, Origin::Driver),
        Err(Origin::NoFunction) => (NOT_FOUND, Origin::NoFunction),
        Err(origin) => (STUB_LIBRARY, origin),
    };
    Err(DriverError {
        function,
        code,
        origin,
    })
}

#[cfg(test)]
mod tests;
