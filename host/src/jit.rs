//! Explains why the driver did not compile a PTX text.

use cuda_driver::Version;
use tma_launch::{Failure, Stage};

use crate::{Capability, Source};

/// The driver's error codes for unusable PTX.
const NO_BINARY_FOR_GPU: i32 = 209;
const INVALID_PTX: i32 = 218;
const UNSUPPORTED_PTX_VERSION: i32 = 222;

/// The details of a PTX text that the driver refused.
pub(crate) struct Refusal<'a> {
    pub(crate) source: &'a Source,
    /// The driver's error code.
    pub(crate) code: i32,
    /// The log of the driver's compiler.
    pub(crate) log: &'a str,
    /// The version of CUDA that the driver supports, if known.
    pub(crate) driver: Option<Version>,
    pub(crate) capability: Capability,
}

impl Refusal<'_> {
    /// Returns the failure with a hint, followed by the compiler log.
    pub(crate) fn failure(&self) -> Failure {
        let what = format!("the driver refuses {}", self.source.name());
        let mut failure = crate::driver::failure(Stage::Load, what, self.code);
        let hint = self.hint().or(failure.hint.take()).unwrap_or_default();
        failure.hint(format!("{hint}\n{}", self.log).trim())
    }

    fn hint(&self) -> Option<String> {
        let wrong_target = self.wrong_target();
        match self.code {
            UNSUPPORTED_PTX_VERSION => Some(self.newer_ptx()),
            NO_BINARY_FOR_GPU | INVALID_PTX if wrong_target => {
                let (target, arch) = (self.source.target(), self.capability.arch());
                Some(format!(
                    "it is for {target}, but this GPU is {arch}; build it for {arch}"
                ))
            }
            _ => None,
        }
    }

    fn wrong_target(&self) -> bool {
        self.capability.runs(self.source.target()) == Some(false)
    }

    fn newer_ptx(&self) -> String {
        let version = self.source.module().version;
        let ptx = format!("it is PTX {}.{}", version.major, version.minor);
        let needed = cuda_of_ptx(version);
        let needs = needed.map_or(String::new(), |cuda| format!(", which needs CUDA {cuda}"));
        let has = match self.driver {
            Some(driver) => format!("the driver supports CUDA {driver}"),
            None => "the driver is older".to_owned(),
        };
        format!("{ptx}{needs}, but {has}; update the driver, or build for an older PTX version")
    }
}

/// Returns the CUDA version that introduced this PTX version, from 7.0 on (PTX ISA, "Release Notes").
fn cuda_of_ptx(ptx: ptx::Version) -> Option<Version> {
    let version = |major, minor| Some(Version { major, minor });
    match (ptx.major, ptx.minor) {
        (7, minor @ 0..=8) => version(11, minor),
        (8, minor @ 0..=5) => version(12, minor),
        (8, minor @ 6..=8) => version(12, minor + 1),
        (9, minor) => version(13, minor),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOPPER: Capability = Capability { major: 9, minor: 0 };
    const BLACKWELL: Capability = Capability {
        major: 10,
        minor: 0,
    };

    fn text(version: &str, code: i32, log: &str, capability: Capability) -> String {
        let text = format!(".version {version}\n.target sm_90a\n.address_size 64\n");
        let source = Source::parse("kernels.ptx", &text).unwrap();
        let driver = Some(Version {
            major: 12,
            minor: 4,
        });
        Refusal {
            source: &source,
            code,
            log,
            driver,
            capability,
        }
        .failure()
        .to_string()
    }

    #[test]
    fn a_newer_ptx_names_the_driver_that_it_needs() {
        assert_eq!(
            text("8.7", UNSUPPORTED_PTX_VERSION, "", HOPPER),
            "load: the driver refuses kernels.ptx (CUDA_ERROR_UNSUPPORTED_PTX_VERSION): it is PTX \
             8.7, which needs CUDA 12.8, but the driver supports CUDA 12.4; update the driver, or \
             build for an older PTX version"
        );
    }

    #[test]
    fn another_target_names_the_right_one() {
        for (code, name) in [(209, "NO_BINARY_FOR_GPU"), (218, "INVALID_PTX")] {
            assert_eq!(
                text("8.6", code, "", BLACKWELL),
                format!(
                    "load: the driver refuses kernels.ptx (CUDA_ERROR_{name}): it is for sm_90a, \
                     but this GPU is sm_100a; build it for sm_100a"
                )
            );
        }
    }

    #[test]
    fn the_log_is_shown() {
        assert_eq!(
            text(
                "8.6",
                INVALID_PTX,
                "ptxas, line 7; error: Unknown symbol\n",
                HOPPER
            ),
            "load: the driver refuses kernels.ptx (CUDA_ERROR_INVALID_PTX): a PTX JIT compilation \
             failed\nptxas, line 7; error: Unknown symbol"
        );
    }

    #[test]
    fn ptx_versions_came_with_cuda_versions() {
        let cuda = |major, minor| {
            let found = cuda_of_ptx(ptx::Version { major, minor });
            found.map(|version| version.to_string()).unwrap_or_default()
        };
        assert_eq!(
            [cuda(7, 8), cuda(8, 0), cuda(8, 5)],
            ["11.8", "12.0", "12.5"]
        );
        assert_eq!(
            [cuda(8, 6), cuda(8, 8), cuda(9, 0)],
            ["12.7", "12.9", "13.0"]
        );
        assert_eq!(cuda(6, 5), "");
    }
}
