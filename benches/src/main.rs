//! `bench`: compares the kernels with CUDA C++ versions on a GPU. Needs only a driver.

mod arena;
mod case;
mod cases;
mod chart;
mod compiled;
#[cfg(test)]
mod emulated;
mod latency;
mod limit;
mod machine;
mod measure;
mod modules;
#[cfg(test)]
mod of_both;
mod pattern;
mod rates;
mod report;
mod setup;
mod smi;
mod statistics;
mod table;
mod tune;
mod work;

use std::{cell::RefCell, fs, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use tensor_map::Params;
use tma_host::Device;

use crate::{
    arena::Arena,
    case::Case,
    compiled::Compiled,
    machine::Machine,
    measure::{Bench, Row, With},
    modules::{BUILT, Built},
    rates::Means,
    report::Report,
    setup::Setup,
    smi::Smi,
    work::Timer,
};

/// Entries with copies issued by several lanes on purpose.
const LOOPS_ALLOWED: &[&str] = &["tile_gather_lanes", "gather_rows", "hwc_tile_lanes"];

/// Compares the kernels with CUDA versions, the driver's copy and the memory bandwidth limit.
#[derive(Parser)]
struct Arguments {
    /// Only rows whose names contain one of these.
    rows: Vec<String>,
    /// Number of timed runs of each; use 30 or more for published figures.
    #[arg(long, default_value_t = 40)]
    runs: usize,
    /// Size of the source and of the destination in MiB, a power of two.
    #[arg(long, default_value_t = 4096)]
    mib: u64,
    /// Ordinal of the GPU.
    #[arg(long)]
    gpu: Option<u32>,
    /// Use this PTX of the kernels instead of the program's own, such as another code generator's.
    #[arg(long)]
    kernels: Option<PathBuf>,
    /// Folder for bench.json, bench.txt and bench.svg, or for sweep.tsv, or for the device's settings and tune.tsv.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Try stages, sizes and blocks per multiprocessor instead, and list the best.
    #[arg(long)]
    sweep: bool,
    /// Find the fastest setting of each streaming kernel instead, and write this device's file for
    /// `kernels_gpu::settings`.
    #[arg(long, conflicts_with = "sweep")]
    tune: bool,
    /// Measure even if the GPU is busy or throttled.
    #[arg(long)]
    force: bool,
    /// Print a JSON report on the compiled kernels instead; needs no GPU.
    #[arg(long)]
    compile_only: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = if arguments.compile_only {
        compile_only()
    } else {
        run(&arguments)
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a report for each architecture; complaints go to standard error.
fn compile_only() -> Result<ExitCode> {
    let all = BUILT
        .iter()
        .map(Compiled::make)
        .collect::<Result<Vec<_>>>()?;
    println!("{}", serde_json::to_string_pretty(&all)?);
    let mut good = true;
    for compiled in &all {
        eprintln!(
            "{}\n",
            table::compiled(compiled, compiled.kernels.keys().map(String::as_str))
        );
        for complaint in compiled.complaints(LOOPS_ALLOWED) {
            eprintln!("{}: {complaint}", compiled.arch);
            good = false;
        }
    }
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    ensure!(
        arguments.mib.is_power_of_two() && arguments.mib >= 16,
        "--mib must be a power of two of at least 16"
    );
    ensure!(arguments.runs > 0, "--runs must be greater than 0");
    let before = Smi::ask_at_rest(arguments.gpu.unwrap_or(0));
    let gpu = match arguments.gpu {
        Some(ordinal) => Device::gpu_numbered(ordinal)?,
        None => Device::gpu()?,
    };
    let mut built = *Built::for_capability(gpu.capability())?;
    if let Some(path) = &arguments.kernels {
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        built.kernels = text.leak();
    }
    if arguments.tune {
        built = built.only(cases::streaming::is_entry)?;
    }
    let modules = built.load(&gpu)?;
    if modules.cuda.is_none() {
        eprintln!(
            "note: this program was built without nvcc, so there are no CUDA kernels to compare with"
        );
    }
    let machine = Machine::of(&gpu, &modules, before)?;
    println!("{}", table::machine(&machine));
    let timer = Timer::new(&gpu, machine.l2_bytes)?;
    let arena = Arena::new(&gpu, &modules, arguments.mib << 20).context(
        "cannot allocate the memory to measure; use a smaller --mib, at most two thirds of the GPU's memory in total",
    )?;
    let means = Means {
        machine: &machine,
        modules: &modules,
        arena: &arena,
        timer: &timer,
    };
    let rates = means.rates().context("the rates of the GPU")?;
    println!("{}", table::rates(&rates));
    let bench = Bench {
        rates,
        gpu: &gpu,
        modules: &modules,
        text: ptx::parse(built.kernels)?,
        arena: &arena,
        timer: &timer,
        rounds: arguments.runs,
        expected: RefCell::default(),
    };

    let copies = bench.steady_copies()?;
    println!(
        "driver's copy of {} MiB: {:.1} us, {:.0} GB/s, +-{:.1} %\n",
        arguments.mib,
        1e3 * copies.median,
        2.0 * arena.bytes() as f64 / copies.median / 1e6,
        50.0 * copies.relative()
    );
    let unfit = machine.unfit(copies);
    if !unfit.is_empty() && !arguments.force {
        bail!(
            "this GPU is not ready for measurements (use --force to measure anyway): {}",
            unfit.join("; ")
        );
    }
    let encode = |params: Params, address| Ok(tma_host::encode(&gpu, params, address)?);
    let device = gpu.description();
    let setup = arena.setup(&gpu, &device, &encode);
    if arguments.tune {
        tune(arguments, &bench, setup, &machine)
    } else if arguments.sweep {
        sweep(arguments, &bench, setup)
    } else {
        rows(arguments, &bench, setup, machine, unfit)
    }
}

/// Measures all rows of the table.
fn rows(
    arguments: &Arguments,
    bench: &Bench<'_>,
    setup: Setup<'_>,
    machine: Machine,
    unfit: Vec<String>,
) -> Result<ExitCode> {
    let all = cases::all(setup)?;
    let (chosen, wanted) = chosen(all, &arguments.rows)?;
    let (rows, mut failures) = measured(&chosen, bench, With::All);
    let latencies = latency::rows(bench, setup, &wanted, &mut failures);

    let after = bench.gpu.properties();
    let after = after.and_then(|gpu| Smi::ask(gpu.ordinal));
    let mut notes = unfit;
    notes.extend(
        after
            .iter()
            .flat_map(|smi| smi.throttled())
            .map(|why| format!("at the end, {why}")),
    );
    let copies = bench.copies(20)?;
    let report = Report {
        rates: bench.rates,
        compiled: Compiled::beside_program(&machine.arch).filter(|_| arguments.kernels.is_none()),
        machine,
        rows,
        latencies,
        failures,
        notes,
        runs: arguments.runs,
        copies_at_the_end: copies,
        after,
    };
    println!("{}", report.text());
    if let Some(folder) = &arguments.out {
        report.write(folder)?;
    }
    let good = report.failures.is_empty() && report.reaches_all();
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Measures every setting of every kernel, the best first.
fn sweep(arguments: &Arguments, bench: &Bench<'_>, setup: Setup<'_>) -> Result<ExitCode> {
    let all = cases::sweep(setup)?;
    let (chosen, _) = chosen(all, &arguments.rows)?;
    let (mut rows, failures) = measured(&chosen, bench, With::Alone);
    rows.sort_by(|a, b| {
        a.kernel
            .cmp(b.kernel)
            .then(b.rust.gb_s.total_cmp(&a.rust.gb_s))
    });
    println!("{}", report::sweep(&rows, 8));
    for failure in &failures {
        println!("FAIL {failure}");
    }
    if let Some(folder) = &arguments.out {
        report::write(folder, "sweep.tsv", &report::tsv(&rows))?;
    }
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Finds the fastest settings.
fn tune(
    arguments: &Arguments,
    bench: &Bench<'_>,
    setup: Setup<'_>,
    machine: &Machine,
) -> Result<ExitCode> {
    let wanted = |name: &str| {
        let mut names = arguments.rows.iter();
        arguments.rows.is_empty() || names.any(|part| name.contains(part.as_str()))
    };
    let tuned = tune::tune(bench, setup, machine, wanted)?;
    println!("{}\n\n{}", tuned.text, tuned.table);
    for failure in &tuned.failures {
        println!("FAIL {failure}");
    }
    if let Some(folder) = &arguments.out {
        let file = tune::file_name(&tuned.table.device);
        report::write(folder, &file, &tuned.table.to_string())?;
        report::write(folder, "tune.tsv", &tuned.all)?;
        let text = format!("{}\n\n{}\n", table::machine(machine), tuned.text);
        report::write(folder, "tune.txt", &text)?;
    }
    Ok(if tuned.failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the selected cases, and a predicate for selected names.
fn chosen(all: Vec<Case>, names: &[String]) -> Result<(Vec<Case>, impl Fn(&str) -> bool)> {
    let wanted =
        |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let known: Vec<String> = all.iter().map(Case::name).collect();
    let chosen: Vec<Case> = all
        .into_iter()
        .filter(|case| wanted(&case.name()))
        .collect();
    let is_latency = latency::NAMES.iter().any(|name| wanted(name));
    ensure!(
        !chosen.is_empty() || is_latency,
        "no row has such a name; the rows are\n{}\n{}",
        known.join("\n"),
        latency::NAMES.join("\n")
    );
    Ok((chosen, wanted))
}

/// Measures rows; failures are returned as text.
fn measured(cases: &[Case], bench: &Bench<'_>, with: With) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for case in cases {
        match bench.row(case, with) {
            Ok(row) => {
                eprintln!(
                    "{:<60} {:8.1} us {:7.0} GB/s",
                    row.name(),
                    1e3 * row.rust.milliseconds.median,
                    row.rust.gb_s
                );
                rows.push(row);
            }
            Err(error) => {
                let failure = format!("{}: {error:#}", case.name());
                eprintln!("FAIL {failure}");
                failures.push(failure);
            }
        }
    }
    (rows, failures)
}
