//! Deletes or alters one fence, wait, arrival, byte count, scope or guard of a kernel after the
//! other, and reports which check noticed.

use std::{
    io::{IsTerminal, Write as _, stderr, stdout},
    process::ExitCode,
    thread::available_parallelism,
    time::Instant,
};

use clap::Parser;
use tests::{
    KERNELS, Kernel,
    mutants::{self, Allowed, Plan, Summary},
};

/// Delete or alter one fence, wait, arrival, byte count, scope or guard of a kernel after the other,
/// and report which check noticed.
#[derive(Parser)]
struct Arguments {
    /// Only the mutants of this kernel.
    #[arg(long)]
    kernel: Option<String>,
    /// The first schedule on which each case is tried.
    #[arg(long, default_value_t = mutants::SEEDS.start)]
    seed: u64,
    /// The number of schedules.
    #[arg(long, default_value_t = mutants::SEEDS.end - mutants::SEEDS.start)]
    seeds: u64,
    /// Show only this mutant: its change and its reports.
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// List the mutants with their outcomes.
    #[arg(long)]
    list: bool,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Fail also if `docs/mutation.md` is about another run
    #[arg(long, conflicts_with_all = ["kernel", "seed", "seeds", "show"])]
    check: bool,
    /// Write `docs/mutation.md`
    #[arg(long, conflicts_with_all = ["kernel", "seed", "seeds", "show"])]
    bless: bool,
    /// Try only one of this many parts of the mutants, and fail if `docs/mutation.md` has another number of them
    #[arg(long, value_name = "PARTS", conflicts_with_all = ["kernel", "show", "check", "bless"])]
    part_of: Option<usize>,
    /// The number of that part, from 0.
    #[arg(long, default_value_t = 0, requires = "part_of")]
    part: usize,
    /// Number of mutants that are tried at the same time; by default the number of cores.
    #[arg(long)]
    threads: Option<usize>,
}

fn main() -> ExitCode {
    match mutate(&Arguments::parse()) {
        Ok((report, is_good)) => {
            // A reader that has closed the pipe, such as `head`, is not an error.
            let _ = stdout().write_all(report.as_bytes());
            if is_good {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the report, and whether every mutant was caught or is explained.
fn mutate(arguments: &Arguments) -> Result<(String, bool), String> {
    let start = Instant::now();
    let parts = arguments.part_of.map(|parts| [parts, arguments.part]);
    if let Some([parts, part]) = parts
        && part >= parts
    {
        return Err(format!(
            "--part {part}: of {parts} parts, the last one is number {}",
            parts.saturating_sub(1)
        ));
    }
    let allowed = Allowed::load().map_err(|error| format!("tests/mutants/allowed.txt: {error}"))?;
    let module = mutants::module()?;
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    let threads = arguments.threads.unwrap_or(cores);
    let kernels = kernels(arguments)?;
    let progress = |done, all| say(&format!("the cases of {done} of {all} kernels"));
    let subjects = mutants::subjects(&kernels, module, threads, &progress)?;
    let ids = subjects.iter().flat_map(|subject| &subject.mutants);
    let ids: Vec<&str> = ids.map(|mutant| mutant.id.as_str()).collect();
    if let Some(id) = &arguments.show
        && !ids.contains(&id.as_str())
    {
        let hint = tma_launch::suggestion(id, ids);
        return Err(format!("there is no mutant `{id}`; {hint}"));
    }
    let plan = Plan {
        seeds: arguments.seed..arguments.seed.saturating_add(arguments.seeds),
        threads,
        only: arguments.show.clone(),
        part: parts,
    };
    let progress = |done, all| say(&format!("{done} of {all} mutants"));
    let tried = mutants::run(&subjects, &allowed, &plan, &progress)?;
    say("");
    if let (Some(_), [only]) = (&arguments.show, &tried[..]) {
        return Ok((mutants::shown(only), true));
    }
    let stale = match (&arguments.kernel, parts) {
        (None, None) => allowed.stale(&tried),
        // A pattern does not name the kernel.
        _ => Vec::new(),
    };
    if parts.is_some() {
        mutants::check_survivors(&tried)?;
        mutants::check_counts(&subjects)?;
    }
    if arguments.check || arguments.bless {
        mutants::check(&tried)?;
        mutants::check_page(&tried, arguments.bless)?;
    }
    let is_good = Summary::of(&tried).unexplained == 0 && stale.is_empty();
    if arguments.json {
        return Ok((format!("{:#}\n", mutants::json(&tried, &stale)), is_good));
    }
    let mut report = String::new();
    if arguments.list {
        for one in &tried {
            report += &format!("{}\n", mutants::line(one));
        }
        report += "\n";
    }
    report += &mutants::table(&tried);
    report += &format!("\n{}", mutants::summary(&tried));
    for line in &stale {
        report += &format!("tests/mutants/allowed.txt is not true, {line}\n");
    }
    let (seconds, threads) = (start.elapsed().as_secs(), plan.threads);
    report += &format!("{seconds} s on {threads} threads\n");
    Ok((report, is_good))
}

/// The only line on a terminal.
fn say(line: &str) {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}

fn kernels(arguments: &Arguments) -> Result<Vec<&'static Kernel>, String> {
    let Some(name) = &arguments.kernel else {
        return Ok(KERNELS.iter().collect());
    };
    let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
    let kernel = kernel.ok_or_else(|| {
        let known = KERNELS.iter().map(|kernel| kernel.name);
        format!(
            "there is no kernel `{name}`; {}",
            tma_launch::suggestion(name, known)
        )
    })?;
    Ok(vec![kernel])
}
