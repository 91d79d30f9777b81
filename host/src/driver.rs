//! Conversion of driver errors to failures with their names and usual causes.

use cuda_driver::DriverError;
use tma_launch::{Failure, Stage};

/// Converts the error of a driver call to a failure.
pub(crate) trait OrFail<T> {
    /// Adds the stage of the call and a description of it.
    fn or_fail(self, stage: Stage, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T> OrFail<T> for Result<T, DriverError> {
    fn or_fail(self, stage: Stage, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| failure(stage, what(), error.code))
    }
}

/// Returns the failure of a call that returned this code.
pub(crate) fn failure(stage: Stage, what: String, code: i32) -> Failure {
    let hint = hint(code).unwrap_or_else(|| cuda_driver::sentence(code));
    Failure::new(stage, what)
        .error_name(cuda_driver::name(code))
        .hint(hint)
}

/// Returns the usual cause of an error that the driver's own sentence does not mention.
fn hint(code: i32) -> Option<&'static str> {
    Some(match code {
        2 => "the GPU is out of memory: use smaller buffers, or end other programs that use it",
        700 => {
            "the kernel accessed memory out of bounds: an index past a buffer or the block's shared \
             memory, or a tensor map that is a copy in local memory instead of a grid constant"
        }
        701 => {
            "a block needs more registers than a multiprocessor has: launch fewer threads, or \
             declare launch bounds on the kernel"
        }
        702 => "the kernel ran for too long on a GPU that also drives a display",
        715 => {
            "a tensor copy whose box must begin at a multiple of 16 bytes but does not, or a tensor store \
             with a negative coordinate"
        }
        716 => {
            "a tensor copy whose shared memory is not aligned to 128 bytes, a bulk copy not aligned \
             to 16, or a tensor map whose parameter is not aligned to 64 in the PTX"
        }
        719 => {
            "an mbarrier that is not initialised or receives more arrivals than it expects, a copy \
             into a block that has exited, or a `trap`"
        }
        912 => {
            "no GPC has room for a whole cluster of these blocks: use a smaller cluster or smaller blocks"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_driver::Origin;

    #[test]
    fn failures_have_a_name_and_a_hint() {
        let call = |code| -> Result<(), DriverError> {
            Err(DriverError {
                function: "cuLaunchKernelEx",
                code,
                origin: Origin::Driver,
            })
        };
        let failure = call(701)
            .or_fail(Stage::Launch, || "`tile`".to_owned())
            .unwrap_err();
        assert_eq!(
            failure.to_string(),
            "launch: `tile` (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES): a block needs more registers \
             than a multiprocessor has: launch fewer threads, or declare launch bounds on the kernel"
        );
        let failure = call(1)
            .or_fail(Stage::Launch, || "`tile`".to_owned())
            .unwrap_err();
        assert_eq!(
            failure.to_string(),
            "launch: `tile` (CUDA_ERROR_INVALID_VALUE): invalid argument"
        );
    }
}
