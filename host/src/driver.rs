//! Driver errors as failures: with their names, and with what is usually behind them.

use cuda_driver::DriverError;
use cust::error::CudaError;
use tma_launch::{Failure, Stage};

/// A driver call, to be turned into a failure where it failed.
pub(crate) trait OrFail<T> {
    /// Adds the operation that the call was part of, and its subject.
    fn or_fail(self, stage: Stage, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T> OrFail<T> for Result<T, CudaError> {
    fn or_fail(self, stage: Stage, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| failure(stage, what(), error as i32))
    }
}

impl<T> OrFail<T> for Result<T, DriverError> {
    fn or_fail(self, stage: Stage, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| failure(stage, what(), error.code))
    }
}

/// The failure of a call that returned this code.
pub(crate) fn failure(stage: Stage, what: String, code: i32) -> Failure {
    let hint = hint(code).unwrap_or_else(|| cuda_driver::sentence(code));
    Failure::new(stage, what)
        .error_name(cuda_driver::name(code))
        .hint(hint)
}

/// The usual cause of an error, where the driver's own sentence does not say it.
fn hint(code: i32) -> Option<&'static str> {
    Some(match code {
        2 => {
            "the GPU has no room left: make the buffers smaller, or end other programs that use it"
        }
        700 => {
            "the kernel went outside of its memory: an index past a buffer or past the block's \
             shared memory, or a tensor map that is not a grid constant but a copy in local memory"
        }
        701 => {
            "the threads of a block need more registers than there are: launch fewer threads, or \
             give the kernel launch bounds"
        }
        702 => "the kernel ran for too long on a GPU that also drives a display",
        715 => {
            "a tensor copy whose box does not begin at a multiple of 16 bytes, or a tensor store \
             with a negative coordinate"
        }
        716 => {
            "a tensor copy whose shared memory is not aligned to 128 bytes, a bulk copy not aligned \
             to 16, or a tensor map whose parameter is not aligned to 64 in the PTX"
        }
        719 => {
            "an mbarrier that is not initialised or gets more arrivals than it expects, a copy into \
             a block that has left, or a `trap`"
        }
        912 => "no part of the GPU can hold a whole cluster of such blocks: make it smaller",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_a_name_and_a_hint() {
        let call: Result<(), _> = Err(CudaError::LaunchOutOfResources);
        let failure = call
            .or_fail(Stage::Launch, || "`tile`".to_owned())
            .unwrap_err();
        assert_eq!(
            failure.to_string(),
            "launch: `tile` (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES): the threads of a block need more \
             registers than there are: launch fewer threads, or give the kernel launch bounds"
        );
        let call: Result<(), _> = Err(CudaError::InvalidValue);
        let failure = call
            .or_fail(Stage::Launch, || "`tile`".to_owned())
            .unwrap_err();
        assert_eq!(
            failure.to_string(),
            "launch: `tile` (CUDA_ERROR_INVALID_VALUE): invalid argument"
        );
    }
}
