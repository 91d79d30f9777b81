use std::{env, fmt, str::FromStr};

use crate::Error;

/// The compiler of PTX: of the LLVM IR that rustc has optimised, or of rustc's MIR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CodeGenerator {
    /// LLVM's own, which is part of rustc.
    #[default]
    Llvm,
    /// NVIDIA's library [`LibNvvm`](crate::LibNvvm), loaded at its first use.
    LibNvvm,
    /// The backend [`RustCuda`](crate::RustCuda) of rust-cuda, which makes LLVM IR of its own and PTX by libNVVM.
    RustCuda,
}

impl CodeGenerator {
    /// The environment variable that names one: `llvm`, `libnvvm` or `rust-cuda`.
    pub const VARIABLE: &str = "TMA_CODEGEN";

    /// Returns the one that `TMA_CODEGEN` names, or else LLVM's own.
    ///
    /// # Errors
    /// [`Error::UnknownCodeGenerator`]
    pub fn of_environment() -> Result<Self, Error> {
        match env::var(Self::VARIABLE) {
            Ok(name) => name.parse(),
            Err(_) => Ok(Self::default()),
        }
    }
}

impl fmt::Display for CodeGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Llvm => "llvm",
            Self::LibNvvm => "libnvvm",
            Self::RustCuda => "rust-cuda",
        })
    }
}

impl FromStr for CodeGenerator {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "llvm" => Ok(Self::Llvm),
            "libnvvm" => Ok(Self::LibNvvm),
            "rust-cuda" => Ok(Self::RustCuda),
            other => Err(Error::UnknownCodeGenerator {
                name: other.to_owned(),
            }),
        }
    }
}
