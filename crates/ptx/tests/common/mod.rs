//! The PTX texts under `tests/fixtures` of the repository.

#![allow(dead_code, reason = "each suite uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

/// A PTX text and its path below the fixtures.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ptx")
}

/// All `.ptx` files of one folder, sorted. A folder without any is a broken checkout.
pub(crate) fn folder(folder: &str) -> Vec<Fixture> {
    let path = root().join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    assert!(!paths.is_empty(), "no .ptx file in {}", path.display());
    let fixture = |path: &PathBuf| Fixture {
        name: format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap()),
        text: fs::read_to_string(path).unwrap(),
    };
    paths.iter().map(fixture).collect()
}

/// The modules of all folders.
pub(crate) fn modules() -> Vec<Fixture> {
    ["hand", "nvcc", "rustc"]
        .into_iter()
        .flat_map(folder)
        .collect()
}

/// An instruction of each form.
pub(crate) fn forms() -> impl Iterator<Item = String> {
    ptx_isa::forms().map(|form| form.example())
}
