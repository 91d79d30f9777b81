//! Errors of the driver.

mod codes;

use std::{
    ffi::{CStr, CString, c_char, c_int},
    fmt::{self, Display, Formatter},
    ptr,
    sync::OnceLock,
};

#[cfg(feature = "cust")]
use cust_raw::CUresult;

use crate::{forward::driver_call, library::status};

/// Success.
const SUCCESS: c_int = 0;
/// The code for a missing driver.
const STUB_LIBRARY: c_int = 34;
/// The code for a missing function.
const NOT_FOUND: c_int = 500;
/// The code that `cust` uses for all codes unknown to it, including `CUDA_ERROR_STUB_LIBRARY`.
const UNKNOWN: c_int = 999;

/// A driver call that failed, with its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverError {
    /// The C name of the driver function.
    pub function: &'static str,
    /// The `CUresult`. A newer driver may return codes that [`name`] does not list.
    pub code: i32,
    /// The library that returned the code.
    pub origin: Origin,
}

/// The origin of an error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The driver returned the code.
    Driver,
    /// No driver is loaded: `CUDA_ERROR_STUB_LIBRARY` (34). [`status`] has the reason.
    NoDriver,
    /// The loaded driver lacks the function: `CUDA_ERROR_NOT_FOUND` (500).
    NoFunction,
}

impl DriverError {
    /// Returns the name of the code, such as `CUDA_ERROR_INVALID_VALUE`. See [`name`].
    #[doc(alias = "cuGetErrorName")]
    pub fn name(&self) -> &'static str {
        name(self.code)
    }

    /// Returns a sentence on the code: the driver's own if the driver returned the code.
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

/// Returns the name of a `CUresult`: the driver's, else this crate's, else `an unlisted CUresult`.
#[doc(alias = "cuGetErrorName")]
pub fn name(code: i32) -> &'static str {
    text(driver_name(code).or_else(|| codes::name(code)))
}

/// Returns a sentence on a `CUresult`: the driver's, else this crate's, else `an unlisted CUresult`.
///
/// Without a driver, codes 34 and 999 (which `cust` substitutes for 34) have the sentence of [`status`].
#[doc(alias = "cuGetErrorString")]
pub fn sentence(code: i32) -> &'static str {
    text(driver_sentence(code).or_else(|| own_sentence(code)))
}

fn text(found: Option<&'static CStr>) -> &'static str {
    found
        .and_then(|text| text.to_str().ok())
        .unwrap_or("an unlisted CUresult")
}

/// Returns `cuGetErrorName`'s result, if there is a driver that knows the code.
pub(crate) fn driver_name(code: c_int) -> Option<&'static CStr> {
    let mut text: *const c_char = ptr::null();
    let out = &raw mut text;
    // SAFETY: the driver's `cuGetErrorName(CUresult, const char **)`, an enumeration being an `int`
    // there. `out` is valid for one write.
    let result = unsafe { driver_call!(cuGetErrorName(code: c_int, out: *mut *const c_char)) };
    // SAFETY: `text` is null or was written by this call.
    unsafe { static_text(result, text) }
}

/// Returns `cuGetErrorString`'s result, if there is a driver that knows the code.
pub(crate) fn driver_sentence(code: c_int) -> Option<&'static CStr> {
    let mut text: *const c_char = ptr::null();
    let out = &raw mut text;
    // SAFETY: the driver's `cuGetErrorString(CUresult, const char **)`, an enumeration being an `int`
    // there. `out` is valid for one write.
    let result = unsafe { driver_call!(cuGetErrorString(code: c_int, out: *mut *const c_char)) };
    // SAFETY: `text` is null or was written by this call.
    unsafe { static_text(result, text) }
}

/// Returns the text written by a successful call.
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

/// Returns this crate's name for a code.
#[cfg(any(feature = "cust", test))]
pub(crate) fn own_name(code: c_int) -> Option<&'static CStr> {
    codes::name(code)
}

/// Returns this crate's sentence on a code; without a driver, the reason for that.
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

/// Converts the result of a call for the C caller of a forwarded function.
///
/// `CUresult` is a Rust enumeration of CUDA 11.4's codes: a code that a newer driver added becomes
/// `CUDA_ERROR_UNKNOWN`, since no such value may exist.
#[cfg(feature = "cust")]
pub(crate) fn to_result(result: Result<c_int, Origin>) -> CUresult {
    match result {
        Ok(SUCCESS) => CUresult::CUDA_SUCCESS,
        Ok(code) => codes::listed(code).unwrap_or(CUresult::CUDA_ERROR_UNKNOWN),
        Err(Origin::NoFunction) => CUresult::CUDA_ERROR_NOT_FOUND,
        Err(Origin::NoDriver | Origin::Driver) => CUresult::CUDA_ERROR_STUB_LIBRARY,
    }
}

/// Converts the result of a call to `function` for a Rust caller.
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
