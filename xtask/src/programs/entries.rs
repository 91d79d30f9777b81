//! The entries of a code base: their number, and how many of them the emulator can run.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::Value;

use super::build::folder;
use crate::paths::target_dir;

/// The entries of a source by name, each with its unsupported instructions; or why the source has none.
pub(super) struct Found(Value);

impl Found {
    /// Inspects PTX files.
    pub(super) fn of(files: &[PathBuf]) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for file in files {
            match inspect(file)? {
                Ok(found) => entries.extend(found),
                Err(why) => return Ok(Self::failed(&why)),
            }
        }
        Ok(Self(serde_json::to_value(entries)?))
    }

    /// Records a source that failed to compile.
    pub(super) fn failed(why: &str) -> Self {
        Self(why.into())
    }
}

/// The entries of the sources of a code base. Results per source are kept in a file, so that a run can cover a part
/// of the sources.
pub(super) struct Entries {
    file: PathBuf,
    /// The unsupported instructions of each source by entry, or the reason why it has no entries.
    sources: BTreeMap<String, Value>,
}

impl Entries {
    /// Reads the known results of a code base.
    pub(super) fn of(code_base: &str) -> Result<Self> {
        let folder = folder().join(code_base);
        fs::create_dir_all(&folder)?;
        let file = folder.join("entries.json");
        let known = fs::read(&file).unwrap_or_default();
        let sources = serde_json::from_slice(&known).unwrap_or_default();
        Ok(Self { file, sources })
    }

    /// Stores the result of a source.
    pub(super) fn put(&mut self, source: &str, Found(found): Found) -> Result<()> {
        self.sources.insert(source.to_owned(), found);
        fs::write(&self.file, serde_json::to_vec(&self.sources)?)?;
        Ok(())
    }

    /// Removes sources that are no longer in the list.
    pub(super) fn retain(&mut self, is_listed: impl Fn(&str) -> bool) {
        self.sources.retain(|source, _| is_listed(source));
    }

    /// Returns the columns of a row. An entry shared by several sources counts once.
    pub(super) fn row(&self) -> String {
        let mut entries = BTreeMap::<&str, BTreeSet<&str>>::new();
        let mut failed = Vec::new();
        for (source, found) in &self.sources {
            let Some(found) = found.as_object() else {
                let why = found.as_str().unwrap_or("?");
                failed.push(format!("`{source}`: {why}"));
                continue;
            };
            for (entry, missing) in found {
                let missing = missing.as_array().into_iter().flatten();
                let all = entries.entry(entry).or_default();
                all.extend(missing.filter_map(Value::as_str));
            }
        }
        let decoded = entries.values().filter(|missing| missing.is_empty());
        let mut missing = BTreeMap::<&str, u32>::new();
        for instruction in entries.values().flatten() {
            *missing.entry(instruction).or_default() += 1;
        }
        let missing = missing
            .iter()
            .map(|(instruction, count)| format!("`{instruction}` in {count}"));
        let lacking: Vec<_> = missing.chain(failed).collect();
        format!(
            "{} | {} | {} | {}",
            self.sources.len(),
            entries.len(),
            decoded.count(),
            lacking.join("; ").replace('|', "/")
        )
    }
}

/// Returns the PTX files of a folder.
pub(super) fn ptx_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    files
}

/// Returns the entries of a file, each with its unsupported instructions, or why the file cannot be read.
fn inspect(file: &Path) -> Result<Result<BTreeMap<String, Value>, String>> {
    let output = Command::new(target_dir().join("release").join("tma"))
        .args(["inspect", "--json"])
        .arg(file)
        // Register counts are not needed, so ptxas does not run.
        .env("TMA_PTXAS", "/")
        .output()
        .context("cannot run tma")?;
    let Ok(said) = serde_json::from_slice::<Value>(&output.stdout) else {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(said.lines().next().unwrap_or("no answer").to_owned()));
    };
    Ok(Ok(entries(&said, &fs::read_to_string(file)?)))
}

/// Returns the entries by name, with a number that distinguishes different entries of the same name.
fn entries(said: &Value, ptx: &str) -> BTreeMap<String, Value> {
    let entries = said["entries"].as_array().into_iter().flatten();
    let entries = entries.map(|entry| {
        let missing = entry["not_emulated"].as_array().into_iter().flatten();
        let missing = missing.map(|item| item["instruction"].clone()).collect();
        let name = entry["name"].as_str().unwrap_or("?");
        (format!("{name} {:x}", digest(ptx, name)), missing)
    });
    entries.collect()
}

/// Hashes the text of an entry without its source locations.
fn digest(ptx: &str, entry: &str) -> u64 {
    let text = ptx.split_once(&format!(".entry {entry}("));
    let lines = text.map_or("", |(_, text)| text).lines();
    let lines = lines.map(str::trim).take_while(|line| *line != "}");
    let mut hasher = DefaultHasher::new();
    for line in lines.filter(|line| !line.starts_with(".loc") && !line.starts_with("//")) {
        line.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_several_sources_count_once_where_they_are_the_same() {
        let ptx = |number: u32, line: u32| {
            format!(
                ".entry a(\n)\n{{\n.loc 1 {line} 0\nmov.u32 %r1, {number};\n}}\n.entry b()\n{{\nret;\n}}\n"
            )
        };
        let tex = serde_json::json!([{"instruction": "tex.2d"}, {"instruction": "wmma"}]);
        let said = serde_json::json!({"entries": [
            {"name": "a", "not_emulated": []}, {"name": "b", "not_emulated": tex},
        ]});
        let sources = [("x", ptx(1, 1)), ("y", ptx(1, 2)), ("z", ptx(2, 2))];
        let found = |ptx: &str| serde_json::to_value(entries(&said, ptx)).unwrap();
        let mut all = Entries {
            file: PathBuf::new(),
            sources: sources
                .iter()
                .map(|(name, ptx)| ((*name).to_owned(), found(ptx)))
                .collect(),
        };
        assert_eq!(all.row(), "3 | 3 | 2 | `tex.2d` in 1; `wmma` in 1");
        all.sources.insert("v.cu".to_owned(), "no | header".into());
        all.retain(|source| source != "z");
        let row = "3 | 2 | 1 | `tex.2d` in 1; `wmma` in 1; `v.cu`: no / header";
        assert_eq!(all.row(), row);
    }
}
