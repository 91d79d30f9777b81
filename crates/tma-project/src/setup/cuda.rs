//! NVIDIA's tools from the Python package index, without the CUDA toolkit or root.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, id as process_id},
};

use anyhow::{Context, Result, anyhow, ensure};
use tma_build::{DeviceCompiler, LibNvvm, Ptxas, cuda_cache, nvvm_cache, tool_dirs};

use crate::{output::Mark, process};

const TOOLS: [&str; 4] = ["ptxas", "nvcc", "nvdisasm", "cuobjdump"];

/// Every package is pinned, since pip would otherwise take the latest companions, which do not fit.
///
/// The last two have no version 13.0, but read the output of 13.0.
const PACKAGES: [&str; 8] = [
    "nvidia-cuda-nvcc==13.0.*",
    "nvidia-cuda-crt==13.0.*",
    "nvidia-nvvm==13.0.*",
    "nvidia-cuda-runtime==13.0.*",
    "nvidia-cuda-cccl==13.0.*",
    "nvidia-nvtx==13.0.*",
    "nvidia-cuda-cuobjdump",
    "nvidia-cuda-nvdisasm",
];

/// Version 13.5, since libNVVM 13.0 cannot read the IR of rustc's LLVM.
const LIBNVVM: &str = "nvidia-nvvm==13.5.*";

/// Returns libNVVM, the alternative code generator, if a version that reads the device compiler's IR is installed.
pub fn libnvvm() -> Option<PathBuf> {
    let library = LibNvvm::find_for(&DeviceCompiler::find().ok()?).ok()?;
    Some(library.path().to_owned())
}

/// Returns the path of a tool if it is in a place that `tma-build` searches.
pub fn tool(name: &str) -> Option<PathBuf> {
    if name == "ptxas" {
        let ptxas = Ptxas::find().map(|ptxas| ptxas.path().to_owned());
        return ptxas.filter(|path| path.is_file());
    }
    tool_dirs()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The command that helps if the user selected an unusable ptxas.
pub(crate) const UNSET_PTXAS: &str = "unset TMA_PTXAS";

/// Returns whether the user selected a ptxas.
pub(crate) fn names_ptxas() -> bool {
    env::var_os(Ptxas::VARIABLE).is_some()
}

/// Returns an error if the user selected a ptxas that does not exist, since installing another does not help.
pub(crate) fn misnamed_ptxas() -> Option<String> {
    let path = PathBuf::from(env::var_os(Ptxas::VARIABLE)?);
    (tool("ptxas").as_ref() != Some(&path)).then(|| {
        format!(
            "{}, named by {}, is not a file",
            path.display(),
            Ptxas::VARIABLE
        )
    })
}

/// Returns the missing tools.
pub(crate) fn missing() -> Vec<&'static str> {
    let tools = missing_tools();
    let library = libnvvm().is_none().then_some("libnvvm");
    tools.into_iter().chain(library).collect()
}

fn missing_tools() -> Vec<&'static str> {
    TOOLS
        .into_iter()
        .filter(|name| tool(name).is_none())
        .collect()
}

/// Prints the path of each tool, and the command with which a shell finds nvcc by its name.
pub(crate) fn tell() {
    for path in TOOLS.into_iter().filter_map(tool).chain(libnvvm()) {
        say!("{} {}", Mark::Ok, path.display());
    }
    if let Some(folder) = tool("nvcc").as_deref().and_then(Path::parent)
        && !env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .any(|on_path| on_path == folder)
    {
        say!(
            "To use nvcc by its name:\n    export PATH={}:$PATH",
            folder.display()
        );
    }
}

/// Gives the libraries of the Python packages the names that nvcc passes to the linker.
#[cfg(unix)]
pub(crate) fn make_linkable(cache: &Path) -> Result<()> {
    let toolkit = cache.join("nvidia").join("cu13");
    let links = [("lib64", "lib"), ("lib/libcudart.so", "libcudart.so.13")];
    for (name, target) in links {
        let link = toolkit.join(name);
        if toolkit.join("lib").is_dir() && fs::symlink_metadata(&link).is_err() {
            std::os::unix::fs::symlink(target, &link)
                .with_context(|| format!("cannot create {}", link.display()))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn make_linkable(_: &Path) -> Result<()> {
    Ok(())
}

/// Installs missing tools into folders of the user's cache, which appear once they are complete.
pub(crate) fn install() -> Result<()> {
    if !missing_tools().is_empty() {
        say!(
            "Installing NVIDIA's {} from the Python package index into {} (about 280 MB).",
            TOOLS.join(", "),
            cuda_cache().display()
        );
        install_as(&cuda_cache(), &PACKAGES, |folder| {
            let ptxas = folder.join("nvidia/cu13/bin/ptxas");
            process::output(Command::new(&ptxas).arg("--version"))
                .context("the installed ptxas does not run on this machine")
                .map(drop)
        })?;
    }
    if libnvvm().is_none() {
        say!(
            "Installing NVIDIA's libNVVM from the Python package index into {} (about 170 MB).",
            nvvm_cache().display()
        );
        install_as(&nvvm_cache(), &[LIBNVVM], |_| Ok(()))?;
    }
    Ok(())
}

fn install_as(
    cache: &Path,
    packages: &[&str],
    check: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    ensure!(
        cache.is_absolute(),
        "CUDA's tools need a home folder to be installed into; set HOME or XDG_CACHE_HOME"
    );
    let beside = cache.parent().unwrap_or(cache);
    let python = python()?;
    let incomplete = beside.join(format!("incomplete-{}", process_id()));
    fs::create_dir_all(&incomplete)
        .with_context(|| format!("cannot write to {}", beside.display()))?;
    let installed = install_into(&incomplete, packages, python)
        .and_then(|()| check(&incomplete))
        .and_then(|()| put_in_place(&incomplete, cache));
    if installed.is_err() {
        let _ = fs::remove_dir_all(&incomplete);
    }
    installed
}

fn install_into(folder: &Path, packages: &[&str], python: &str) -> Result<()> {
    // A second call with `--upgrade` would remove the packages of the first.
    process::run(
        Command::new(python)
            .args([
                "-m",
                "pip",
                "install",
                "--no-deps",
                "--disable-pip-version-check",
            ])
            .args(["--root-user-action", "ignore", "--no-input", "--target"])
            .arg(folder)
            .args(packages),
    )
    .map_err(|error| anyhow!("{error}; is there a network?"))
}

fn put_in_place(complete: &Path, cache: &Path) -> Result<()> {
    if cache.exists() {
        fs::remove_dir_all(cache).with_context(|| format!("cannot replace {}", cache.display()))?;
    }
    fs::rename(complete, cache).with_context(|| format!("cannot create {}", cache.display()))
}

fn python() -> Result<&'static str> {
    let has_pip =
        |python: &&str| process::first_line(python, &["-m", "pip", "--version"]).is_some();
    ["python3", "python"].into_iter().find(has_pip).context(
        "python3 with pip is needed to install CUDA's tools (Debian: apt-get install python3-pip); \
         or install the CUDA toolkit and set CUDA_PATH",
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn libraries_get_the_names_that_nvcc_links_once() {
        let cache = tempfile::tempdir().unwrap();
        // Without a toolkit there is no folder for the links.
        make_linkable(cache.path()).unwrap();
        let toolkit = cache.path().join("nvidia/cu13");
        fs::create_dir_all(toolkit.join("lib")).unwrap();
        fs::write(toolkit.join("lib/libcudart.so.13"), "runtime").unwrap();
        for _ in 0..2 {
            make_linkable(cache.path()).unwrap();
            let linked = fs::read_to_string(toolkit.join("lib64/libcudart.so")).unwrap();
            assert_eq!(linked, "runtime");
        }
    }
}
