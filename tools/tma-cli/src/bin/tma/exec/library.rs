//! The library that stands for CUDA, and the folder where a program finds it by CUDA's names.

use std::{
    env,
    ffi::OsString,
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};

use super::stub;

/// A library that is built with the command.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    /// The name of its file.
    pub(crate) file: &'static str,
    /// The variable that names the file where it is somewhere else.
    pub(crate) variable: &'static str,
}

const EMULATED: Library = Library {
    file: "libemulated_cuda.so",
    variable: "TMA_EMULATED_CUDA",
};
const SEARCH_PATH: &str = "LD_LIBRARY_PATH";

/// Names of the runtime, which are also those of the version that programs ask for.
const RUNTIMES: [&str; 2] = ["libcudart.so.12", "libcudart.so.13"];
/// Names of the driver, which has no versions.
pub(crate) const DRIVERS: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Where cargo has built both, if it says so: `cargo install` copies the command alone.
const BUILT_IN: Option<&str> = option_env!("TMA_BUILT_IN");

impl Library {
    /// Finds the library: beside the command or where cargo built both, there or in `deps`.
    pub(crate) fn find(self) -> Result<PathBuf> {
        let Self { file, variable } = self;
        if let Some(path) = env::var_os(variable).map(PathBuf::from) {
            if path.is_file() {
                return fs::canonicalize(&path).context(variable);
            }
            bail!("there is no file {}: {variable} names it", path.display());
        }
        let command = env::current_exe()?;
        let beside = command.parent().map(Path::to_owned);
        let folders = beside.into_iter().chain(BUILT_IN.map(PathBuf::from));
        let paths = folders.flat_map(|folder| [folder.join("deps").join(file), folder.join(file)]);
        let mut paths = paths.filter(|path| path.is_file());
        paths.next().ok_or_else(|| {
            anyhow!(
                "{file} is not where it was built; `cargo install --path tools/tma-cli` builds it again, and \
                 {variable} names it where it lies elsewhere"
            )
        })
    }
}

/// Finds the library that stands for CUDA.
pub(super) fn find() -> Result<PathBuf> {
    EMULATED.find()
}

/// Puts it into a folder under all its names.
pub(super) fn install(library: &Path, folder: &Path) -> io::Result<()> {
    let file = EMULATED.file;
    symlink(library, folder.join(file))?;
    for name in DRIVERS {
        symlink(library, folder.join(name))?;
    }
    for name in RUNTIMES {
        fs::write(folder.join(name), stub::shared_object(name, &[file]))?;
    }
    Ok(())
}

/// The folder before all others in which programs look for libraries.
pub(crate) fn search_path(folder: &Path) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(others) = env::var_os(SEARCH_PATH).filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}
