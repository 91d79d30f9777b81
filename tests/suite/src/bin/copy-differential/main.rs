//! Makes random copies on a GPU and on the emulator, and compares every byte.
//!
//! With one device alone, results are compared with the definition, for the cases that have
//! a written definition. A copy that stops the GPU ends it for the process: the program continues in a new
//! process, and counts the copy as different.

mod sides;

use std::{
    fs,
    ops::Range,
    path::PathBuf,
    process::{Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

use clap::{Parser, ValueEnum};
use tests::copies::{
    CopyCase, Excluded, Tally,
    generate::{Drawn, draw},
    record::{Sample, Samples},
    reference,
};
use tests_records::Origin;
use tma_launch::{Failure, Stage};

use sides::{Made, Sides};

/// Compare random copies on a GPU with those on the emulator, byte by byte.
#[derive(Parser)]
struct Arguments {
    /// The devices that make the copies.
    #[arg(long, value_enum, default_value_t = Devices::Both)]
    device: Devices,
    /// The number of copies.
    #[arg(long, default_value_t = 20_000)]
    cases: u64,
    /// The number of the first.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Copies of a job.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// The number of differences to show.
    #[arg(long, default_value_t = 10)]
    show: u64,
    /// Include the copies that are excluded for this reason.
    #[arg(long, value_name = "REASON")]
    with: Vec<Excluded>,
    /// Write the first cases with digests of the outputs here, compressed.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The number of cases to write.
    #[arg(long, value_name = "CASES", default_value_t = 2000)]
    record_cases: u64,
    /// Number of copies that stop the GPU before the program ends; each takes some seconds.
    #[arg(long, value_name = "COPIES", default_value_t = 5)]
    most_stops: u64,
    /// Number of first cases that run in small jobs, to find one that stops the GPU.
    #[arg(long, default_value_t = 0, hide = true)]
    suspects: u64,
    /// The counts of the processes before this one.
    #[arg(long, hide = true)]
    counted: Option<String>,
}

/// The devices that make the copies.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Devices {
    /// Both devices
    Both,
    /// A GPU only
    Gpu,
    /// The emulator only
    Emulator,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    run(&arguments).unwrap_or_else(|message| {
        eprintln!("error: {message}");
        ExitCode::FAILURE
    })
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let begin = Instant::now();
    let devices = arguments.device;
    let mut sides = Sides::open(devices != Devices::Emulator, devices != Devices::Gpu)?;
    let mut ledger = Ledger::new(arguments)?;
    println!(
        "{}: cases {}..{} of seed {}, compared with {}",
        sides.name(),
        arguments.first,
        arguments.first + arguments.cases,
        arguments.seed,
        match devices {
            Devices::Both => "the emulator",
            _ => "the definition, where it is written down",
        }
    );
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut last_report = begin;
    for round in batches(arguments).chunks(threads) {
        let drawn: Vec<Vec<Drawn>> = round
            .iter()
            .map(|batch| {
                let draw = |number| draw(arguments.seed, number, &arguments.with);
                batch.clone().map(draw).collect()
            })
            .collect();
        let cases: Vec<Vec<CopyCase>> = drawn
            .iter()
            .map(|drawn| drawn.iter().map(|drawn| drawn.case.clone()).collect())
            .collect();
        let seeds: Vec<u64> = round.iter().map(|batch| batch.start).collect();
        for (made, drawn) in sides.make(&cases, &seeds).into_iter().zip(&drawn) {
            match (made.gpu, made.emulator) {
                (Some(Err(failure)), _) => return ledger.stopped(failure, drawn),
                (Some(Ok(outputs)), emulated) => {
                    ledger.judge(drawn, outputs.into_iter().map(Ok).collect(), emulated);
                }
                (None, Some(outputs)) => ledger.judge(drawn, outputs, None),
                (None, None) => {}
            }
        }
        if last_report.elapsed() >= Duration::from_secs(1) {
            last_report = Instant::now();
            let (cases, different) = ledger.tally.all;
            let seconds = begin.elapsed().as_secs_f64();
            println!("{cases} cases, {different} different, {seconds:.1} s");
        }
    }
    println!("\n{}", ledger.tally);
    println!("{}, of {threads} threads together", sides.times());
    if let Some(path) = &arguments.record {
        let (origin, samples) = (Origin::now(&sides.name(), Samples::ran())?, ledger.samples);
        fs::write(path, Samples { origin, samples }.pack())
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(match ledger.tally.all {
        (1.., 0) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Into how many jobs the cases go of a job that stopped the GPU.
const PARTS: u64 = 20;

/// The numbers of the cases of each job.
fn batches(arguments: &Arguments) -> Vec<Range<u64>> {
    let end = arguments.first + arguments.cases;
    let suspects = arguments.suspects.min(arguments.cases);
    let split = |from: u64, to: u64, step: u64| {
        let starts = (from..to).step_by(step as usize);
        starts.map(move |start| start..(start + step).min(to))
    };
    let middle = arguments.first + suspects;
    let small = split(arguments.first, middle, suspects.div_ceil(PARTS).max(1));
    small.chain(split(middle, end, arguments.batch)).collect()
}

/// The results so far.
struct Ledger<'a> {
    arguments: &'a Arguments,
    tally: Tally,
    samples: Vec<Sample>,
    /// The number of the next case.
    next: u64,
    shown: u64,
}

impl<'a> Ledger<'a> {
    fn new(arguments: &'a Arguments) -> Result<Self, String> {
        let tally = match &arguments.counted {
            None => Tally::default(),
            Some(line) => Tally::from_line(line).ok_or("`--counted` makes no sense")?,
        };
        Ok(Self {
            arguments,
            tally,
            samples: Vec::new(),
            next: arguments.first,
            shown: 0,
        })
    }

    /// Compares the outputs of a batch with the emulator's, or with the definition.
    fn judge(&mut self, drawn: &[Drawn], made: Vec<Made>, emulated: Option<Vec<Made>>) {
        let mut emulated = emulated.map(Vec::into_iter);
        for (Drawn { case, excluded }, made) in drawn.iter().zip(made) {
            let expected = match &mut emulated {
                Some(emulated) => emulated.next(),
                None => reference::expected(case).map(Ok),
            };
            let difference = match (&made, expected) {
                (Err(failure), _) => Some(failure.clone()),
                (Ok(_), Some(Err(failure))) => Some(failure),
                (Ok(made), Some(Ok(expected))) => made.difference(&expected),
                (Ok(_), None) => None,
            };
            self.tally.exclude(excluded);
            self.tally.add(case, difference.is_some());
            if let Some(difference) = difference {
                self.shown += 1;
                if made.is_err() || self.shown <= self.arguments.show {
                    self.show(case, &difference);
                }
            }
            if self.next < self.arguments.record_cases
                && let Ok(output) = &made
            {
                self.samples.push(Sample {
                    case: case.clone(),
                    digest: output.digest(),
                });
            }
            self.next += 1;
        }
    }

    fn show(&self, case: &CopyCase, difference: &str) {
        let (seed, number) = (self.arguments.seed, self.next);
        let with = self
            .arguments
            .with
            .iter()
            .map(|reason| format!(" --with {}", reason.name()));
        let with: String = with.collect();
        println!(
            "case {number} differs: {difference}\n{case}\n  again: copy-differential --seed {seed} --first {number} --cases 1{with}"
        );
    }

    /// A job stopped the GPU, which this process can no longer use. A new process repeats its
    /// cases in smaller jobs or, after a single case, continues with the next one.
    fn stopped(&mut self, failure: Failure, drawn: &[Drawn]) -> Result<ExitCode, String> {
        if failure.stage < Stage::Check {
            return Err(failure.to_string());
        }
        let arguments = self.arguments;
        let mut suspects = drawn.len() as u64;
        if let [_] = drawn {
            self.judge(drawn, vec![Err(failure.to_string())], None);
            self.tally.stops += 1;
            suspects = 0;
        }
        if self.tally.stops >= arguments.most_stops.max(1) {
            println!("\n{}", self.tally);
            return Err(format!(
                "{} copies stopped the GPU, and those from case {} on were not made",
                self.tally.stops, self.next
            ));
        }
        if arguments.record.is_some() {
            println!("a copy stopped the GPU: no record is written");
        }
        let end = arguments.first + arguments.cases;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut program = Command::new(program);
        let number = |name: &str, number: u64| [format!("--{name}"), number.to_string()];
        program
            .args([
                "--device",
                if arguments.device == Devices::Gpu {
                    "gpu"
                } else {
                    "both"
                },
            ])
            .args(number("seed", arguments.seed))
            .args(number("first", self.next))
            .args(number("cases", end - self.next))
            .args(number("batch", arguments.batch))
            .args(number("show", arguments.show.saturating_sub(self.shown)))
            .args(number("suspects", suspects))
            .args(number("most-stops", arguments.most_stops))
            .args(
                arguments
                    .with
                    .iter()
                    .flat_map(|reason| ["--with", reason.name()]),
            )
            .args(["--counted", &self.tally.to_line()]);
        let status = program.status().map_err(|error| error.to_string())?;
        Ok(match status.success() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }
}
