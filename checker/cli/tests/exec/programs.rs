//! The programs of `checker/cli/tests/exec/cuda`, and their expected output under `tma exec`.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::Failed;
use tempfile::TempDir;
use tma_build::tool_dirs;

/// The flags named in the docs.
pub(crate) const FLAGS: &str = "-cudart shared -gencode arch=compute_90a,code=compute_90a";

/// All programs in one executable; the first argument selects one.
pub(crate) struct Programs {
    pub(crate) folder: TempDir,
    pub(crate) toolkit: PathBuf,
}

pub(crate) fn nvcc() -> Option<PathBuf> {
    let nvcc = tool_dirs().map(|folder| folder.join("nvcc"));
    nvcc.into_iter().find(|path| path.is_file())
}

impl Programs {
    pub(crate) fn build() -> Result<Self, String> {
        let nvcc = nvcc();
        let toolkit = nvcc.as_deref().and_then(|path| path.parent()?.parent());
        let programs = Self {
            folder: tempfile::tempdir().map_err(|error| error.to_string())?,
            toolkit: toolkit.ok_or("there is no nvcc")?.to_owned(),
        };
        let mut sources = Vec::new();
        let entries = fs::read_dir(sources_folder()).map_err(|error| error.to_string())?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.extension().is_some_and(|extension| extension == "cu") {
                sources.push(path);
            }
        }
        sources.sort();
        let built = programs.compile(&sources, &format!("{FLAGS} -lcuda"), "programs");
        built
            .map(|_| programs)
            .map_err(|failed| failed.message().unwrap_or_default().to_owned())
    }

    /// Compiles and links these sources with a user's flags.
    pub(crate) fn compile(
        &self,
        sources: &[PathBuf],
        flags: &str,
        name: &str,
    ) -> Result<PathBuf, Failed> {
        let libraries = self.folder.path().join(format!("{name}-libraries"));
        fs::create_dir(&libraries)?;
        // The Python packages lack the driver.
        symlink(library()?, libraries.join("libcuda.so"))?;
        let program = self.folder.path().join(name);
        let output = Command::new(self.toolkit.join("bin/nvcc"))
            .args(["-std=c++17", "-lineinfo", "-t", "2", "-o"])
            .arg(&program)
            .arg("-L")
            .arg(&libraries)
            .args(sources)
            .env("NVCC_APPEND_FLAGS", flags)
            .output()?;
        match output.status.success() {
            true => Ok(program),
            false => Err(format!("nvcc: {}", text(&output.stderr)).into()),
        }
    }

    /// Runs `tma exec` with flags before the program and arguments after it.
    pub(crate) fn run(&self, flags: &[&str], arguments: &[&str]) -> Result<Output, Failed> {
        exec(flags, &self.folder.path().join("programs"), arguments)
    }
}

pub(crate) fn exec(flags: &[&str], program: &Path, arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    command.arg("exec").args(flags).arg(program).args(arguments);
    Ok(command.output()?)
}

fn sources_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/cuda")
}

/// Returns the replacement CUDA library, built by cargo together with the command.
pub(crate) fn library() -> Result<PathBuf, Failed> {
    let command = Path::new(env!("CARGO_BIN_EXE_tma"));
    let folder = command.parent().ok_or("the command has no parent folder")?;
    Ok(folder.join("deps/libemulated_cuda.so"))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Fails with the complete output unless it is as expected.
pub(crate) fn wanted(output: &Output, code: i32, out: &str, err: &[&str]) -> Result<(), Failed> {
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    let is_right = output.status.code() == Some(code)
        && said == out
        && err.iter().all(|part| told.contains(part));
    match is_right {
        true => Ok(()),
        false => Err(format!(
            "wanted {code}, {out:?}, {err:?}; there is {}\n{said}\n{told}",
            output.status
        )
        .into()),
    }
}

/// Returns the last line after `launches` launches were checked without findings.
pub(crate) fn clean(launches: &str) -> String {
    format!("tma exec: {launches} checked under seed 0: 0 errors, 0 warnings\n")
}
