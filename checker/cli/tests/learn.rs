//! `tma learn`: each level begins with its finding, and is solved by the correct kernel.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::Value;
use support::{NO_DRIVER, ends, printed, tma, unreadable};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `tma learn` with a folder for its kernels.
fn learn(folder: &Path, arguments: &[&str]) -> Output {
    let folder = folder.to_str().unwrap();
    let first = ["learn", "--folder", folder];
    let all: Vec<&str> = first.iter().chain(arguments).copied().collect();
    tma(Path::new(NO_DRIVER), &[], &all)
}

/// The folders of the levels in their order.
fn levels() -> Vec<PathBuf> {
    let entries = root().join("site/levels").read_dir().unwrap();
    let mut levels: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    levels.sort();
    levels
}

fn json(level: &Path) -> Value {
    serde_json::from_slice(&fs::read(level.join("level.json")).unwrap()).unwrap()
}

/// The kinds of findings of a level's bug, which the kernel in PTX declares.
fn kinds(level: &Path) -> Vec<String> {
    let json = json(level);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let text = fs::read_to_string(root().join(word(&json["modules"][0]))).unwrap();
    let mark = format!("//~ {}: ", word(&json["start"]));
    let kinds = text.lines().find_map(|line| line.strip_prefix(&mark));
    kinds.unwrap().split(' ').map(str::to_owned).collect()
}

/// The kernel without the lines of its bug.
fn correct(level: &Path) -> String {
    let text = fs::read_to_string(level.join("kernel.rs")).unwrap();
    let lines = text.lines().filter(|line| !line.contains(" // only "));
    let lines = lines.map(|line| line.split(" // not ").next().unwrap());
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn every_level_begins_with_its_finding_and_can_be_solved() {
    let folder = tempfile::tempdir().unwrap();
    for (index, level) in levels().iter().enumerate() {
        let number = (index + 1).to_string();
        let said = ends(&learn(folder.path(), &[&number]), 1);
        let own = folder.path().join(level.file_name().unwrap());
        assert!(said.starts_with(&format!("{number}. ")), "{said}");
        assert!(said.contains("findings: 16 of 16 seeds. "), "{said}");
        for kind in kinds(level) {
            assert!(said.contains(&format!("[{kind}]")), "{kind}: {said}");
            let line = format!(
                "--> {}/src/kernel.rs:",
                level.file_name().unwrap().display()
            );
            assert!(kind == "mismatch" || said.contains(&line), "{said}");
        }
        assert!(!own.join("solved").exists());
        fs::write(own.join("src/kernel.rs"), correct(level)).unwrap();
        let said = printed(&learn(folder.path(), &[&number]));
        assert!(
            said.contains(&format!("\nsolved: level {number} ")),
            "{said}"
        );
        // The kernel of the user stays.
        let kernel = fs::read_to_string(own.join("src/kernel.rs")).unwrap();
        assert_eq!(kernel, correct(level));
    }
    let listed = printed(&learn(folder.path(), &[]));
    assert_eq!(listed.matches('✓').count(), levels().len(), "{listed}");
}

#[test]
fn levels_are_listed_with_hints_and_solutions() {
    let folder = tempfile::tempdir().unwrap();
    let listed = printed(&learn(folder.path(), &[]));
    assert!(!listed.contains('✓'), "{listed}");
    for (index, level) in levels().iter().enumerate() {
        let title = json(level)["title"].as_str().unwrap().to_owned();
        assert!(
            listed.contains(&format!("{:2}  {title}: ", index + 1)),
            "{listed}"
        );
        let number = (index + 1).to_string();
        let hints = printed(&learn(folder.path(), &[&number, "--hint"]));
        assert!(
            hints.lines().count() >= 2 && !hints.contains(['<', '&']),
            "{hints}"
        );
        let solution = printed(&learn(folder.path(), &[&number, "--solution"]));
        let text = correct(level);
        let mut added = solution.lines().filter_map(|line| line.strip_prefix("+ "));
        assert!(added.all(|line| text.contains(line)), "{solution}");
        let mut removed = solution.lines().filter(|line| line.starts_with(['-', '+']));
        assert!(removed.next().is_some(), "{solution}");
    }
    // Only a level that is tried writes its kernel.
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn wrong_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let said = unreadable(&learn(folder.path(), &["11"]));
    assert!(said.contains("level 11 must be from 1 to 10"), "{said}");
    let said = unreadable(&learn(folder.path(), &["0"]));
    assert!(said.contains("level 0 must be from 1 to 10"), "{said}");
    fs::write(folder.path().join("Cargo.toml"), "[workspace]\n").unwrap();
    let said = unreadable(&learn(folder.path(), &["1"]));
    assert!(said.contains("must have no project of its own"), "{said}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}
