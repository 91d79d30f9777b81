use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    paths::root,
    process::{cargo, output},
};

/// The PTX that the package of `kernels-host` contains. Its build script lists this folder in place of compiling, so it
/// exists only while crates are packaged.
pub(super) struct ShippedPtx(PathBuf);

impl ShippedPtx {
    /// Compiles the kernels, and writes their PTX into the folder of `kernels-host`.
    pub(super) fn write() -> Result<Self> {
        let shipped = Self(root().join("kernels-host").join("ptx"));
        shipped.remove();
        let mut build = cargo();
        build.args(["build", "--package=kernels-host", "--message-format=json"]);
        let compiled = out_dir(&output(&mut build)?)?.join("ptx");
        for feature in folder(&compiled)? {
            let to = shipped.0.join(feature.file_name().unwrap_or_default());
            fs::create_dir_all(&to).with_context(|| format!("cannot create {}", to.display()))?;
            for entry in folder(&feature)? {
                let to = to.join(entry.file_name().unwrap_or_default());
                fs::copy(&entry, &to).with_context(|| format!("cannot write {}", to.display()))?;
            }
        }
        Ok(shipped)
    }

    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for ShippedPtx {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Returns the output folder of the build script of `kernels-host` from the messages of cargo.
fn out_dir(messages: &str) -> Result<PathBuf> {
    let mut messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let found = messages.find_map(|message| {
        let is_of = message["reason"] == "build-script-executed"
            && message["package_id"].as_str()?.contains("kernels-host");
        is_of.then(|| message["out_dir"].as_str().map(PathBuf::from))?
    });
    found.context("cargo names no output folder of kernels-host's build script")
}

fn folder(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}
