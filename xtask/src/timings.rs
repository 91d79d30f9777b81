//! `timings`: measures the time of the first `cargo xtask run`.
//!
//! Everything is rebuilt in a separate folder. Time is processor time, which does not depend on the number of
//! processors. Limits are multiples of a calibration loop, so that they roughly hold on slower and busier machines
//! too.

use std::{
    env,
    ffi::OsString,
    fs,
    hint::black_box,
    io::Write as _,
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::{
    paths::target_dir,
    process::{cargo, exit_code, output, shown, without_clippy},
};
use tma_project::table;

/// Limit of `--check` for the runs of rustc.
const MOST_RUSTC_RUNS: usize = 85;
/// Processor time in rounds of the calibration loop. It was 110 on one machine and 145 on another, which is fast at
/// arithmetic but not at compiling. The limit detects an increase of a quarter on the slower of them.
const MOST_ROUNDS: f64 = 180.0;

/// The name under which this program acts as rustc's wrapper.
const WRAPPER: &str = "rustc-wrapper";
/// Environment variable with the file that receives a line for each run of rustc by the wrapper.
const LOG_VARIABLE: &str = "TMA_RUSTC_LOG";

/// Builds everything that `cargo xtask run` needs from scratch, and reports the time of each part
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fail if the build needs more runs of rustc or more time than its limits
    #[arg(long)]
    check: bool,
    /// Number of crates to list
    #[arg(long, default_value_t = 15)]
    crates: usize,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    measure(args).map(|()| ExitCode::SUCCESS)
}

/// Fails if the first `run` exceeds its limits.
pub(crate) fn check() -> Result<()> {
    measure(&Args {
        check: true,
        crates: 5,
    })
}

fn measure(args: &Args) -> Result<()> {
    let folder = target_dir().join("timings");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let round = calibrate()?;
    let log = folder.join("rustc.tsv");
    // A copy is needed, since cargo may have replaced this program's file since it started.
    let wrapper = folder.join(WRAPPER);
    fs::copy("/proc/self/exe", &wrapper).context("cannot copy this program")?;
    let built = folder.join("target");

    // A cache folder without a compiled `core` and without ptxas.
    let cache = folder.join("cache");
    let measured = |command: &mut Command| {
        without_clippy(command)
            .env("RUSTC_WRAPPER", &wrapper)
            .env(LOG_VARIABLE, &log);
        command.env("CARGO_TARGET_DIR", &built);
        timed(command.env("XDG_CACHE_HOME", &cache))
    };
    let xtask = measured(cargo().args(["build", "--package=xtask"]))?;
    let run = || {
        let mut xtask = Command::new(built.join("debug").join("xtask"));
        measured(xtask.args(["run", "--device", "emulator"]))
    };
    let first = run()?;
    let again = run()?;

    let runs =
        fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
    let mut crates: Vec<(f64, &str)> = runs
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(name, seconds)| Some((seconds.parse().ok()?, name)))
        .collect();
    let count = crates.len();
    crates.sort_by(|left, right| right.0.total_cmp(&left.0));
    let all = xtask + first;
    let rows = [
        ("cargo build --package=xtask", xtask),
        ("xtask run", first),
        ("both", all),
        ("xtask run, again", again),
    ];
    let mut lines = vec![["", "processor seconds", "rounds"].map(str::to_owned)];
    let mut line = |name: &str, seconds: f64| {
        lines.push([
            name.to_owned(),
            format!("{seconds:.1}"),
            format!("{:.1}", seconds / round),
        ]);
    };
    crates
        .iter()
        .take(args.crates)
        .for_each(|(seconds, name)| line(name, *seconds));
    rows.iter().for_each(|(name, seconds)| line(name, *seconds));
    say!(
        "{}\n\n{count} runs of rustc for the host; a round takes {round:.3} s",
        table(&lines)
    );
    if args.check {
        ensure!(
            count <= MOST_RUSTC_RUNS,
            "`cargo xtask run` takes {count} runs of rustc, more than {MOST_RUSTC_RUNS}; remove the new \
             dependency (cargo tree -p xtask -p kernel-cases)"
        );
        ensure!(
            all / round <= MOST_ROUNDS,
            "`cargo xtask run` takes {:.0} rounds, more than {MOST_ROUNDS}",
            all / round
        );
    }
    Ok(())
}

/// Runs rustc if cargo called this program as its wrapper.
pub(crate) fn wrapped() -> Option<Result<ExitCode>> {
    let log = env::var_os(LOG_VARIABLE)?;
    let program = env::args_os().next().map(PathBuf::from)?;
    if program.file_name()? != WRAPPER {
        return None;
    }
    Some(wrap(&log, env::args_os().skip(1).collect()))
}

fn wrap(log: &OsString, command: Vec<OsString>) -> Result<ExitCode> {
    let (rustc, arguments) = command
        .split_first()
        .context("cargo passed no path of rustc")?;
    let status = Command::new(rustc).args(arguments).status();
    let status = status.with_context(|| format!("cannot run {}", rustc.display()))?;
    let name = arguments
        .iter()
        .skip_while(|argument| *argument != "--crate-name")
        .nth(1);
    // Without a crate name, cargo only queries rustc.
    if let Some(name) = name.filter(|name| *name != "___") {
        let line = format!("{}\t{}\n", name.display(), children_seconds()?);
        let file = fs::OpenOptions::new().append(true).create(true).open(log);
        // A single write keeps lines of different processes separate.
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .with_context(|| format!("cannot write {}", log.display()))?;
    }
    Ok(exit_code(status))
}

/// Returns the processor seconds of a command and its child processes.
fn timed(command: &mut Command) -> Result<f64> {
    complain!("$ {}", shown(command));
    let before = children_seconds()?;
    output(command)?;
    Ok(children_seconds()? - before)
}

/// Returns the processor seconds of a fixed amount of arithmetic.
fn calibrate() -> Result<f64> {
    let before = own_seconds()?;
    let mut state = black_box(1_u64);
    for _ in 0..200_000_000_u32 {
        state = black_box(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        );
    }
    Ok((own_seconds()? - before).max(0.01))
}

fn own_seconds() -> Result<f64> {
    let [user, system, ..] = ticks()?;
    Ok((user + system) / TICKS)
}

/// Returns the processor seconds of this process's child processes that have ended.
pub(crate) fn children_seconds() -> Result<f64> {
    let [.., user, system] = ticks()?;
    Ok((user + system) / TICKS)
}

/// `USER_HZ`, which is fixed in Linux's interface.
const TICKS: f64 = 100.0;

/// Returns fields 14 to 17 of `/proc/self/stat` (proc_pid_stat(5)): this process, and its children.
fn ticks() -> Result<[f64; 4]> {
    let stat = fs::read_to_string("/proc/self/stat");
    let stat = stat.context("process times need /proc/self/stat, which only Linux has")?;
    // The program's name is in parentheses and may contain spaces.
    let (_, fields) = stat
        .rsplit_once(')')
        .context("/proc/self/stat has no `)`")?;
    let mut fields = fields.split_whitespace().skip(11).map(str::parse);
    let mut next = || {
        fields
            .next()
            .and_then(Result::ok)
            .context("/proc/self/stat is cut off")
    };
    Ok([next()?, next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_this_process_and_of_its_children_are_told_apart() {
        let (own, children) = (own_seconds().unwrap(), children_seconds().unwrap());
        assert!(calibrate().unwrap() > 0.0);
        assert!(own_seconds().unwrap() > own);
        assert_eq!(children_seconds().unwrap(), children);
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        assert!(timed(Command::new("sh").args(["-c", busy])).unwrap() > 0.0);
    }
}
