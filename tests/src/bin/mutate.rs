//! Deletes or alters one fence, wait, arrival, byte count, scope or guard of a kernel after the
//! other, and says who noticed.

use std::{
    io::{IsTerminal, stderr},
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread::available_parallelism,
    time::Instant,
};

use clap::Parser;
use serde_json::{Value, json};
use tests::{
    KERNELS, KERNELS_PTX, Kernel,
    mutants::{Allowed, Mutant, Outcome, Subject, Summary, run},
};

/// Delete or alter one fence, wait, arrival, byte count, scope or guard of a kernel after the other,
/// and say who noticed.
#[derive(Parser)]
struct Arguments {
    /// Only the mutants of this kernel.
    #[arg(long)]
    kernel: Option<String>,
    /// Schedules on which each case is tried.
    #[arg(long, default_value_t = 4)]
    seeds: u64,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Show this mutant alone: what was changed, and what was said of it.
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// List the mutants with what became of each.
    #[arg(long)]
    list: bool,
    /// Mutants that are tried at the same time; as many as there are cores unless given.
    #[arg(long)]
    threads: Option<usize>,
}

fn main() -> ExitCode {
    match mutate(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A mutant that was tried.
struct Tried<'a> {
    subject: &'a Subject,
    mutant: &'a Mutant,
    outcome: Outcome,
    reason: Option<String>,
}

/// Gives whether every mutant was caught or is explained.
fn mutate(arguments: &Arguments) -> Result<bool, String> {
    let start = Instant::now();
    let allowed = Allowed::load().map_err(|error| format!("tests/mutants/allowed.txt: {error}"))?;
    let mut subjects = Vec::new();
    for kernel in kernels(arguments)? {
        subjects.extend(Subject::of_kernel(kernel, module()?)?);
    }
    let mutants = subjects.iter().flat_map(|subject| &subject.mutants);
    if let Some(id) = &arguments.show {
        let known: Vec<&str> = mutants.map(|mutant| mutant.id.as_str()).collect();
        if !known.contains(&id.as_str()) {
            let hint = launch::suggestion(id, known);
            return Err(format!("there is no mutant `{id}`; {hint}"));
        }
    }
    let total = match arguments.show {
        Some(_) => 1,
        None => subjects.iter().map(|subject| subject.mutants.len()).sum(),
    };
    let wanted = |mutant: &Mutant| arguments.show.as_ref().is_none_or(|id| mutant.id == *id);
    let threads = arguments
        .threads
        .or_else(|| Some(available_parallelism().ok()?.get()));
    let outcomes = run(
        &subjects,
        &wanted,
        arguments.seeds,
        threads.unwrap_or(1),
        &progress(total),
    )?;
    if stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    let mut tried = Vec::new();
    for (subject, outcomes) in subjects.iter().zip(outcomes) {
        for (mutant, outcome) in subject.mutants.iter().zip(outcomes) {
            let Some(outcome) = outcome else { continue };
            let reason = allowed.explain(&mutant.id);
            tried.push(Tried {
                subject,
                mutant,
                outcome,
                reason: reason.map(|explanation| explanation.reason.clone()),
            });
        }
    }
    if let (Some(_), [only]) = (&arguments.show, &tried[..]) {
        show(only);
        return Ok(true);
    }
    let mut total = Summary::default();
    for one in &tried {
        total.add(&one.outcome, one.reason.is_some());
    }
    // What one kernel does not have another may.
    let stale = match arguments.kernel {
        Some(_) => Vec::new(),
        None => {
            let id = |one| {
                let Tried {
                    mutant, outcome, ..
                }: &Tried<'_> = one;
                (mutant.id.as_str(), outcome.caught.is_none())
            };
            allowed.stale(&tried.iter().map(id).collect::<Vec<_>>())
        }
    };
    if arguments.json {
        let report = as_json(&tried, &stale);
        println!("{report:#}");
    } else {
        if arguments.list {
            tried.iter().for_each(list);
            println!();
        }
        print_table(&tried);
        println!(
            "\n{} s on {} threads",
            start.elapsed().as_secs(),
            threads.unwrap_or(1)
        );
        survivors(&tried);
        for line in &stale {
            println!("stale: tests/mutants/allowed.txt, {line}");
        }
    }
    Ok(total.unexplained == 0 && stale.is_empty())
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
            launch::suggestion(name, known)
        )
    })?;
    Ok(vec![kernel])
}

fn module() -> Result<launch::Ptx<'static>, String> {
    let module = KERNELS_PTX.iter().find(|module| module.arch == "sm_90a");
    Ok(module.ok_or("no module was built for sm_90a")?.ptx())
}

/// Counts along on a terminal.
fn progress(total: usize) -> impl Fn(usize) + Sync {
    let is_terminal = stderr().is_terminal();
    let shown = AtomicUsize::new(0);
    move |done| {
        if is_terminal && shown.fetch_max(done, Ordering::Relaxed) < done {
            eprint!("\r{} of {total} mutants", done.min(total));
        }
    }
}

/// The change, and what was said.
fn show(one: &Tried<'_>) {
    let Tried {
        subject,
        mutant,
        outcome,
        reason,
    } = one;
    println!(
        "{}: {}, line {} of the PTX",
        mutant.id, subject.kernel, mutant.line
    );
    let lines: Vec<&str> = subject.text.lines().collect();
    let at = mutant.line - 1;
    for (index, line) in lines
        .iter()
        .enumerate()
        .take(at + 4)
        .skip(at.saturating_sub(3))
    {
        if index == at {
            println!("-{line}");
            let indent = line.len() - line.trim_start().len();
            println!("+{}{}", &line[..indent], mutant.after);
        } else {
            println!(" {line}");
        }
    }
    match outcome.caught {
        Some(caught) => println!(
            "\ncaught ({}) in `{}` with seed {}:\n{}",
            caught.name(),
            outcome.case,
            outcome.seed,
            outcome.report
        ),
        None => {
            let cases = subject.cases.iter();
            let cases: Vec<String> = cases
                .map(|case| format!("`{}` ({} steps)", case.name(), case.steps))
                .collect();
            println!("\nsurvived {}", cases.join(", "));
            match reason {
                Some(reason) => println!("allowed: {reason}"),
                None => println!("unexplained"),
            }
        }
    }
}

/// A line: what became of a mutant.
fn list(one: &Tried<'_>) {
    let outcome = &one.outcome;
    let caught = outcome.caught.map_or("survived", |caught| caught.name());
    println!(
        "{caught:<9} {:<64} {}",
        one.mutant.id,
        outcome.kinds.join(" ")
    );
}

fn print_table(tried: &[Tried<'_>]) {
    let head = [
        "kernel",
        "mutants",
        "checker",
        "fault",
        "data",
        "survived",
        "explained",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    let row = |name: &str, counts: Summary| {
        let numbers = [
            counts.mutants,
            counts.checker,
            counts.fault,
            counts.data,
            counts.explained + counts.unexplained,
            counts.explained,
        ];
        let [a, b, c, d, e, f] = numbers.map(|number| number.to_string());
        [name.to_owned(), a, b, c, d, e, f]
    };
    let mut total = Summary::default();
    for kernel in KERNELS {
        let mut counts = Summary::default();
        for one in tried.iter().filter(|one| one.subject.kernel == kernel.name) {
            counts.add(&one.outcome, one.reason.is_some());
            total.add(&one.outcome, one.reason.is_some());
        }
        if counts.mutants > 0 {
            rows.push(row(kernel.name, counts));
        }
    }
    rows.push(row("all", total));
    for cells in &rows {
        let [name, numbers @ ..] = cells;
        print!("{name:<20}");
        numbers.iter().for_each(|number| print!("{number:>10}"));
        println!();
    }
    let (bugs, caught) = (total.bugs(), total.caught());
    let share = 100.0 * caught as f64 / bugs.max(1) as f64;
    println!(
        "\ncaught {caught} of {bugs} ({share:.1} %); {} more survived and are no bugs",
        total.explained
    );
}

/// Those that nobody noticed, and those that wrong results gave away.
fn survivors(tried: &[Tried<'_>]) {
    let of = |one: &&Tried<'_>, name: &str| one.outcome.caught.is_some_and(|c| c.name() == name);
    for one in tried.iter().filter(|one| of(one, "data")) {
        println!("by data alone: {}", one.mutant.id);
    }
    let survived = tried.iter().filter(|one| one.outcome.caught.is_none());
    for one in survived.filter(|one| one.reason.is_none()) {
        println!("survived, unexplained: {}", one.mutant.id);
    }
}

fn as_json(tried: &[Tried<'_>], stale: &[String]) -> Value {
    let mutants = tried.iter().map(|one| {
        let (mutant, outcome) = (one.mutant, &one.outcome);
        json!({
            "id": mutant.id,
            "kernel": one.subject.kernel,
            "entry": one.subject.entry,
            "operator": mutant.operator.name(),
            "line": mutant.line,
            "before": mutant.before,
            "after": mutant.after,
            "caught": outcome.caught.map(|caught| caught.name()),
            "findings": outcome.kinds,
            "case": outcome.case,
            "seed": outcome.seed,
            "explanation": one.reason,
        })
    });
    let mut total = Summary::default();
    for one in tried {
        total.add(&one.outcome, one.reason.is_some());
    }
    json!({
        "mutants": mutants.collect::<Vec<_>>(),
        "total": {
            "mutants": total.mutants,
            "checker": total.checker,
            "fault": total.fault,
            "data": total.data,
            "explained": total.explained,
            "unexplained": total.unexplained,
        },
        "stale": stale,
    })
}
