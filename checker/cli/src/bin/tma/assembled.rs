//! Resources of a PTX file's kernels as reported by ptxas, without a driver.

use std::{collections::BTreeMap, path::Path};

use tma_build::{Arch, Error, Ptxas, Resources};

/// The result of ptxas, or the reason it did not run.
pub(crate) enum Assembled {
    Kernels(BTreeMap<String, Resources>),
    Not(String),
}

impl Assembled {
    /// # Errors
    /// ptxas rejects the PTX.
    pub(crate) fn new(file: &Path, target: &str) -> Result<Self, Error> {
        let Ok(arch) = target.parse::<Arch>() else {
            return Ok(Self::Not(format!("`{target}` is older than TMA")));
        };
        let nowhere = Path::new(if cfg!(windows) { "NUL" } else { "/dev/null" });
        match Ptxas::find_for(arch) {
            Ok(ptxas) => Ok(Self::Kernels(ptxas.assemble(file, arch, nowhere)?)),
            Err(error) => Ok(Self::Not(error.to_string())),
        }
    }

    pub(crate) fn of(&self, kernel: &str) -> Option<&Resources> {
        match self {
            Self::Kernels(kernels) => kernels.get(kernel),
            Self::Not(_) => None,
        }
    }
}
