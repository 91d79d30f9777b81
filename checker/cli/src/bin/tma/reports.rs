//! Report files for other tools: `--sarif` and `--junit`.

mod junit;

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Error, Result};
use finding_reports::{Origin, Sarif};
use serde_json::Value;
pub(crate) use tma_cli::emulate::finding_to_json as to_json;
use tma_cli::emulate::{Output, Stopped};

use crate::wrong_input::OrWrongInput;
use junit::Junit;

/// Files of findings for other tools.
#[derive(clap::Args)]
pub(crate) struct ReportFiles {
    /// Write the findings as SARIF 2.1.0, for code scanning and editors
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write the results as JUnit XML, a test case for each run, launch or test
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

impl ReportFiles {
    /// Opens the files. None of them may be one of `taken`; relative paths in findings are looked up in `folders`,
    /// too.
    pub(crate) fn open(
        &self,
        verb: &str,
        taken: &[&Path],
        folders: Vec<PathBuf>,
    ) -> Result<Reports> {
        let open = |path: &Option<PathBuf>, taken: &[&Path]| {
            let path = path.as_deref();
            path.map(|path| Output::open(path, taken.iter().copied()))
                .transpose()
                .map_err(|failure| Error::msg(failure.what))
                .or_wrong_input()
        };
        let sarif = open(&self.sarif, taken)?;
        let sarif_path = self.sarif.as_deref();
        let taken: Vec<&Path> = taken.iter().copied().chain(sarif_path).collect();
        let junit = open(&self.junit, &taken)?;
        Ok(Reports {
            sarif: match sarif {
                Some(output) => Some((output, Sarif::new(&env::current_dir()?, folders))),
                None => None,
            },
            junit: junit.map(|output| (output, Junit::new(format!("tma {verb}")))),
        })
    }

    /// Returns whether any file is requested.
    pub(crate) fn any(&self) -> bool {
        self.sarif.is_some() || self.junit.is_some()
    }
}

/// A test case: a run with one seed, a launch, or a test of a project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// The launch file, the archive, the program, or the test's manifest.
    pub(crate) file: String,
    /// The group of the case in JUnit, if this is not the file.
    pub(crate) class: Option<String>,
    pub(crate) name: String,
    /// Findings and notes as JSON.
    pub(crate) findings: Vec<Value>,
    pub(crate) printed: String,
    /// The command that repeats the case.
    pub(crate) again: String,
    pub(crate) outcome: Outcome,
    /// The duration, if it was measured.
    pub(crate) seconds: Option<f64>,
}

/// The outcome of a test case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The case fails if a finding is an error.
    #[default]
    Checked,
    Passed,
    Skipped,
    /// A test failed, with this output.
    Failed(String),
}

/// The requested files, which are written at the end.
pub(crate) struct Reports {
    sarif: Option<(Output, Sarif)>,
    junit: Option<(Output, Junit)>,
}

impl Reports {
    pub(crate) fn add(&mut self, case: &Case) {
        if let Some((_, sarif)) = &mut self.sarif {
            let origin = Origin {
                file: &case.file,
                line: 1,
                again: &case.again,
            };
            for finding in &case.findings {
                sarif.add(finding, origin);
            }
        }
        if let Some((_, junit)) = &mut self.junit {
            junit.add(case);
        }
    }

    /// Adds the reason why a file was not run, or not to its end.
    pub(crate) fn stopped(&mut self, file: &str, stopped: &Stopped) {
        match stopped {
            Stopped::Violations(violations) => {
                if let Some((_, sarif)) = &mut self.sarif {
                    for violation in violations.iter() {
                        let at = (
                            violations.file(),
                            violation.line as u64,
                            violation.column as u64,
                        );
                        sarif.fail(&violation.says, Some(at));
                    }
                }
                if let Some((_, junit)) = &mut self.junit {
                    junit.fail(file, &stopped.to_string());
                }
            }
            Stopped::Failure(_) | Stopped::Unsupported(_) => self.fail(file, &stopped.to_string()),
        }
    }

    /// Adds an error that is not in a file.
    pub(crate) fn fail(&mut self, file: &str, message: &str) {
        if let Some((_, sarif)) = &mut self.sarif {
            sarif.fail(message, None);
        }
        if let Some((_, junit)) = &mut self.junit {
            junit.fail(file, message);
        }
    }

    /// Writes the files.
    ///
    /// # Errors
    /// A file cannot be written; the other one is.
    pub(crate) fn write(self) -> Result<()> {
        let sarif = self.sarif.map(|(output, sarif)| (output, sarif.finish()));
        let junit = self.junit.map(|(output, junit)| (output, junit.finish()));
        let texts = sarif.into_iter().chain(junit);
        let written = texts.map(|(output, text)| output.write(text.as_bytes()));
        // All are written before the first error is returned.
        let written: Vec<_> = written.collect();
        let all: Result<(), _> = written.into_iter().collect();
        all.map_err(|failure| Error::msg(failure.what))
            .or_wrong_input()
    }
}
