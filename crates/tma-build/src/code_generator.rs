use std::{env, fmt, str::FromStr};

use crate::Error;

/// The compiler of the LLVM IR that rustc has optimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CodeGenerator {
    /// LLVM's own, which is part of rustc.
    #[default]
    Llvm,
    /// NVIDIA's library [`LibNvvm`](crate::LibNvvm), loaded when it is asked for.
    LibNvvm,
}

impl CodeGenerator {
    /// The environment variable that names one, `llvm` or `libnvvm`.
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
        })
    }
}

impl FromStr for CodeGenerator {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "llvm" => Ok(Self::Llvm),
            "libnvvm" => Ok(Self::LibNvvm),
            other => Err(Error::UnknownCodeGenerator {
                name: other.to_owned(),
            }),
        }
    }
}
