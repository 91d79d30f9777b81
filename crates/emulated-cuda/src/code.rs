//! The results of calls. The runtime's numbers are those of the driver, as far as both have them.

/// An error of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) i32);

macro_rules! codes {
    ($($number:literal $name:ident $runtime:literal $driver:literal $says:literal)*) => {
        impl Code {
            $(
                #[allow(dead_code, reason = "some are only named")]
                pub(crate) const $name: Self = Self($number);
            )*

            /// Name in the runtime, name in the driver, and what it says, each with a zero behind.
            fn row(self) -> Option<[&'static str; 3]> {
                Some(match self.0 {
                    $($number => [concat!($runtime, "\0"), concat!($driver, "\0"), concat!($says, "\0")],)*
                    _ => return None,
                })
            }
        }
    };
}

codes! {
    0 SUCCESS "cudaSuccess" "CUDA_SUCCESS" "no error"
    1 INVALID_VALUE "cudaErrorInvalidValue" "CUDA_ERROR_INVALID_VALUE" "invalid argument"
    2 OUT_OF_MEMORY "cudaErrorMemoryAllocation" "CUDA_ERROR_OUT_OF_MEMORY" "out of memory"
    3 NOT_INITIALIZED "cudaErrorInitializationError" "CUDA_ERROR_NOT_INITIALIZED" "initialization error"
    9 INVALID_CONFIGURATION "cudaErrorInvalidConfiguration" "CUDA_ERROR_INVALID_VALUE" "invalid configuration argument"
    12 INVALID_PITCH "cudaErrorInvalidPitchValue" "CUDA_ERROR_INVALID_VALUE" "invalid pitch argument"
    13 INVALID_SYMBOL "cudaErrorInvalidSymbol" "CUDA_ERROR_NOT_FOUND" "invalid device symbol"
    20 INVALID_CHANNELS "cudaErrorInvalidChannelDescriptor" "CUDA_ERROR_INVALID_VALUE" "invalid channel descriptor"
    21 INVALID_DIRECTION "cudaErrorInvalidMemcpyDirection" "CUDA_ERROR_INVALID_VALUE" "invalid copy direction for memcpy"
    26 INVALID_FILTER "cudaErrorInvalidFilterSetting" "CUDA_ERROR_INVALID_VALUE" "linear filtering not supported for non-float type"
    27 INVALID_NORM "cudaErrorInvalidNormSetting" "CUDA_ERROR_INVALID_VALUE" "read as normalized float not supported for 32-bit non float type"
    98 INVALID_FUNCTION "cudaErrorInvalidDeviceFunction" "CUDA_ERROR_INVALID_HANDLE" "invalid device function"
    100 NO_DEVICE "cudaErrorNoDevice" "CUDA_ERROR_NO_DEVICE" "no CUDA-capable device is detected"
    101 INVALID_DEVICE "cudaErrorInvalidDevice" "CUDA_ERROR_INVALID_DEVICE" "invalid device ordinal"
    200 INVALID_IMAGE "cudaErrorInvalidKernelImage" "CUDA_ERROR_INVALID_IMAGE" "device kernel image is invalid"
    201 INVALID_CONTEXT "cudaErrorDeviceUninitialized" "CUDA_ERROR_INVALID_CONTEXT" "invalid device context"
    209 NO_BINARY "cudaErrorNoKernelImageForDevice" "CUDA_ERROR_NO_BINARY_FOR_GPU" "no kernel image is available for execution on the device"
    217 PEER_UNSUPPORTED "cudaErrorPeerAccessUnsupported" "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" "peer access is not supported between these two devices"
    218 INVALID_PTX "cudaErrorInvalidPtx" "CUDA_ERROR_INVALID_PTX" "a PTX JIT compilation failed"
    400 INVALID_HANDLE "cudaErrorInvalidResourceHandle" "CUDA_ERROR_INVALID_HANDLE" "invalid resource handle"
    500 NOT_FOUND "cudaErrorSymbolNotFound" "CUDA_ERROR_NOT_FOUND" "named symbol not found"
    600 NOT_READY "cudaErrorNotReady" "CUDA_ERROR_NOT_READY" "device not ready"
    700 ILLEGAL_ADDRESS "cudaErrorIllegalAddress" "CUDA_ERROR_ILLEGAL_ADDRESS" "an illegal memory access was encountered"
    701 OUT_OF_RESOURCES "cudaErrorLaunchOutOfResources" "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "too many resources requested for launch"
    702 LAUNCH_TIMEOUT "cudaErrorLaunchTimeout" "CUDA_ERROR_LAUNCH_TIMEOUT" "the launch timed out and was terminated"
    710 ASSERT "cudaErrorAssert" "CUDA_ERROR_ASSERT" "device-side assert triggered"
    712 ALREADY_REGISTERED "cudaErrorHostMemoryAlreadyRegistered" "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" "part or all of the requested memory range is already mapped"
    713 NOT_REGISTERED "cudaErrorHostMemoryNotRegistered" "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" "pointer does not correspond to a registered memory region"
    715 ILLEGAL_INSTRUCTION "cudaErrorIllegalInstruction" "CUDA_ERROR_ILLEGAL_INSTRUCTION" "an illegal instruction was encountered"
    716 MISALIGNED_ADDRESS "cudaErrorMisalignedAddress" "CUDA_ERROR_MISALIGNED_ADDRESS" "misaligned address"
    719 LAUNCH_FAILED "cudaErrorLaunchFailure" "CUDA_ERROR_LAUNCH_FAILED" "unspecified launch failure"
    720 TOO_LARGE "cudaErrorCooperativeLaunchTooLarge" "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" "too many blocks in cooperative launch"
    801 NOT_SUPPORTED "cudaErrorNotSupported" "CUDA_ERROR_NOT_SUPPORTED" "operation not supported"
    912 INVALID_CLUSTER "cudaErrorInvalidClusterSize" "CUDA_ERROR_INVALID_CLUSTER_SIZE" "cluster misconfiguration"
    999 UNKNOWN "cudaErrorUnknown" "CUDA_ERROR_UNKNOWN" "unknown error"
}

const UNRECOGNIZED: &str = "unrecognized error code\0";

impl Code {
    /// Name in the runtime, with a zero behind.
    pub(crate) fn runtime_name(self) -> &'static str {
        self.row().map_or(UNRECOGNIZED, |row| row[0])
    }

    /// Name in the driver, with a zero behind.
    pub(crate) fn driver_name(self) -> Option<&'static str> {
        self.row().map(|row| row[1])
    }

    /// The description of it, with a zero behind.
    pub(crate) fn says(self) -> &'static str {
        self.row().map_or(UNRECOGNIZED, |row| row[2])
    }

    /// The error of a kernel that a trap has ended, by the driver's name.
    pub(crate) fn of_trap(name: &str) -> Self {
        let traps = [
            Self::ILLEGAL_ADDRESS,
            Self::LAUNCH_TIMEOUT,
            Self::ASSERT,
            Self::ILLEGAL_INSTRUCTION,
            Self::MISALIGNED_ADDRESS,
        ];
        let is_named = |code: &Self| {
            let row = code.row();
            row.is_some_and(|row| row[1].trim_end_matches('\0') == name)
        };
        traps
            .into_iter()
            .find(is_named)
            .unwrap_or(Self::LAUNCH_FAILED)
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn traps_are_told_apart() {
        assert_eq!(Code::of_trap("CUDA_ERROR_ASSERT"), Code::ASSERT);
        assert_eq!(Code::of_trap("CUDA_ERROR_LAUNCH_FAILED").0, 719);
        assert_eq!(Code(719).runtime_name(), "cudaErrorLaunchFailure\0");
        assert_eq!(Code(31).driver_name(), None);
    }
}
