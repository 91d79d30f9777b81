//! `mutate-code`: mutants of our own crates by cargo-mutants, a sample that a seed draws.

mod report;
mod sample;

use std::{
    fs,
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    paths::{root, target_dir},
    process::{cargo, first_line, output, status, without_clippy},
    test::Counts,
};
use report::Report;
use sample::Mutant;
use tma_project::table;

/// The command that installs cargo-mutants.
pub(crate) const INSTALL: &str = "cargo install cargo-mutants --locked";

/// The crates, and the folders whose lines are changed.
const CRATES: &[(&str, &[&str])] = &[
    (
        "tma-emulator",
        &[
            "crates/tma-emulator/src/check",
            "crates/tma-emulator/src/decode",
            "crates/tma-emulator/src/inst",
            "crates/tma-emulator/src/machine",
        ],
    ),
    ("tensor-map", &["crates/tensor-map/src"]),
    ("tma-launch", &["crates/tma-launch/src"]),
    ("ptx", &["crates/ptx/src"]),
    ("tma-build", &["crates/tma-build/src"]),
    ("tma-host", &["host/src"]),
];

/// The crates that CI takes mutants of, whose tests take seconds, and their number.
const OF_CI: (&[&str], usize) = (&["tensor-map", "tma-launch", "ptx"], 3);

/// Survivors that do not change the behaviour, each with the reason.
const EXPLAINED: &str = "tests/mutants/code.txt";

/// Seconds after which a mutant's tests are ended in CI.
const LIMIT_S: &str = "60";

/// Changes one expression or function of our crates after the other, and reports the changes that no test of the crate notices.
/// Takes a sample; the same seed draws the same one
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crates; all of them unless named
    #[arg(value_name = "CRATE", value_parser = CRATES.iter().map(|(name, _)| *name).collect::<Vec<_>>())]
    crates: Vec<String>,
    /// Only mutants of files whose path contains one of these
    #[arg(long, value_name = "PART")]
    file: Vec<String>,
    /// The seed of the sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Mutants of the sample
    #[arg(long, default_value_t = 20)]
    number: usize,
    /// List the sample, and run no test
    #[arg(long)]
    list: bool,
    /// Arguments of `cargo nextest run`, or of `cargo test` where cargo-nextest is not installed
    #[arg(last = true, value_name = "ARGS")]
    tests: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    ensure!(
        is_installed(),
        "cargo-mutants is not installed; use `{INSTALL}`"
    );
    let crates: Vec<&str> = match args.crates.is_empty() {
        true => CRATES.iter().map(|(name, _)| *name).collect(),
        false => args.crates.iter().map(String::as_str).collect(),
    };
    let mut all = mutants(&crates)?;
    if !args.file.is_empty() {
        all.retain(|mutant| args.file.iter().any(|part| mutant.file.contains(part)));
    }
    let count = all.len();
    ensure!(
        count > 0,
        "no mutant is in files of these names; use another `--file`"
    );
    let sample = sample::draw(all, args.seed, args.number);
    say!(
        "{} of {count} mutants of {}, drawn by seed {}",
        sample.len(),
        crates.join(", "),
        args.seed
    );
    if args.list {
        sample.iter().for_each(|mutant| say!("{}", mutant.name));
        return Ok(ExitCode::SUCCESS);
    }
    let report = test(&sample, true, &args.tests)?;
    Ok(match report.unexplained.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Takes a few mutants, others with each commit.
pub(crate) fn check(counts: &mut Counts) -> Result<()> {
    if !is_installed() {
        say!("skipped: cargo-mutants is not installed; {INSTALL}");
        counts.skipped += 1;
        return Ok(());
    }
    let mut git = Command::new("git");
    git.args(["rev-list", "--count", "HEAD"])
        .current_dir(root());
    let seed = output(&mut git)?.trim().parse();
    let (crates, number) = OF_CI;
    let sample = sample::draw(
        mutants(crates)?,
        seed.context("git counts no commits")?,
        number,
    );
    // The step `test` has shown that the tests pass. The sample is another one with each commit, so that a survivor is no
    // fault of the commit: it is reported, and `mutate-code` fails for it.
    let report = test(&sample, false, &[])?;
    if !report.unexplained.is_empty() {
        say!("a test must notice each survivor, or {EXPLAINED} have it with a reason");
    }
    Ok(())
}

/// Returns whether cargo-mutants is installed.
pub(crate) fn is_installed() -> bool {
    first_line("cargo", &["mutants", "--version"]).is_some()
}

/// Returns whether cargo-nextest is installed, which ends a run at the first test that fails.
fn has_nextest() -> bool {
    first_line("cargo", &["nextest", "--version"]).is_some()
}

/// All mutants of these crates.
fn mutants(crates: &[&str]) -> Result<Vec<Mutant>> {
    let mut list = cargo();
    list.args(["mutants", "--list", "--json"]);
    crates.iter().for_each(|name| {
        list.args(["--package", name]);
    });
    let folders = CRATES.iter().filter(|(name, _)| crates.contains(name));
    let folders: Vec<&str> = folders.flat_map(|(_, folders)| *folders).copied().collect();
    let mutants = sample::read(&output(&mut list)?)?;
    let is_in = |mutant: &Mutant| folders.iter().any(|folder| mutant.is_below(folder));
    Ok(mutants.into_iter().filter(is_in).collect())
}

/// Tests each mutant with the tests of its crate, in the checkout, whose files are as before when it is over.
fn test(sample: &[Mutant], with_baseline: bool, tests: &[String]) -> Result<Report> {
    let start = Instant::now();
    let folder = target_dir();
    let mut mutants = cargo();
    mutants.args(["mutants", "--in-place", "--no-shuffle", "--colors=never"]);
    // With a baseline, the time limit is a multiple of the tests' time.
    match with_baseline {
        true => mutants.arg("--baseline=run"),
        false => mutants.args(["--baseline=skip", "--timeout", LIMIT_S]),
    };
    mutants.arg("--output").arg(&folder);
    for (name, _) in CRATES {
        if sample.iter().any(|mutant| mutant.package == *name) {
            mutants.args(["--package", name]);
        }
    }
    for mutant in sample {
        mutants.args(["--file", &mutant.file]);
        mutants.arg("--re").arg(sample::exactly(&mutant.name));
    }
    if has_nextest() {
        mutants.arg("--test-tool=nextest");
    }
    if !tests.is_empty() {
        mutants.arg("--").args(tests);
    }
    // The codes of survivors and of tests that take too long.
    let code = status(
        // A mutant may leave a parameter unused.
        without_clippy(&mut mutants)
            .env("CARGO_INCREMENTAL", "1")
            // A file in the checkout for each failure.
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true"),
    );
    let code = code?.code();
    let folder = folder.join("mutants.out");
    if !matches!(code, Some(0 | 2 | 3)) {
        bail!(
            "cargo-mutants failed with code {code:?}; `{}` has its log",
            folder.display()
        );
    }
    let explained = fs::read_to_string(root().join(EXPLAINED));
    let explained = explained.with_context(|| format!("cannot read {EXPLAINED}"))?;
    let report = Report::read(&folder, sample, &explained)?;
    ensure!(
        report.tested() == sample.len(),
        "cargo-mutants tested {} mutants of {}",
        report.tested(),
        sample.len()
    );
    let each = start.elapsed().as_secs_f64() / sample.len() as f64;
    say!("\n{}\n{each:.1} s each", table(&report.rows()));
    report
        .unexplained
        .iter()
        .for_each(|name| say!("survived: {name}"));
    Ok(report)
}
