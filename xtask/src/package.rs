//! `package`: every crate that can be published is packaged and built from its package, and projects outside the checkout
//! use the packages alone.

mod shipped_ptx;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    new,
    process::{cargo, cargo_in, output, run as run_command, without_clippy},
};
use shipped_ptx::ShippedPtx;

/// Depends on `kernels-host` alone.
const CALLS_MANIFEST: &str = r#"[package]
name = "calls"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
kernels-host = { version = "0.1.0", default-features = false, features = ["gemm"] }
"#;

/// A product of ones, away from the sizes of a tile.
const CALLS_TEST: &str = r#"use kernels_host::tma_host::{Device, half::bf16};
use kernels_host::{Epilogue, Kernels, Matrix, MatrixMut, Op};

#[test]
fn a_product_of_ones_is_their_number() {
    let device = Device::emulator(0);
    let a = device.upload(&[bf16::ONE; 40 * 24]).unwrap();
    let b = device.upload(&[bf16::ONE; 16 * 24]).unwrap();
    let mut c = device.zeroed::<bf16>(40 * 16).unwrap();
    let [a, b] = [Matrix::new(&a, [40, 24]), Matrix::new(&b, [16, 24])];
    let result = MatrixMut::new(&mut c, [40, 16]);
    let kernels = Kernels::new(&device);
    kernels.gemm(Op::N, Op::T, a, b, result, &Epilogue::default()).unwrap();
    assert_eq!(c.read().unwrap(), [bf16::from_f32(24.0); 40 * 16]);
}
"#;

/// Packages each crate that can be published, and uses the packages outside the checkout
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Publish the crates on crates.io after that
    #[arg(long)]
    publish: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    check()?;
    if args.publish {
        let _ptx = ShippedPtx::write()?;
        run_command(cargo().args(["publish", "--workspace"]))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A crate that can be published.
#[derive(Debug, PartialEq, Eq)]
struct Published {
    name: String,
    version: String,
    /// The package's folder in the checkout.
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
    new::write(&project, "outside", new::Template::Pipeline)?;
    let calls = project.join("calls");
    for part in ["src", "tests"] {
        fs::create_dir_all(calls.join(part))
            .with_context(|| format!("cannot create {}", calls.display()))?;
    }
    for (file, text) in [
        ("Cargo.toml", CALLS_MANIFEST),
        ("src/lib.rs", ""),
        ("tests/product.rs", CALLS_TEST),
    ] {
        let path = calls.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let packages = folder.join("packages");
    let ptx = ShippedPtx::write()?;
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
    run_command(package.args(crates.iter().map(|it| format!("--package={}", it.name))))?;
    drop(ptx);
    for it in &crates {
        let archive = packages.join("package").join(it.package() + ".crate");
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(archive);
        let members = project.join("packages");
        fs::create_dir_all(&members)
            .with_context(|| format!("cannot create {}", members.display()))?;
        run_command(tar.arg("-C").arg(members))?;
    }
    depend_on_packages(&project, &crates)?;
    let target = folder.join("target");
    let cargo = || {
        let mut cargo = cargo_in(&project);
        without_clippy(&mut cargo).env("CARGO_TARGET_DIR", &target);
        cargo
    };
    for it in &crates {
        run_command(cargo().args(["check", "--quiet", "--package", &it.name]))?;
    }
    let mut doc = cargo();
    doc.args(["doc", "--quiet", "--no-deps"])
        .env("RUSTDOCFLAGS", "--cfg docsrs --deny warnings");
    run_command(doc.args(crates.iter().map(|it| format!("--package={}", it.name))))?;
    run_command(cargo().args(["test", "--quiet", "--package", "calls"]))?;
    run_command(cargo().args(["test", "--quiet", "--package", "outside"]))
}

/// Replaces the project's dependencies on the checkout by versions, and the registry's crates by the packages.
fn depend_on_packages(project: &Path, crates: &[Published]) -> Result<()> {
    for manifest in ["Cargo.toml", "gpu/Cargo.toml"] {
        let path = project.join(manifest);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut text = with_versions(&text, crates);
        if manifest == "Cargo.toml" {
            text = text.replace(
                "members = [\"gpu\"]",
                "members = [\"calls\", \"gpu\", \"packages/*\"]",
            );
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
        let text = |key: &str| {
            let value = package[key].as_str().map(str::to_owned);
            value.with_context(|| {
                format!("the package {} must have the key `{key}`", package["name"])
            })
        };
        for key in ["description", "license", "readme", "rust_version"] {
            text(key)?;
        }
        for key in ["keywords", "categories"] {
            let count = package[key].as_array().map_or(0, Vec::len);
            ensure!(
                (1..=5).contains(&count),
                "the package {} has {count} {key}; must have 1 to 5",
                package["name"]
            );
        }
        let manifest = text("manifest_path")?;
        Ok(Published {
            name: text("name")?,
            version: text("version")?,
            folder: Path::new(&manifest)
                .parent()
                .unwrap_or(Path::new(""))
                .to_owned(),
        })
    };
    published.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_not_for_a_registry_are_left_out() {
        let metadata = r#"{"packages": [
            {"name": "a", "version": "0.1.0", "manifest_path": "/c/a/Cargo.toml", "publish": null, "readme": "README.md",
             "description": "A", "license": "MIT", "rust_version": "1.95", "keywords": ["a"], "categories": ["b"]},
            {"name": "b", "version": "0.1.0", "manifest_path": "/c/b/Cargo.toml", "publish": []}
        ]}"#;
        for (key, without) in [("readme", "null"), ("keywords", "[]")] {
            let value = if key == "readme" {
                "\"README.md\""
            } else {
                "[\"a\"]"
            };
            let incomplete = metadata.replace(
                &format!("\"{key}\": {value}"),
                &format!("\"{key}\": {without}"),
            );
            let error = published(&incomplete).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("\"a\""), "{error}");
        }
        let crates = published(metadata).unwrap();
        assert_eq!(crates.len(), 1);
        assert_eq!(crates[0].package(), "a-0.1.0");
        let manifest = "a = { path = \"/c/a\" }\nb = { path = \"/c/b\" }\n";
        let expected = "a = { version = \"0.1.0\" }\nb = { path = \"/c/b\" }\n";
        assert_eq!(with_versions(manifest, &crates), expected);
        assert!(published("{}").is_err());
    }
}
