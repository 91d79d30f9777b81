//! `timings`: where the time of the first `cargo xtask run` goes.
//!
//! Everything that it builds is built anew in a folder of its own. Time is that of the processors, which
//! does not depend on how many there are, and limits are in units of a loop that is measured
//! beside it, so that they hold, roughly, on slower and on busier machines.

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
    output::table,
    paths::target_dir,
    process::{cargo, exit_code, output, shown},
};

/// The most that `--check` allows.
const MOST_RUSTC_RUNS: usize = 85;
/// Processor time, in rounds of the calibration loop. It was 110 on one machine and 145 on another, whose processors are
/// quick at arithmetic and no quicker at compiling: the limit finds what adds a quarter to the slower of them.
const MOST_ROUNDS: f64 = 180.0;

/// This program is rustc's wrapper if this is its name.
const WRAPPER: &str = "rustc-wrapper";
/// Names the file that gets a line for each run of rustc by the wrapper.
const LOG_VARIABLE: &str = "TMA_RUSTC_LOG";

/// Builds from nothing what `cargo xtask run` needs, and says where the time went.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fail if it takes more runs of rustc or more time than it did
    #[arg(long)]
    check: bool,
    /// How many crates to name
    #[arg(long, default_value_t = 15)]
    crates: usize,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    measure(args).map(|()| ExitCode::SUCCESS)
}

/// Fails if the first `run` takes more than it did.
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
    // A copy: cargo may have built this program anew since it started, and then its file is gone.
    let wrapper = folder.join(WRAPPER);
    fs::copy("/proc/self/exe", &wrapper).context("cannot copy this program")?;
    let built = folder.join("target");

    // Where there is no compiled `core` yet, and no ptxas.
    let cache = folder.join("cache");
    let measured = |command: &mut Command| {
        command
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
        "{}\n\n{count} runs of rustc for this machine; a round is {round:.3} s",
        table(&lines)
    );
    if args.check {
        ensure!(
            count <= MOST_RUSTC_RUNS,
            "`cargo xtask run` takes {count} runs of rustc, more than {MOST_RUSTC_RUNS}; which \
             dependency is new? (cargo tree -p xtask -p kernel-cases)"
        );
        ensure!(
            all / round <= MOST_ROUNDS,
            "`cargo xtask run` takes {:.0} rounds, more than {MOST_ROUNDS}",
            all / round
        );
    }
    Ok(())
}

/// Runs rustc where cargo calls this program for it.
pub(crate) fn wrapped() -> Option<Result<ExitCode>> {
    let log = env::var_os(LOG_VARIABLE)?;
    let program = env::args_os().next().map(PathBuf::from)?;
    if program.file_name()? != WRAPPER {
        return None;
    }
    Some(wrap(&log, env::args_os().skip(1).collect()))
}

fn wrap(log: &OsString, command: Vec<OsString>) -> Result<ExitCode> {
    let (rustc, arguments) = command.split_first().context("cargo names no rustc")?;
    let status = Command::new(rustc).args(arguments).status();
    let status = status.with_context(|| format!("cannot run {}", rustc.display()))?;
    let name = arguments
        .iter()
        .skip_while(|argument| *argument != "--crate-name")
        .nth(1);
    // Without a name cargo only asks what rustc can do.
    if let Some(name) = name.filter(|name| *name != "___") {
        let line = format!("{}\t{}\n", name.display(), children_seconds()?);
        let file = fs::OpenOptions::new().append(true).create(true).open(log);
        // One write, so that lines of several processes do not mix.
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .with_context(|| format!("cannot write {}", log.display()))?;
    }
    Ok(exit_code(status))
}

/// Processor seconds of a command and what it starts.
fn timed(command: &mut Command) -> Result<f64> {
    complain!("$ {}", shown(command));
    let before = children_seconds()?;
    output(command)?;
    Ok(children_seconds()? - before)
}

/// Processor seconds of a fixed amount of arithmetic.
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

/// Processor seconds of the processes that this one has started, which have ended and were waited for.
pub(crate) fn children_seconds() -> Result<f64> {
    let [.., user, system] = ticks()?;
    Ok((user + system) / TICKS)
}

/// `USER_HZ`, which Linux promises to programs.
const TICKS: f64 = 100.0;

/// Fields 14 to 17 of `/proc/self/stat` (proc_pid_stat(5)): this process, and its children.
fn ticks() -> Result<[f64; 4]> {
    let stat = fs::read_to_string("/proc/self/stat");
    let stat = stat.context("times of processes are read from /proc/self/stat, as Linux has it")?;
    // The name of the program stands in parentheses and may hold blanks.
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
