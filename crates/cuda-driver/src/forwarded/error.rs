//! Error handling: the only chapter that works without a driver.

#![allow(non_snake_case)]

use std::ffi::{CStr, c_char};

use cust_raw::CUresult;

use crate::error::{driver_name, driver_sentence, own_name, own_sentence};

pub(super) const NAMES: &[&str] = &["cuGetErrorName", "cuGetErrorString"];

/// `cuGetErrorName`: returns the driver's text, else this crate's.
///
/// # Safety
/// The numbered conditions of the [module](crate::forwarded#safety).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char) -> CUresult {
    let code = error as i32;
    // SAFETY: by condition 1 `pStr` is null or valid for a write.
    unsafe { answer(driver_name(code).or_else(|| own_name(code)), pStr) }
}

/// `cuGetErrorString`: returns the driver's text, else this crate's.
///
/// # Safety
/// The numbered conditions of the [module](crate::forwarded#safety).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char) -> CUresult {
    let code = error as i32;
    // SAFETY: by condition 1 `pStr` is null or valid for a write.
    unsafe { answer(driver_sentence(code).or_else(|| own_sentence(code)), pStr) }
}

/// Stores `text`, or null if there is none.
///
/// # Safety
/// 1. `out` is null or valid for a write.
unsafe fn answer(text: Option<&'static CStr>, out: *mut *const c_char) -> CUresult {
    if out.is_null() {
        return CUresult::CUDA_ERROR_INVALID_VALUE;
    }
    // SAFETY: not null, so valid for a write by condition 1.
    unsafe { out.write(text.map_or(std::ptr::null(), CStr::as_ptr)) };
    match text {
        Some(_) => CUresult::CUDA_SUCCESS,
        None => CUresult::CUDA_ERROR_INVALID_VALUE,
    }
}

const _: [unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult; 2] =
    [cust_raw::cuGetErrorName, cust_raw::cuGetErrorString];
