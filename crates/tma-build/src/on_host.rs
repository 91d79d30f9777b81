//! The GPU crate as cargo compiles it for the host, where the calling package depends on it.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    compile::{Compilation, absolute, clean_environment},
    core_cache::PROFILE,
};

impl Compilation<'_> {
    /// Returns whether the crate does not compile for the host either.
    pub(crate) fn fails_on_host(&self) -> bool {
        let mut cargo = Command::new(&self.compiler.cargo);
        clean_environment(&mut cargo);
        cargo
            .env("RUSTC", &self.compiler.rustc)
            // The procedural macros that the device's build has made serve again.
            .env("CARGO_TARGET_DIR", self.target_dir)
            .envs(PROFILE)
            .args(["check", "--release", "--quiet", "--lib", "--manifest-path"])
            .arg(self.crate_dir.join("Cargo.toml"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        cargo.status().is_ok_and(|status| !status.success())
    }
}

/// Returns whether the package's `[dependencies]` have the crate, in a line with its path.
pub(crate) fn depends_on(package: &Path, crate_dir: &Path) -> bool {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
    let crate_dir = absolute(crate_dir);
    let is_the_crate = |line: &str| {
        let path = line.split("path").nth(1).and_then(|rest| {
            let value = rest.trim_start().strip_prefix('=')?.trim_start();
            value.strip_prefix(['"', '\''])?.split(['"', '\'']).next()
        });
        path.is_some_and(|path| absolute(&package.join(path)) == crate_dir)
            && !line.contains("optional")
    };
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .any(is_the_crate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_a_line_with_the_path_of_the_crate() {
        let folder = tempfile::tempdir().unwrap();
        let gpu = folder.path().join("gpu");
        fs::create_dir(&gpu).unwrap();
        let depends = |manifest: &str| {
            fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            depends_on(folder.path(), &gpu)
        };
        assert!(depends(
            "[dependencies]\na = \"1\"\ngpu = { package = \"x-gpu\", path = \"gpu\" }\n"
        ));
        assert!(depends("[dependencies]\ngpu.path = './gpu'\n"));
        for without in [
            "[dependencies]\ngpu = \"1\"\n",
            "[dependencies]\ngpu = { path = \"other\" }\n",
            "[dependencies]\ngpu = { path = \"gpu\", optional = true }\n",
            "[dependencies]\n[build-dependencies]\ngpu = { path = \"gpu\" }\n",
            "",
        ] {
            assert!(!depends(without), "{without}");
        }
    }
}
