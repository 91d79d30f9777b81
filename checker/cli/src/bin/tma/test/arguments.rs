//! The arguments of test programs, as far as they select tests.

use std::{
    env,
    ffi::{OsStr, OsString},
    num::NonZero,
    thread,
};

use anyhow::{Context, Result, bail, ensure};

/// The tests to run, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Names, `--exact` and `--skip`, as the program takes them.
    pub(super) filters: Vec<String>,
    /// Runs only ignored tests.
    pub(super) only_ignored: bool,
    /// Runs ignored tests, too.
    pub(super) include_ignored: bool,
    /// Shows the output of tests that pass.
    pub(super) shows_output: bool,
    /// Prints no line for a test that passes.
    pub(super) is_quiet: bool,
    threads: Option<usize>,
}

impl Selection {
    /// Reads the arguments of a test program.
    ///
    /// # Errors
    /// An argument is unknown, or changes the form of the output.
    pub(super) fn parse(arguments: &[OsString]) -> Result<Self> {
        let mut selection = Self::default();
        let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
        while let Some(argument) = arguments.next() {
            let (flag, inline) = match argument.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => (&*argument, None),
            };
            let mut value = || {
                let value = inline
                    .clone()
                    .or_else(|| arguments.next().map(|next| next.into_owned()));
                value.with_context(|| format!("`{flag}` must have a value"))
            };
            match flag {
                "--exact" => selection.filters.push(flag.to_owned()),
                "--skip" => selection.filters.extend([flag.to_owned(), value()?]),
                "--ignored" => selection.only_ignored = true,
                "--include-ignored" => selection.include_ignored = true,
                "--nocapture" | "--no-capture" | "--show-output" => selection.shows_output = true,
                "-q" | "--quiet" => selection.is_quiet = true,
                "--color" => drop(value()?),
                "--test-threads" => selection.threads = Some(number(&value()?)?),
                _ if flag.starts_with('-') => bail!(
                    "`{flag}` cannot be used with --sarif or --junit; use names, --exact, --skip, --ignored, \
                     --include-ignored, --test-threads, --nocapture, --show-output, --quiet or --color"
                ),
                _ => selection.filters.push(argument.into_owned()),
            }
        }
        ensure!(
            !(selection.only_ignored && selection.include_ignored),
            "`--ignored` and `--include-ignored` exclude each other; use one"
        );
        Ok(selection)
    }

    /// Returns the number of tests that run at the same time.
    pub(super) fn threads(&self) -> Result<usize> {
        let variable = env::var_os("RUST_TEST_THREADS");
        match (self.threads, variable.as_deref().and_then(OsStr::to_str)) {
            (Some(threads), _) => Ok(threads),
            (None, Some(threads)) => number(threads),
            (None, None) => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        }
    }
}

fn number(text: &str) -> Result<usize> {
    let number: Option<NonZero<usize>> = text.parse().ok();
    let number = number.map(NonZero::get);
    number.with_context(|| format!("number of test threads `{text}` must be at least 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Selection> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        Selection::parse(&arguments)
    }

    #[test]
    fn selections_are_split_from_the_rest() {
        let typed = [
            "a::b",
            "--skip=c",
            "--exact",
            "--ignored",
            "--test-threads",
            "3",
            "-q",
        ];
        let expected = Selection {
            filters: ["a::b", "--skip", "c", "--exact"].map(String::from).into(),
            only_ignored: true,
            is_quiet: true,
            threads: Some(3),
            ..Selection::default()
        };
        assert_eq!(parse(&typed).unwrap(), expected);
    }

    #[test]
    fn other_arguments_are_refused_by_name() {
        for (typed, part) in [
            (&["--format", "json"][..], "`--format` cannot be used"),
            (&["-Zunstable-options"], "`-Zunstable-options` cannot"),
            (&["--skip"], "`--skip` must have a value"),
            (&["--test-threads=0"], "`0` must be at least 1"),
            (&["--ignored", "--include-ignored"], "exclude each other"),
        ] {
            let error = parse(typed).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
