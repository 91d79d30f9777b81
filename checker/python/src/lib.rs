//! The native half of the Python package `tma_emulator`: a launch on bytes, and its findings. The other half, in
//! `python/`, makes bytes of NumPy arrays and Triton's kernels.

mod findings;
mod interrupt;
mod job;
mod map;
mod sarif;

use pyo3::{PyErr, create_exception, exceptions::PyValueError, pymodule};
use tma_launch::Failure;

create_exception!(
    tma_emulator,
    LaunchError,
    PyValueError,
    "An invalid launch: no kernel ran, and no array has changed.\n\n\
     The text lists every error in the PTX, the shape and the arguments, with the nearest fix."
);
create_exception!(
    tma_emulator,
    UnsupportedError,
    LaunchError,
    "The kernel needs instructions that the emulator does not support; the text lists all of them."
);

/// A failure as an exception.
fn exception(failure: &Failure) -> PyErr {
    match failure.error_name.as_deref() {
        Some("UNSUPPORTED") => UnsupportedError::new_err(failure.to_string()),
        _ => LaunchError::new_err(failure.to_string()),
    }
}

/// The native half of `tma_emulator`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        LaunchError, UnsupportedError,
        findings::{Finding, Proof, Run, Site},
        job::Job,
        map::Map,
        sarif::{sarif, to_json},
    };
}
