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

const FILE: &str = "libemulated_cuda.so";
/// Names the file where it is somewhere else.
const VARIABLE: &str = "TMA_EMULATED_CUDA";
const SEARCH_PATH: &str = "LD_LIBRARY_PATH";

/// Names of the runtime, which are also those of the version that programs ask for.
const RUNTIMES: [&str; 2] = ["libcudart.so.12", "libcudart.so.13"];
/// Names of the driver, which has no versions.
const DRIVERS: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Where cargo has built both, if it says so: `cargo install` copies the command alone.
const BUILT_IN: Option<&str> = option_env!("TMA_BUILT_IN");

/// Finds the library: beside the command or where cargo built both, there or in `deps`.
pub(super) fn find() -> Result<PathBuf> {
    if let Some(path) = env::var_os(VARIABLE).map(PathBuf::from) {
        if path.is_file() {
            return fs::canonicalize(&path).context(VARIABLE);
        }
        bail!("there is no file {}: {VARIABLE} names it", path.display());
    }
    let command = env::current_exe()?;
    let beside = command.parent().map(Path::to_owned);
    let folders = beside.into_iter().chain(BUILT_IN.map(PathBuf::from));
    let paths = folders.flat_map(|folder| [folder.join("deps").join(FILE), folder.join(FILE)]);
    let mut paths = paths.filter(|path| path.is_file());
    paths.next().ok_or_else(|| {
        anyhow!(
            "{FILE} is not where it was built; `cargo install --path tools/tma-cli` builds it again, and \
             {VARIABLE} names it where it lies elsewhere"
        )
    })
}

/// Puts it into a folder under all its names.
pub(super) fn install(library: &Path, folder: &Path) -> io::Result<()> {
    symlink(library, folder.join(FILE))?;
    for name in DRIVERS {
        symlink(library, folder.join(name))?;
    }
    for name in RUNTIMES {
        fs::write(folder.join(name), stub::shared_object(name, FILE))?;
    }
    Ok(())
}

/// The folder before all others in which programs look for libraries.
pub(super) fn search_path(folder: &Path) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(others) = env::var_os(SEARCH_PATH).filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}
