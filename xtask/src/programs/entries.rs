//! The entries of a code base: how many there are, and how many the emulator can run.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::paths::target_dir;

/// The entries of PTX files.
#[derive(Default)]
pub(super) struct Entries {
    sources: u32,
    /// Names of entries, and what each lacks.
    entries: BTreeMap<String, BTreeSet<String>>,
    /// Sources that were not compiled or not read, and why.
    failed: Vec<String>,
}

impl Entries {
    /// Adds those of a source, whose PTX lies in these files. An entry that several sources have counts once.
    pub(super) fn add(&mut self, files: &[PathBuf]) -> Result<()> {
        self.sources += 1;
        for file in files {
            match inspect(file)? {
                Ok(entries) => {
                    for (name, missing) in entries {
                        self.entries.entry(name).or_default().extend(missing);
                    }
                }
                Err(why) => self.failed.push(why),
            }
        }
        Ok(())
    }

    /// Adds a source that was not compiled.
    pub(super) fn add_failed(&mut self, source: &str, why: &str) {
        self.sources += 1;
        self.failed.push(format!("`{source}`: {why}"));
    }

    /// The columns of a row.
    pub(super) fn row(&self) -> String {
        let decoded = self.entries.values().filter(|missing| missing.is_empty());
        let mut missing = BTreeMap::<&str, u32>::new();
        for instruction in self.entries.values().flatten() {
            *missing.entry(instruction).or_default() += 1;
        }
        let missing = missing
            .iter()
            .map(|(instruction, count)| format!("`{instruction}` in {count}"));
        let lacking: Vec<_> = missing.chain(self.failed.iter().cloned()).collect();
        format!(
            "{} | {} | {} | {}",
            self.sources,
            self.entries.len(),
            decoded.count(),
            lacking.join("; ").replace('|', "/")
        )
    }
}

/// The PTX files of a folder.
pub(super) fn ptx_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    files
}

/// The entries of a file, each with the instructions that the emulator lacks, or why the file is not read.
fn inspect(file: &Path) -> Result<Result<Vec<(String, Vec<String>)>, String>> {
    let output = Command::new(target_dir().join("release").join("tma"))
        .args(["inspect", "--json"])
        .arg(file)
        // Registers are of no interest here.
        .env("TMA_PTXAS", "/")
        .output()
        .context("cannot run tma")?;
    let Ok(said) = serde_json::from_slice::<Value>(&output.stdout) else {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(said.lines().next().unwrap_or("no answer").to_owned()));
    };
    Ok(Ok(entries(&said)))
}

fn entries(said: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let entries = list(&said["entries"]).into_iter().map(|entry| {
        let missing = list(&entry["not_emulated"]);
        let missing = missing.iter().map(|item| text(&item["instruction"]));
        (text(&entry["name"]), missing.collect())
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_two_sources_counts_once_and_lacks_what_it_lacks_in_either() {
        let said = serde_json::json!({"entries": [
            {"name": "a", "not_emulated": []},
            {"name": "b", "not_emulated": [{"instruction": "tex.2d"}, {"instruction": "wmma"}]},
            {"name": "c", "not_emulated": [{"instruction": "tex.2d"}]},
        ]});
        let mut all = Entries::default();
        for missing in [entries(&said), vec![("a".to_owned(), Vec::new())]] {
            all.sources += 1;
            all.entries.extend(
                missing
                    .into_iter()
                    .map(|(name, missing)| (name, missing.into_iter().collect::<BTreeSet<_>>())),
            );
        }
        all.add_failed("x.cu", "no | header");
        assert_eq!(
            all.row(),
            "3 | 3 | 1 | `tex.2d` in 2; `wmma` in 1; `x.cu`: no / header"
        );
    }
}
