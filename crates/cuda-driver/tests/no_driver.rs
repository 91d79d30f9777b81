//! A program that links `cust` starts, runs and gets errors where there is no driver.

mod support;

use std::{
    ffi::CStr,
    path::{Path, PathBuf},
    ptr,
};

use cuda_driver::{
    Attempt, Origin, Status,
    device::{self, DeviceAttribute},
    driver_version, forwarded, status,
};
use cust::{
    error::CudaError,
    prelude::*,
    sys::{self, CUresult},
};

const NO_SUCH_LIBRARY: &str = "/nowhere/libcuda.so.1";

fn missing() -> &'static Path {
    Path::new(NO_SUCH_LIBRARY)
}

#[test]
fn status_names_what_was_tried() {
    support::with_driver("status_names_what_was_tried", missing, || {
        let Status::Missing { tried } = status() else {
            panic!("{}", status());
        };
        let [Attempt { path, reason }] = tried.as_slice() else {
            panic!("tried more than the library that was named: {tried:?}");
        };
        assert_eq!(path, &PathBuf::from(NO_SUCH_LIBRARY));
        assert!(reason.contains(NO_SUCH_LIBRARY), "{reason}");
        assert_eq!(
            status().to_string(),
            "no CUDA driver (/nowhere/libcuda.so.1 was not found)"
        );
    });
}

#[test]
fn a_file_that_is_no_library_is_reported() {
    let file = || {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), "not a library").expect("writable");
        file.into_temp_path()
    };
    support::with_driver("a_file_that_is_no_library_is_reported", file, || {
        let Status::Missing { tried } = status() else {
            panic!("{}", status());
        };
        assert_eq!(tried.len(), 1);
        assert!(!tried[0].reason.is_empty());
    });
}

#[test]
fn every_call_is_a_stub() {
    support::with_driver("every_call_is_a_stub", missing, || {
        // SAFETY: without a driver the call has no effect.
        let ours = unsafe { forwarded::cuInit(0) };
        assert_eq!(ours, CUresult::CUDA_ERROR_STUB_LIBRARY);
        // SAFETY: without a driver the call has no effect.
        let theirs = unsafe { sys::cuInit(0) };
        assert_eq!(theirs, CUresult::CUDA_ERROR_STUB_LIBRARY);

        let error = driver_version().expect_err("there is no driver");
        assert_eq!(error.function, "cuDriverGetVersion");
        assert_eq!((error.code, error.origin), (34, Origin::NoDriver));
        assert_eq!(error.name(), "CUDA_ERROR_STUB_LIBRARY");
        assert!(error.sentence().contains(NO_SUCH_LIBRARY), "{error}");

        // SAFETY: without a driver the call has no effect.
        let error = unsafe { device::get_attribute(0, DeviceAttribute::CLUSTER_LAUNCH) };
        assert_eq!(error.map_err(|error| error.code), Err(34));
    });
}

#[test]
fn error_texts_need_no_driver() {
    support::with_driver("error_texts_need_no_driver", missing, || {
        let text = |code| {
            let mut text = ptr::null();
            // SAFETY: `text` is valid for a write.
            let result = unsafe { sys::cuGetErrorString(code, &mut text) };
            assert_eq!(result, CUresult::CUDA_SUCCESS);
            // SAFETY: the stub has written the address of a constant.
            let text = unsafe { CStr::from_ptr(text) };
            text.to_str().expect("UTF-8")
        };
        assert_eq!(text(CUresult::CUDA_ERROR_INVALID_VALUE), "invalid argument");
        assert!(text(CUresult::CUDA_ERROR_STUB_LIBRARY).contains(NO_SUCH_LIBRARY));
        assert_eq!(cuda_driver::name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_eq!(cuda_driver::name(-1), "an unlisted CUresult");

        // SAFETY: null is allowed and refused.
        let refused = unsafe { sys::cuGetErrorName(CUresult::CUDA_SUCCESS, ptr::null_mut()) };
        assert_eq!(refused, CUresult::CUDA_ERROR_INVALID_VALUE);
    });
}

/// `cust` has no name for 34 and calls it an unknown error; its text must still name the reason.
#[test]
fn cust_reports_the_missing_driver() {
    support::with_driver("cust_reports_the_missing_driver", missing, || {
        let errors = [
            cust::init(CudaFlags::empty()).expect_err("there is no driver"),
            cust::quick_init()
                .map(drop)
                .expect_err("there is no driver"),
            Device::num_devices()
                .map(drop)
                .expect_err("there is no driver"),
        ];
        for error in errors {
            assert_eq!(error, CudaError::UnknownError);
            assert!(error.to_string().contains(NO_SUCH_LIBRARY), "{error}");
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn no_driver_is_linked_at_startup() {
    support::with_driver("no_driver_is_linked_at_startup", missing, || {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux has it");
        assert!(
            maps.contains("libc.so"),
            "the list of libraries is not as expected:\n{maps}"
        );
        assert!(!maps.contains("libcuda.so"), "{maps}");
    });
}
