//! Compares collectives of two GPUs with NCCL and with the driver's copy of the same number of bytes, in
//! alternation; `--tune` finds the settings for the link between the two.
//!
//! The results are checked elsewhere: the test `collectives` of `kernels-host`.

mod measure;
#[path = "../../../../examples/programs/nccl.rs"]
#[allow(unreachable_pub, reason = "it is a public module of the examples")]
mod nccl;
#[path = "../../statistics.rs"]
#[allow(dead_code, reason = "the other program reports all of it")]
mod statistics;
mod tune;

use std::process::{Command, ExitCode};

use anyhow::{Error, Result, ensure};
use clap::Parser;
use kernels_host::Peers;
use measure::{Bench, Who};
use nccl::{Collective, Nccl};
use tests_records::origin;
use tma_host::{Device, devices};

/// More than the memory of any GPU.
const MOST_MIB: u64 = 1 << 20;

/// Measures collectives of two GPUs.
#[derive(Parser)]
struct Arguments {
    /// Number of timed runs of each; the median counts.
    #[arg(long, default_value_t = 30)]
    runs: usize,
    /// Size of the largest buffer in MiB.
    #[arg(long, default_value_t = 1024)]
    mib: u64,
    /// Find the fastest settings of the link instead of a comparison.
    #[arg(long)]
    tune: bool,
    /// Ordinals of the two GPUs.
    #[arg(long, num_args = 2, default_values_t = [0, 1])]
    gpus: Vec<u32>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    ensure!(arguments.runs > 0, "--runs must be greater than 0");
    ensure!(
        (1..=MOST_MIB).contains(&arguments.mib),
        "--mib {} must be 1 to {MOST_MIB}; use 1024",
        arguments.mib
    );
    ensure!(
        arguments.gpus[0] != arguments.gpus[1],
        "--gpus {0} {0} must be two GPUs; use 0 1",
        arguments.gpus[0]
    );
    let found = match devices() {
        Ok((_, devices)) => devices.len(),
        Err(error) if error.is_absent() => 0,
        Err(error) => return Err(error.into()),
    };
    let skipped = |why: String| {
        println!("skipped: needs two GPUs with peer access: {why}\n0 rows");
        Ok(ExitCode::SUCCESS)
    };
    if found < 2 {
        return skipped(format!("there are {found}"));
    }
    let open = |number: &u32| Device::gpu_numbered(*number);
    let gpus = arguments.gpus.iter().map(open);
    let gpus = gpus.collect::<std::result::Result<Vec<_>, _>>()?;
    let [first, second] = &gpus[..] else {
        anyhow::bail!("--gpus must be two numbers");
    };
    let peers = match Peers::new(first, second) {
        Err(refused)
            if refused.error_name.as_deref() == Some("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED") =>
        {
            return skipped(refused.to_string());
        }
        peers => peers?,
    };
    let driver = origin::driver().map_err(Error::msg)?;
    println!("{first} and {second}, driver {driver}, {}", origin::today());
    let link = link_gb_s(arguments.gpus[0]);
    match link {
        Some(gb_s) => println!("links: {gb_s:.0} GB/s each way, by nvidia-smi"),
        None => println!("links: unknown, since nvidia-smi lists none"),
    }
    let most_bytes = arguments.mib << 20;
    if arguments.tune {
        let bench = Bench::new([first, second], None, arguments.runs)?;
        tune::tune(&bench, most_bytes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let ordinals = [arguments.gpus[0] as i32, arguments.gpus[1] as i32];
    let nccl = Nccl::load().and_then(|nccl| {
        println!("NCCL {}", nccl.version()?);
        nccl.communicators(&ordinals)
    });
    let nccl = nccl.inspect_err(|why| println!("note: no comparison with NCCL: {why}"));
    let bench = Bench::new([first, second], nccl.ok(), arguments.runs)?;
    compare(&bench, &peers, most_bytes, link)
}

/// Returns the total rate of all links of a GPU.
fn link_gb_s(gpu: u32) -> Option<f64> {
    let mut command = Command::new("nvidia-smi");
    let command = command
        .args(["nvlink", "--status", "-i"])
        .arg(gpu.to_string());
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rate = |line: &str| {
        let (before, _) = line.split_once(" GB/s")?;
        before.rsplit(' ').next()?.parse::<f64>().ok()
    };
    let rates: Vec<f64> = text.lines().filter_map(rate).collect();
    (!rates.is_empty()).then(|| rates.iter().sum())
}

/// The calls, with their names.
const CALLS: [(&str, Collective); 3] = [
    ("all_gather", Collective::AllGather),
    ("reduce_scatter", Collective::ReduceScatter),
    ("all_reduce", Collective::AllReduce),
];

/// Measures all rows; returns a failure if a call is slower than NCCL's.
fn compare(
    bench: &Bench<'_>,
    peers: &Peers,
    most_bytes: u64,
    link: Option<f64>,
) -> Result<ExitCode> {
    println!(
        "{:<15} {:>11} {:>10} {:>8} {:>8} {:>10} {:>8} {:>10} {:>8}",
        "call", "bytes", "us", "GB/s", "of link", "copy us", "of copy", "NCCL us", "of NCCL"
    );
    let mut all = vec![Who::Ours(peers), Who::Copy];
    all.extend(bench.nccl.as_ref().map(Who::Nccl));
    let (mut rows, mut missed) = (0, 0);
    for (name, call) in CALLS {
        let sizes = (12..64).step_by(2).map(|bits| 1_u64 << bits);
        for bytes in sizes.take_while(|bytes| *bytes <= most_bytes) {
            let medians = bench.medians(&all, call, bytes)?;
            let (ours, copy) = (medians[0], medians[1]);
            let nccl = medians.get(2).copied();
            let gb_s = measure::moved_bytes(call, bytes) as f64 / ours / 1e3;
            let cell = |value: Option<f64>, digits| {
                value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
            };
            let is_missed = nccl.is_some_and(|nccl| nccl < ours);
            println!(
                "{name:<15} {bytes:>11} {ours:>10.1} {gb_s:>8.1} {:>8} {copy:>10.1} {:>8.3} {:>10} {:>8}{}",
                cell(link.map(|link| gb_s / link), 3),
                copy / ours,
                cell(nccl, 1),
                cell(nccl.map(|nccl| nccl / ours), 3),
                if is_missed { "  below 1" } else { "" }
            );
            rows += 1;
            missed += u32::from(is_missed);
        }
    }
    println!("{rows} rows, {missed} below NCCL");
    Ok(if missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_cannot_be_measured_are_refused() {
        for (arguments, expected) in [
            (&["--runs", "0"][..], "--runs must be greater than 0"),
            (&["--mib", "0"], "--mib 0 must be 1 to 1048576; use 1024"),
            (
                &["--mib", "17592186044416"],
                "--mib 17592186044416 must be 1 to 1048576; use 1024",
            ),
            (
                &["--gpus", "1", "1"],
                "--gpus 1 1 must be two GPUs; use 0 1",
            ),
        ] {
            let arguments = [&["peers"], arguments].concat();
            let refused = run(&Arguments::parse_from(arguments)).expect_err("they were taken");
            assert_eq!(refused.to_string(), expected);
        }
    }
}
