//! The step `package` of CI: every crate that can be published is packaged and built from its package.

use std::{fs, process};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    paths::target_dir,
    process::{cargo, output, run},
};

/// Packages and builds the crates in dependency order, each against the packages of the others.
pub(crate) fn check() -> Result<()> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version=1"]))?;
    let names = published(&metadata)?;
    ensure!(
        !names.is_empty(),
        "no crate of the workspace can be published"
    );
    // Cargo caches unpacked packages by folder and version, so a folder of an earlier run would build with outdated
    // crates.
    let folder = target_dir().join(format!("packages-{}", process::id()));
    // Uncommitted files are packaged too; CI has none.
    let mut package = cargo();
    package.args(["package", "--quiet", "--allow-dirty", "--target-dir"]);
    package.arg(&folder);
    let done = run(package.args(names.iter().map(|name| format!("--package={name}"))));
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    done
}

fn published(metadata: &str) -> Result<Vec<String>> {
    let metadata: Value =
        serde_json::from_str(metadata).context("`cargo metadata` output is not valid JSON")?;
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let published = packages
        .iter()
        .filter(|package| package["publish"].is_null());
    let names = published.filter_map(|package| package["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_not_for_a_registry_are_left_out() {
        let metadata =
            r#"{"packages": [{"name": "a", "publish": null}, {"name": "b", "publish": []}]}"#;
        assert_eq!(published(metadata).unwrap(), ["a"]);
        assert!(published("{}").is_err());
    }
}
