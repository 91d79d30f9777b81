//! `tma test-runner`: stands in for a test program, and runs each of its tests as a process.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tma_project::process::{cannot_run, exit_code};

use super::{RESULTS_VARIABLE, arguments::Selection, output::of_test};

/// The exit code of test programs with a failed test.
const FAILED: u8 = 101;

/// Runs the tests of a program for `tma test`
#[derive(clap::Args)]
pub(crate) struct Runner {
    /// The program, and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// A test of a program.
struct Test {
    name: String,
    is_ignored: bool,
}

/// The outcome of a test that ran.
struct Ran {
    is_success: bool,
    time: Duration,
    output: String,
    findings: Vec<Value>,
}

impl Runner {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Ok(ExitCode::FAILURE);
        };
        let program = Path::new(program);
        let results = env::var_os(RESULTS_VARIABLE).map(PathBuf::from);
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        // Rustdoc starts doc tests by the same runner.
        let is_doc_test = stem == "rust_out" || stem.starts_with("merged_doctest");
        let Some(results) = results.filter(|_| !is_doc_test) else {
            return whole(program, arguments);
        };
        let selection = Selection::parse(arguments)?;
        let Some(tests) = list(program, &selection)? else {
            return whole(program, arguments);
        };
        let ran = run_all(program, &tests, &selection, &results)?;
        let is_success = ran.iter().flatten().all(|ran| ran.is_success);
        let variable = |name| env::var(name).unwrap_or_default();
        let manifest = Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        // Cargo ends the name of a test program with a hash.
        let target = stem.rsplit_once('-').map_or(&*stem, |(target, _)| target);
        let tests = tests.iter().zip(&ran).map(|(test, ran)| test.to_json(ran));
        let value = json!({
            "manifest": manifest,
            "class": format!("{}::{target}", variable("CARGO_PKG_NAME")),
            "tests": tests.collect::<Vec<_>>(),
        });
        // Cargo runs one program after the other.
        let number = fs::read_dir(&results)?.count();
        fs::write(results.join(format!("{number:05}.json")), value.to_string())?;
        Ok(match is_success {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(FAILED),
        })
    }
}

impl Test {
    fn to_json(&self, ran: &Option<Ran>) -> Value {
        let Some(ran) = ran else {
            return json!({ "name": self.name, "outcome": "ignored", "is_ignored": true });
        };
        json!({
            "name": self.name,
            "outcome": if ran.is_success { "ok" } else { "failed" },
            "is_ignored": self.is_ignored,
            "seconds": ran.time.as_secs_f64(),
            "output": ran.output,
            "findings": ran.findings,
        })
    }
}

/// Runs a program that is not split into tests.
fn whole(program: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    let mut command = Command::new(program);
    let status = command.args(arguments).status();
    Ok(exit_code(status.with_context(|| cannot_run(&command))?))
}

/// Returns the selected tests; `None` if the program has a harness that cannot list them.
fn list(program: &Path, selection: &Selection) -> Result<Option<Vec<Test>>> {
    let names = |only_ignored: &[&str]| {
        let mut command = Command::new(program);
        command.args(&selection.filters).args(only_ignored);
        command.args(["--list", "--format", "terse"]);
        let output = command.stdin(Stdio::null()).output();
        let output = output.with_context(|| cannot_run(&command))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.lines().map(|line| {
            let (name, kind) = line.rsplit_once(": ")?;
            matches!(kind, "test" | "benchmark").then(|| name.to_owned())
        });
        let names: Option<Vec<String>> = names.collect();
        anyhow::Ok(names.filter(|_| output.status.success()))
    };
    let Some(ignored) = names(&["--ignored"])? else {
        return Ok(None);
    };
    let all = match selection.only_ignored {
        true => Some(ignored.clone()),
        false => names(&[])?,
    };
    let test = |name| Test {
        is_ignored: ignored.contains(&name),
        name,
    };
    Ok(all.map(|all| all.into_iter().map(test).collect()))
}

/// Runs tests, several at a time, and prints their results as libtest does. Skipped tests have no outcome.
fn run_all(
    program: &Path,
    tests: &[Test],
    selection: &Selection,
    results: &Path,
) -> Result<Vec<Option<Ran>>> {
    let started = Instant::now();
    let plural = if tests.len() == 1 { "" } else { "s" };
    println!("\nrunning {} test{plural}", tests.len());
    let threads = selection.threads()?.min(tests.len());
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: Sender<_>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(test) = tests.get(index) else { break };
            let runs = !test.is_ignored || selection.only_ignored || selection.include_ignored;
            let findings = results.join(format!("findings-{index}"));
            let ran = runs.then(|| run_one(program, &test.name, &findings));
            if sender.send((index, ran.transpose())).is_err() {
                break;
            }
        }
    };
    let mut ran: Vec<Option<Ran>> = tests.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        // Only this thread prints, since it has locked the output.
        for (index, outcome) in receiver {
            let outcome = outcome?;
            print_result(&tests[index], &outcome, selection);
            ran[index] = outcome;
        }
        anyhow::Ok(())
    })?;
    summarise(tests, &ran, started.elapsed());
    Ok(ran)
}

fn print_result(test: &Test, ran: &Option<Ran>, selection: &Selection) {
    let result = match ran {
        None => "ignored",
        Some(ran) if ran.is_success => "ok",
        _ => "FAILED",
    };
    if !selection.is_quiet || result == "FAILED" {
        println!("test {} ... {result}", test.name);
    }
    if let Some(ran) = ran
        && ran.is_success
        && selection.shows_output
        && !ran.output.is_empty()
    {
        println!("{}", ran.output);
    }
}

fn summarise(tests: &[Test], ran: &[Option<Ran>], time: Duration) {
    let all = || tests.iter().zip(ran);
    let failed = || {
        all().filter_map(|(test, ran)| {
            ran.as_ref()
                .filter(|ran| !ran.is_success)
                .map(|ran| (test, ran))
        })
    };
    let failures = failed().count();
    if failures > 0 {
        println!("\nfailures:");
        for (test, ran) in failed() {
            println!("\n---- {} ----\n{}", test.name, ran.output);
        }
        println!("\nfailures:");
        for (test, _) in failed() {
            println!("    {}", test.name);
        }
    }
    let ignored = ran.iter().filter(|ran| ran.is_none()).count();
    println!(
        "\ntest result: {}. {} passed; {failures} failed; {ignored} ignored; finished in {:.2}s\n",
        if failures == 0 { "ok" } else { "FAILED" },
        tests.len() - failures - ignored,
        time.as_secs_f64()
    );
}

/// Runs one test as a process; its launches write their findings to a file.
fn run_one(program: &Path, name: &str, findings: &Path) -> Result<Ran> {
    let (mut reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    // With one thread, libtest prints the name of the test before its output.
    command.args([
        "--exact",
        name,
        "--include-ignored",
        "--nocapture",
        "--test-threads",
        "2",
    ]);
    command.env("TMA_FINDINGS", findings);
    command.stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let started = Instant::now();
    let child = command.spawn();
    let mut child = child.with_context(|| cannot_run(&command))?;
    // The command holds the writing ends, without which the reader would not end.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    let time = started.elapsed();
    let output = String::from_utf8_lossy(&output);
    let mut output = of_test(&output, name).to_owned();
    if !status.success() && status.code() != Some(FAILED.into()) {
        output += &format!("\nthe test's process ended with {status}");
    }
    Ok(Ran {
        is_success: status.success(),
        time,
        output,
        findings: read_findings(findings)?,
    })
}

/// Reads the findings of a test, and removes their file.
fn read_findings(path: &Path) -> Result<Vec<Value>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).context("cannot read the findings of a test"),
    };
    fs::remove_file(path)?;
    // A test that was killed may leave half a line.
    Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
}
