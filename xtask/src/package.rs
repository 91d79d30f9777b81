//! The step `package` of CI: every crate that can be published is packaged and built from its package, and a project
//! outside the checkout builds and tests its kernel with the packages alone.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    new,
    process::{cargo, cargo_in, output, run},
};

/// A crate that can be published.
#[derive(Debug, PartialEq, Eq)]
struct Published {
    name: String,
    version: String,
    /// Its folder in the checkout.
    folder: PathBuf,
}

impl Published {
    fn package(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// Packages the crates, and builds each against the packages of the others, in a project as a user has it: in a folder
/// without the configuration of this workspace.
pub(crate) fn check() -> Result<()> {
    let folder = env::temp_dir().join(format!("rust-tma-package-{}", process::id()));
    let checked = check_in(&folder);
    let _ = fs::remove_dir_all(&folder);
    checked
}

fn check_in(folder: &Path) -> Result<()> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version=1"]))?;
    let crates = published(&metadata)?;
    ensure!(
        !crates.is_empty(),
        "no crate of the workspace can be published"
    );
    let project = folder.join("outside");
    new::write(&project, "outside")?;
    let packages = folder.join("packages");
    // Uncommitted files are packaged too; CI has none.
    let mut package = cargo();
    package.args([
        "package",
        "--quiet",
        "--allow-dirty",
        "--no-verify",
        "--target-dir",
    ]);
    package.arg(&packages);
    run(package.args(crates.iter().map(|it| format!("--package={}", it.name))))?;
    for it in &crates {
        let archive = packages.join("package").join(it.package() + ".crate");
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(archive);
        let members = project.join("packages");
        fs::create_dir_all(&members)
            .with_context(|| format!("cannot create {}", members.display()))?;
        run(tar.arg("-C").arg(members))?;
    }
    depend_on_packages(&project, &crates)?;
    let target = folder.join("target");
    let cargo = || {
        let mut cargo = cargo_in(&project);
        cargo.env("CARGO_TARGET_DIR", &target);
        cargo
    };
    for it in &crates {
        run(cargo().args(["check", "--quiet", "--package", &it.name]))?;
    }
    run(cargo().args(["test", "--quiet", "--package", "outside"]))
}

/// Replaces the project's dependencies on the checkout by versions, and the registry's crates by the packages.
fn depend_on_packages(project: &Path, crates: &[Published]) -> Result<()> {
    for manifest in ["Cargo.toml", "gpu/Cargo.toml"] {
        let path = project.join(manifest);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut text = with_versions(&text, crates);
        if manifest == "Cargo.toml" {
            text = text.replace("members = [\"gpu\"]", "members = [\"gpu\", \"packages/*\"]");
            text += "\n[patch.crates-io]\n";
            for it in crates {
                text += &format!("{} = {{ path = \"packages/{}\" }}\n", it.name, it.package());
            }
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn with_versions(manifest: &str, crates: &[Published]) -> String {
    crates.iter().fold(manifest.to_owned(), |text, it| {
        let path = format!("path = \"{}\"", it.folder.display());
        text.replace(&path, &format!("version = \"{}\"", it.version))
    })
}

fn published(metadata: &str) -> Result<Vec<Published>> {
    let metadata: Value =
        serde_json::from_str(metadata).context("`cargo metadata` output is not valid JSON")?;
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let published = packages
        .iter()
        .filter(|package| package["publish"].is_null());
    let read = |package: &Value| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        Some(Published {
            name: text("name")?,
            version: text("version")?,
            folder: Path::new(&text("manifest_path")?).parent()?.to_owned(),
        })
    };
    let all = published.map(read).collect::<Option<_>>();
    all.context("a package in `cargo metadata` has no name, version or manifest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_not_for_a_registry_are_left_out() {
        let metadata = r#"{"packages": [
            {"name": "a", "version": "0.1.0", "manifest_path": "/c/a/Cargo.toml", "publish": null},
            {"name": "b", "version": "0.1.0", "manifest_path": "/c/b/Cargo.toml", "publish": []}
        ]}"#;
        let crates = published(metadata).unwrap();
        assert_eq!(crates.len(), 1);
        assert_eq!(crates[0].package(), "a-0.1.0");
        let manifest = "a = { path = \"/c/a\" }\nb = { path = \"/c/b\" }\n";
        let expected = "a = { version = \"0.1.0\" }\nb = { path = \"/c/b\" }\n";
        assert_eq!(with_versions(manifest, &crates), expected);
        assert!(published("{}").is_err());
    }
}
