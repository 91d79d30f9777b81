//! `ci`: exactly what CI runs, in its order.

use std::{
    mem,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{
    fuzz, mutate, mutate_code, package, pages,
    paths::{examples, root, target_dir},
    process::{
        PYTHON, RUST_CUDA, WORKSPACE, cargo, cargo_in_example, output, run as run_command,
        without_clippy,
    },
    python, setup, site,
    test::{self, Counts},
    tidy, timings,
};
use tma_project::{Mark, table};

/// Runs the steps of CI, also after one has failed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Of the steps that take turns, only the two whose turn the commit is, as CI does for each commit
    #[arg(long, conflicts_with = "step")]
    in_turn: bool,
    /// Only these steps
    #[arg(long, value_parser = STEPS.iter().map(|(name, _)| *name).collect::<Vec<_>>())]
    step: Vec<String>,
}

/// Fails if clippy has a warning about these packages.
fn clippy(mut cargo: Command, packages: &[&str]) -> Result<()> {
    cargo.args(["clippy", "--all-targets"]).args(packages);
    run_command(cargo.args(["--", "-D", "warnings"]))
}

/// The arguments of [`clippy`] after `--`, as `cargo clippy` passes them on.
const CLIPPY_ARGS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

type Step = (&'static str, fn(&mut Counts) -> Result<()>);

const STEPS: &[Step] = &[
    ("fmt", |_| run_command(cargo().args(["fmt", "--check"]))),
    ("tidy", |_| tidy::check().map(drop)),
    ("set-up", |_| setup::ensure_device_compiler().map(drop)),
    ("clippy", |_| {
        clippy(cargo(), &WORKSPACE)?;
        clippy(cargo(), &["--package", PYTHON])
    }),
    ("doc", |_| doc()),
    ("book", book),
    ("test", |counts| {
        *counts = test::of_ci()?;
        ensure!(counts.is_good(), "a test failed, or none passed");
        Ok(())
    }),
    ("mutants", |_| mutate::check()),
    ("examples", |counts| {
        examples()
            .iter()
            .try_for_each(|folder| example(folder, counts))
    }),
    ("python", python::check),
    ("site", site::check),
    ("fuzz", |_| fuzz::check()),
    ("pages", |_| pages::check()),
    ("package", |_| package::check()),
    ("timings", |_| timings::check()),
    ("msrv", |_| msrv()),
    ("deny", deny),
    // The last one, because the files that it has changed and restored are built anew.
    ("mutants-of-code", mutate_code::check),
];

/// The steps of which each commit runs [`STEPS_A_COMMIT`], in turn: they find what the tests seldom miss, or what few commits
/// change.
const IN_TURN: [&str; 5] = ["mutants", "pages", "fuzz", "package", "timings"];

const STEPS_A_COMMIT: u32 = 2;

/// Returns whether the step runs with the commit of this number.
fn is_the_turn_of(step: &str, commit: u32) -> bool {
    let steps = IN_TURN.len() as u32;
    match IN_TURN.iter().position(|name| *name == step) {
        None => true,
        Some(place) => (0..STEPS_A_COMMIT)
            .any(|it| (commit % steps * STEPS_A_COMMIT + it) % steps == place as u32),
    }
}

/// CI tries a part of all mutants, and of what repeats tests under more schedules and for more targets: another part with
/// each commit.
pub(crate) const PARTS: u32 = 8;

/// The number of the part that is the turn of the commit that is checked out.
pub(crate) fn part() -> Result<u32> {
    Ok(commits()? % PARTS)
}

/// Returns the number of commits up to the one that is checked out.
fn commits() -> Result<u32> {
    let mut git = Command::new("git");
    git.args(["rev-list", "--count", "HEAD"])
        .current_dir(root());
    let commits = output(&mut git)?;
    commits.trim().parse().context("git counts no commits")
}

/// Documents all crates. With the variables that `cargo clippy` sets, cargo takes what clippy has checked of them in
/// place of checking it anew.
fn doc() -> Result<()> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mut doc = cargo();
    doc.args(["doc", "--no-deps"])
        .args(WORKSPACE)
        .env("RUSTDOCFLAGS", "-D warnings")
        .env(
            "RUSTC_WORKSPACE_WRAPPER",
            Path::new(sysroot.trim()).join("bin/clippy-driver"),
        )
        .env("CLIPPY_ARGS", CLIPPY_ARGS);
    run_command(&mut doc)
}

/// Builds the pages as a book. `tidy` has checked its table of contents and all links.
fn book(counts: &mut Counts) -> Result<()> {
    let mut mdbook = Command::new("mdbook");
    if output(mdbook.arg("--version")).is_err() {
        say!("skipped: `mdbook` is not installed; cargo install mdbook --locked --version 0.5.4");
        counts.skipped += 1;
        return Ok(());
    }
    let mut mdbook = Command::new("mdbook");
    mdbook
        .args(["build", "--dest-dir"])
        .arg(target_dir().join("book"));
    run_command(mdbook.current_dir(root()))
}

/// The oldest Rust that the workspace promises to build with.
const MSRV: &str = env!("CARGO_PKG_RUST_VERSION");

/// Builds with the oldest Rust, unless all other steps did.
fn msrv() -> Result<()> {
    let version = output(Command::new("rustc").arg("--version"))?;
    if version.starts_with(&format!("rustc {MSRV}.")) {
        say!(
            "{} is the oldest that is promised: all steps ran with it",
            version.trim()
        );
        return Ok(());
    }
    let toolchain = format!("+{MSRV}");
    let mut cargo = Command::new("cargo");
    without_clippy(&mut cargo).args([&toolchain, "check", "--workspace", "--all-targets"]);
    run_command(cargo.current_dir(root()))
}

/// Licences and origins of the dependencies are those that `deny.toml` allows.
fn deny(counts: &mut Counts) -> Result<()> {
    if output(cargo().args(["deny", "--version"])).is_err() {
        say!("skipped: `cargo deny` is not installed; cargo install cargo-deny --locked");
        counts.skipped += 1;
        return Ok(());
    }
    run_command(cargo().args(["deny", "check", "licenses", "bans", "sources"]))
}

/// Checks an example beyond its tests.
fn example(folder: &Path, counts: &mut Counts) -> Result<()> {
    if folder.ends_with(RUST_CUDA) {
        // `cargo fmt` would resolve its dependencies, and in its folder rustup would ask for its toolchain.
        let mut list = Command::new("git");
        list.arg("ls-files").arg(folder).current_dir(root());
        let files = output(&mut list)?;
        let mut rustfmt = Command::new("rustfmt");
        rustfmt.args(["--edition=2024", "--check"]);
        rustfmt.args(files.lines().filter(|file| file.ends_with(".rs")));
        run_command(rustfmt.current_dir(root()))?;
    } else {
        run_command(cargo_in_example(folder).args(["fmt", "--all", "--check"]))?;
    }
    if test::is_skipped(folder, counts) {
        return Ok(());
    }
    clippy(cargo_in_example(folder), &["--workspace"])?;
    run_command(cargo_in_example(folder).args(["build"]))
}

/// The changed and the new files of the checkout. Steps do not change the checkout.
fn changes() -> Result<String> {
    let mut git = Command::new("git");
    let status = output(git.args(["status", "--porcelain"]).current_dir(root()))?;
    let mut git = Command::new("git");
    let diff = output(git.args(["diff", "HEAD"]).current_dir(root()))?;
    Ok(status + &diff)
}

/// Fails if the checkout has other changes than before the step, and stores its changes for the next step.
fn unchanged(changes_before: &mut String) -> Result<()> {
    let before = mem::replace(changes_before, changes()?);
    ensure!(
        *changes_before == before,
        "the step has changed files of the checkout:\n{changes_before}"
    );
    Ok(())
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut before = changes()?;
    let mut counts = Counts::default();
    let mut rows = vec![["", "", "processors"].map(str::to_owned)];
    let mut errors = String::new();
    let start = Instant::now();
    let commit = args.in_turn.then(commits).transpose()?;
    let wanted = |name: &str| match commit {
        Some(commit) => is_the_turn_of(name, commit),
        None => args.step.is_empty() || args.step.iter().any(|step| step == name),
    };
    for (name, step) in STEPS.iter().filter(|(name, _)| wanted(name)) {
        say!("\n=== {name} ===");
        let (start, used) = (Instant::now(), timings::children_seconds()?);
        let done = step(&mut counts).and_then(|()| unchanged(&mut before));
        if let Err(error) = &done {
            let error = format!("error: {name}: {error:#}");
            complain!("{error}");
            errors = errors + &error + "\n";
        }
        rows.push([
            format!("{} {name}", Mark::of(done.is_ok())),
            seconds(start.elapsed()),
            format!("{:.0} s", timings::children_seconds()? - used),
        ]);
    }
    let processors = timings::children_seconds()?;
    rows.push([
        "  all".to_owned(),
        seconds(start.elapsed()),
        format!("{processors:.0} s"),
    ]);
    // Once more, where a log that is cut short still has it.
    say!("\n{}\n\n{errors}{counts}", table(&rows));
    Ok(if errors.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_has_two_of_the_steps_that_take_turns() {
        let mut ran = [0; IN_TURN.len()];
        for commit in 1000..1005 {
            let turns = IN_TURN.map(|step| is_the_turn_of(step, commit));
            assert_eq!(turns.iter().filter(|it| **it).count(), 2, "{turns:?}");
            for (ran, turn) in ran.iter_mut().zip(turns) {
                *ran += u32::from(turn);
            }
        }
        assert_eq!(ran, [2; IN_TURN.len()]);
        assert!(is_the_turn_of("test", 3));
        for name in IN_TURN {
            assert!(STEPS.iter().any(|(step, _)| *step == name), "{name}");
        }
    }

    #[test]
    fn the_script_sets_the_variables_of_clippy() {
        let script = include_str!("../../.ci/run");
        assert!(script.contains(&format!("CLIPPY_ARGS={CLIPPY_ARGS}\n")));
    }
}
