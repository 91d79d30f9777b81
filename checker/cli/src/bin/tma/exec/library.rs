//! The replacement CUDA library, and the folder where a program finds it under CUDA's names.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write as _},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};

use super::stub;

/// A library that is built together with the command.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    /// The file name of the library.
    pub(crate) file: &'static str,
    /// The environment variable that overrides the library's path.
    pub(crate) variable: &'static str,
    /// The contents of the library, in a release build.
    pub(crate) contents: Option<&'static [u8]>,
}

/// The contents of a library, unless this is a debug build, which finds it in cargo's output folder.
macro_rules! contents {
    ($name:literal) => {{
        #[cfg(debug_assertions)]
        let contents = None;
        #[cfg(not(debug_assertions))]
        let contents: Option<&'static [u8]> = Some(embedded_library::embedded_library!($name));
        contents
    }};
}
pub(crate) use contents;

const EMULATED: Library = Library {
    file: "libemulated_cuda.so",
    variable: "TMA_EMULATED_CUDA",
    contents: contents!("emulated_cuda"),
};
const SEARCH_PATH: &str = "LD_LIBRARY_PATH";

/// File names of the runtime library, which are also the symbol versions that programs request.
const RUNTIMES: [&str; 2] = ["libcudart.so.12", "libcudart.so.13"];
/// File names of the driver library, which has no symbol versions.
pub(crate) const DRIVERS: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Cargo's output folder if the build sets it; `cargo install` copies only the command.
const BUILT_IN: Option<&str> = option_env!("TMA_BUILT_IN");

impl Library {
    /// Finds the library: the one that the command contains, or one next to the command or in cargo's output folder,
    /// there or in `deps`.
    pub(crate) fn find(self) -> Result<PathBuf> {
        let Self {
            file,
            variable,
            contents,
        } = self;
        if let Some(path) = env::var_os(variable).map(PathBuf::from) {
            if path.is_file() {
                return fs::canonicalize(&path).context(variable);
            }
            bail!(
                "{}, named by {variable}, is not a file; set or unset {variable}",
                path.display()
            );
        }
        if let Some(contents) = contents {
            return unpacked(file, contents);
        }
        let command = env::current_exe()?;
        let beside = command.parent().map(Path::to_owned);
        let folders = beside.into_iter().chain(BUILT_IN.map(PathBuf::from));
        let paths = folders.flat_map(|folder| [folder.join("deps").join(file), folder.join(file)]);
        let mut paths = paths.filter(|path| path.is_file());
        paths.next().ok_or_else(|| {
            anyhow!(
                "{file} is missing; rebuild it with `cargo install --path checker/cli`, or set {variable} to its \
                 path"
            )
        })
    }
}

/// Returns the path of a file of the user's cache with these contents; writes it unless it is there.
fn unpacked(file: &str, contents: &[u8]) -> Result<PathBuf> {
    let folder = tma_build::user_cache().join(concat!("tma-", env!("CARGO_PKG_VERSION")));
    let path = folder.join(file);
    let cannot_write = || format!("cannot write {}", path.display());
    if fs::read(&path).is_ok_and(|found| found == contents) {
        return Ok(path);
    }
    fs::create_dir_all(&folder).with_context(cannot_write)?;
    // Another process may be loading the file.
    let mut new = tempfile::NamedTempFile::new_in(&folder).with_context(cannot_write)?;
    new.write_all(contents).with_context(cannot_write)?;
    new.persist(&path).with_context(cannot_write)?;
    Ok(path)
}

/// Finds the replacement CUDA library.
pub(super) fn find() -> Result<PathBuf> {
    EMULATED.find()
}

/// Installs the library into a folder under all of CUDA's names.
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

/// Returns a library search path that starts with the folder.
pub(crate) fn search_path(folder: &Path) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(others) = env::var_os(SEARCH_PATH).filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}
