//! `tidy`: checks the house rules that a program can check.

mod book;
mod circles;
mod comments;
mod links;
mod manifests;
mod quotes;
mod rooms;
mod skips;
mod stems;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Result, bail};

use crate::{paths::root, process::output};

/// Checks the house rules and prints each violation with its file and line
#[derive(clap::Args)]
pub(crate) struct Args {}

/// A file that is committed or not ignored by git.
struct File {
    /// The path relative to the checkout, with `/`.
    path: String,
    /// The text; `None` for binary files.
    text: Option<String>,
    executable: bool,
}

/// A violation of a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    path: String,
    line: usize,
    says: String,
}

impl Violation {
    /// Creates a violation in a line, counted from 1.
    fn new(file: &File, line: usize, says: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            line,
            says: says.into(),
        }
    }
}

pub(crate) fn run(_: &Args) -> Result<ExitCode> {
    say!("tidy: {} files follow the rules", check()?);
    Ok(ExitCode::SUCCESS)
}

/// Prints every violation and fails if there are any. Returns the number of files.
pub(crate) fn check() -> Result<usize> {
    let files = files(root())?;
    let violations = violations(&files);
    for Violation { path, line, says } in &violations {
        say!("{path}:{line}: {says}");
    }
    match violations.len() {
        0 => Ok(files.len()),
        1 => bail!("1 violation of the house rules"),
        count => bail!("{count} violations of the house rules"),
    }
}

fn violations(files: &[File]) -> Vec<Violation> {
    let mut violations = Vec::new();
    stems::check(files, &mut violations);
    manifests::check(files, &mut violations);
    circles::check(files, &mut violations);
    comments::check(files, &mut violations);
    book::check(files, &mut violations);
    links::check(files, &mut violations);
    quotes::check(files, &mut violations);
    rooms::check(files, &mut violations);
    skips::check(files, &mut violations);
    text::check(files, &mut violations);
    let ci = files.iter().find(|file| file.path == ".ci/run");
    if let Some(file) = ci.filter(|file| !file.executable) {
        violations.push(Violation::new(
            file,
            1,
            "must be executable; use `chmod +x .ci/run`",
        ));
    }
    violations.sort();
    violations
}

/// Returns every file that is tracked or not ignored by git.
fn files(root: &Path) -> Result<Vec<File>> {
    let mut list = Command::new("git");
    list.args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ]);
    let list = output(list.current_dir(root))?;
    let paths = list.split('\0').filter(|path| !path.is_empty());
    Ok(paths.filter_map(|path| read(root, path)).collect())
}

/// Reads a file; `None` for a deleted file or a link.
fn read(root: &Path, path: &str) -> Option<File> {
    let full: PathBuf = root.join(path);
    let metadata = fs::symlink_metadata(&full)
        .ok()
        .filter(fs::Metadata::is_file)?;
    Some(File {
        path: path.to_owned(),
        text: fs::read(&full)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok()),
        executable: is_executable(&metadata),
    })
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 == 0o111
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

impl File {
    /// Returns the lines with their numbers.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.as_deref().unwrap_or_default().lines();
        lines.enumerate().map(|(index, line)| (index + 1, line))
    }

    fn is_below(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| {
            self.path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Returns the part of the name after the last dot.
    fn extension(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

#[cfg(test)]
mod testing {
    use super::{File, Violation};

    pub(super) fn file(path: &str, text: &str) -> File {
        File {
            path: path.to_owned(),
            text: Some(text.to_owned()),
            executable: false,
        }
    }

    /// Returns the violations as they are printed.
    pub(super) fn checked(check: fn(&[File], &mut Vec<Violation>), files: &[File]) -> Vec<String> {
        let mut violations = Vec::new();
        check(files, &mut violations);
        let shown = violations
            .iter()
            .map(|Violation { path, line, says }| format!("{path}:{line}: {says}"));
        shown.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{testing::file, *};

    #[test]
    fn ci_must_be_executable() {
        let run = |executable| File {
            executable,
            ..file(".ci/run", "#!/bin/sh\n")
        };
        assert_eq!(violations(&[run(true)]), []);
        assert_eq!(violations(&[run(false)]).len(), 1);
    }

    #[test]
    fn extensions_and_folders() {
        assert_eq!(file("a.b/c.rs", "").extension(), "rs");
        assert_eq!(file("a.b/c", "").extension(), "");
        assert!(file("tests/fixtures/a", "").is_below(&["tests/fixtures"]));
        assert!(!file("tests/fixtures2/a", "").is_below(&["tests/fixtures"]));
    }
}
