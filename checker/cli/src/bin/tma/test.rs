//! `tma test`: the tests of a project, and their findings as report files.
//!
//! Cargo builds the tests and starts `tma test-runner` in place of each test program, with the program's folder and
//! variables. The runner starts each test as a process of its own, since the emulator cannot know which test of a
//! process a launch belongs to.

mod arguments;
mod output;
mod runner;

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tma_project::{
    process::{cannot_run, exit_code, shown},
    run, setup,
};

use crate::{
    reports::{Case, Outcome, ReportFiles, Reports},
    wrong_input::OrWrongInput,
};
use arguments::Selection;
pub(crate) use runner::Runner;

/// The variable with the folder to which runners write the results of their tests.
const RESULTS_VARIABLE: &str = "TMA_TEST_RESULTS";

/// Report files, a device, and arguments for cargo.
#[derive(clap::Args)]
pub(crate) struct Test {
    #[command(flatten)]
    files: ReportFiles,
    #[command(flatten)]
    args: run::Args,
}

impl Test {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        if !self.files.any() {
            return run::run("test", &self.args);
        }
        let (_, selection) = self.arguments();
        Selection::parse(&selection).or_wrong_input()?;
        // Sources are relative to the workspace, which may be above this folder.
        let folders = env::current_dir()?
            .ancestors()
            .skip(1)
            .map(Path::to_owned)
            .collect();
        let reports = self.files.open("test", &[], folders)?;
        setup::ensure_device_compiler()?;
        let results = tempfile::tempdir()?;
        println!("$ {}", shown(&self.args.command("test", &[])));
        let runner = ["--config".into(), as_runner()?.into()];
        let mut cargo = self.args.command("test", &runner);
        cargo.env(RESULTS_VARIABLE, results.path());
        let status = cargo.status().with_context(|| cannot_run(&cargo))?;
        self.report(reports, results.path(), status.success())?;
        Ok(exit_code(status))
    }

    /// Splits the arguments into cargo's and the test programs'.
    fn arguments(&self) -> (Vec<OsString>, Vec<OsString>) {
        let mut cargo = self.args.arguments();
        let at = cargo.iter().position(|argument| argument == "--");
        let programs = at.map(|at| cargo.split_off(at));
        let programs = programs.unwrap_or_default().into_iter().skip(1);
        (cargo, programs.collect())
    }

    /// Writes the report files.
    fn report(&self, mut reports: Reports, results: &Path, is_success: bool) -> Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(results)? {
            files.push(entry?.path());
        }
        files.retain(|path| path.extension() == Some(OsStr::new("json")));
        files.sort();
        let mut is_failed = false;
        for path in files {
            let program: Value = fs::read_to_string(path)?.parse()?;
            for test in program["tests"].as_array().into_iter().flatten() {
                let case = self.case(&program, test);
                is_failed |= matches!(case.outcome, Outcome::Failed(_));
                reports.add(&case);
            }
        }
        if !is_success && !is_failed {
            // A program does not compile, or a doc test fails.
            let what = "`cargo test` failed, but no test of the report did; read its output";
            reports.fail("cargo test", what);
        }
        reports.write()
    }

    fn case(&self, program: &Value, test: &Value) -> Case {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = text(&test["name"]);
        let output = text(&test["output"]);
        let outcome = match test["outcome"].as_str() {
            Some("ignored") => Outcome::Skipped,
            Some("failed") => Outcome::Failed(output.clone()),
            _ => Outcome::Passed,
        };
        let mut findings = test["findings"].as_array().cloned().unwrap_or_default();
        if outcome == Outcome::Passed {
            // The test expected its errors.
            findings.retain(|finding| finding["severity"] != "error");
        }
        let (cargo, _) = self.arguments();
        let schedule = findings
            .iter()
            .find_map(|finding| finding["schedule"].as_str());
        let mut again = Command::new("cargo");
        again.args(["tma", "test"]).args(self.args.chosen(schedule));
        again.args(cargo).args(["--", "--exact", &name]);
        if test["is_ignored"] == json!(true) {
            again.arg("--include-ignored");
        }
        Case {
            file: text(&program["manifest"]),
            class: Some(text(&program["class"])),
            again: shown(&again),
            seconds: test["seconds"].as_f64(),
            printed: match outcome {
                Outcome::Failed(_) => String::new(),
                _ => output,
            },
            name,
            findings,
            outcome,
        }
    }
}

/// Returns the setting of cargo that makes this program the runner of tests.
fn as_runner() -> Result<String> {
    let tma = env::current_exe()?;
    let tma = tma.to_str().context("the path of `tma` is not UTF-8")?;
    // A JSON string is a TOML string, too.
    Ok(format!(
        r#"target."cfg(all())".runner=[{},"test-runner"]"#,
        json!(tma)
    ))
}
