//! The list of forwarded symbols is the list of driver functions in the source of `cust`.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use cuda_driver::forwarded;

/// Forwarded although `cust` does not call it.
const EXTRA: &[&str] = &["cuGetErrorName"];

#[test]
fn everything_cust_calls_is_forwarded() {
    let (cust, cust_raw) = (sources("cust"), sources("cust_raw"));
    let declared: BTreeSet<_> = identifiers(&cust_raw).collect();
    let mut called: BTreeSet<_> = identifiers(&cust)
        .filter(|name| declared.contains(name) && cust_raw.contains(&format!("pub fn {name}(")))
        .collect();
    called.extend(EXTRA);
    let forwarded: BTreeSet<_> = forwarded::names().collect();
    assert_eq!(forwarded, called);
}

#[test]
fn no_symbol_stands_twice() {
    let names: BTreeSet<_> = forwarded::names().collect();
    assert_eq!(names.len(), forwarded::names().count());
    assert_eq!(names.len(), 105);
}

/// The source of a package that this crate depends on, without comments.
fn sources(package: &str) -> String {
    let mut text = String::new();
    append(&root(package).join("src"), &mut text);
    assert!(!text.is_empty(), "{package} has no source");
    text
}

fn append(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a folder of sources").path();
        if path.is_dir() {
            append(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = fs::read_to_string(&path).expect("a source file");
            for line in file.lines() {
                text.push_str(line.split("//").next().unwrap_or_default());
                text.push('\n');
            }
        }
    }
}

/// Returns the source folder of a package, which exists since it was compiled. Cargo may have to fetch other packages of
/// the workspace first: those that only the Python package needs are not compiled with this one.
fn root(package: &str) -> PathBuf {
    let host = run(Command::new("rustc").arg("--print=host-tuple"));
    let output = run(Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version=1"])
        .args(["--filter-platform", host.trim()])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ]));
    let metadata: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    let manifest = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|entry| entry["name"] == package)
        .and_then(|entry| entry["manifest_path"].as_str())
        .unwrap_or_else(|| panic!("{package} is not among the packages"));
    Path::new(manifest).with_file_name("")
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("cargo and rustc run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The names that look like driver functions: `cu` and a capital.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| {
            let rest = word.strip_prefix("cu").unwrap_or_default();
            rest.starts_with(|c: char| c.is_ascii_uppercase())
        })
}
