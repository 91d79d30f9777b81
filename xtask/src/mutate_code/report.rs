//! The results of cargo-mutants, compared with the list of explained survivors.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result, ensure};

use super::sample::Mutant;

/// The mutants of a sample by outcome.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    caught: usize,
    /// Number of mutants whose tests did not end.
    timed_out: usize,
    /// Number of mutants that do not compile.
    unviable: usize,
    explained: usize,
    /// Survivors without a reason.
    pub(super) unexplained: Vec<String>,
}

impl Report {
    /// Reads the folder of cargo-mutants and the text of the list. cargo-mutants also tests mutants that delete
    /// fields, regardless of the requested names; those outside the sample are not counted.
    pub(super) fn read(folder: &Path, sample: &[Mutant], explained: &str) -> Result<Self> {
        let names = |file: &str| -> Result<Vec<String>> {
            let path = folder.join(file);
            let text = fs::read_to_string(&path);
            let text = text.with_context(|| format!("cannot read {}", path.display()))?;
            let is_drawn = |name: &&str| sample.iter().any(|mutant| mutant.name == *name);
            Ok(text.lines().filter(is_drawn).map(str::to_owned).collect())
        };
        let reasons = reasons(explained)?;
        let is_explained = |name: &String| reasons.contains(without_place(name).as_str());
        let (explained, unexplained) = names("missed.txt")?
            .into_iter()
            .partition::<Vec<_>, _>(is_explained);
        Ok(Self {
            caught: names("caught.txt")?.len(),
            timed_out: names("timeout.txt")?.len(),
            unviable: names("unviable.txt")?.len(),
            explained: explained.len(),
            unexplained,
        })
    }

    /// Returns the number of mutants that were tested or did not compile.
    pub(super) fn tested(&self) -> usize {
        self.caught + self.timed_out + self.unviable + self.explained + self.unexplained.len()
    }

    /// Returns a table of the counts.
    pub(super) fn rows(&self) -> [[String; 2]; 5] {
        [
            ("caught", self.caught),
            ("tests did not end", self.timed_out),
            ("do not compile", self.unviable),
            ("survived, explained", self.explained),
            ("survived", self.unexplained.len()),
        ]
        .map(|(what, count)| [what.to_owned(), count.to_string()])
    }
}

/// Returns the mutants of the list: lines of `FILE: CHANGE # REASON`; lines that begin with `#` are comments.
fn reasons(list: &str) -> Result<BTreeSet<&str>> {
    let lines = list.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(with_reason).collect()
}

/// Returns the mutant of a line, which must have a reason.
fn with_reason(line: &str) -> Result<&str> {
    let parts = line.split_once(" # ");
    let (mutant, reason) = parts
        .with_context(|| format!("`{line}` must have a reason; append ` # ` and the reason"))?;
    ensure!(
        !reason.trim().is_empty(),
        "`{mutant}` must have a reason; write it after ` # `"
    );
    Ok(mutant.trim())
}

/// Returns the name without line and column, which change with every edit above.
fn without_place(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    let (file, _, _, change) = (parts.next(), parts.next(), parts.next(), parts.next());
    match (file, change) {
        (Some(file), Some(change)) => format!("{file}:{change}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survivors_need_a_reason() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut sample = Vec::new();
        let explained = "a.rs:7:9: replace < with <= in g";
        let unexplained = "b.rs:7:9: replace < with <= in g";
        let files = [
            (
                "caught.txt",
                &[
                    "a.rs:1:2: replace f -> bool with true",
                    "a.rs:3:2: replace + with -",
                ][..],
            ),
            ("missed.txt", &[explained, unexplained]),
            ("timeout.txt", &[]),
            (
                "unviable.txt",
                &["c.rs:1:1: replace h with Default::default()"],
            ),
        ];
        for (file, names) in files {
            sample.extend(names.iter().map(|name| Mutant {
                package: "a".into(),
                file: "a.rs".into(),
                name: (*name).to_owned(),
            }));
            let others = "a.rs:9:9: delete field f\n";
            fs::write(folder.path().join(file), names.join("\n") + "\n" + others)?;
        }
        let read = |list: &str| Report::read(folder.path(), &sample, list);
        let report =
            read("# Survivors.\n\na.rs: replace < with <= in g # both are the same there\n")?;
        let expected = Report {
            caught: 2,
            timed_out: 0,
            unviable: 1,
            explained: 1,
            unexplained: vec![unexplained.into()],
        };
        assert_eq!(report, expected);
        assert_eq!(report.tested(), 5);
        assert!(read("a.rs: replace < with <= in g\n").is_err());
        assert!(read("a.rs: replace < with <= in g # \n").is_err());
        Ok(())
    }

    #[test]
    fn the_list_of_the_repository_has_reasons() {
        let list = include_str!("../../../tests/mutants/code.txt");
        assert!(reasons(list).is_ok());
    }
}
