//! Compares collectives of two GPUs with NCCL and with the driver's copy of the same number of bytes, in
//! alternation.
//!
//! The results are checked elsewhere: the test `collectives` of `kernels-host`.

#[path = "../../../examples/programs/nccl.rs"]
#[allow(unreachable_pub, reason = "it is a public module of the examples")]
mod nccl;
#[path = "../statistics.rs"]
#[allow(dead_code, reason = "the other program reports all of it")]
mod statistics;

use std::process::{Command, ExitCode};

use anyhow::{Context, Error, Result, ensure};
use clap::Parser;
use cust::sys;
use kernels_host::Peers;
use nccl::{Collective, Communicators, Nccl, Rank};
use statistics::Spread;
use tests_records::origin;
use tma_host::{Buffer, Device, Stream, devices};

/// Measures collectives of two GPUs.
#[derive(Parser)]
struct Arguments {
    /// Number of timed runs of each; the median counts.
    #[arg(long, default_value_t = 30)]
    runs: usize,
    /// Size of the largest buffer in MiB.
    #[arg(long, default_value_t = 1024)]
    mib: u64,
    /// Ordinals of the two GPUs.
    #[arg(long, num_args = 2, default_values_t = [0, 1])]
    gpus: Vec<u32>,
}

/// Number of calls in a timed run.
const CALLS: u32 = 4;

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
    let ordinals = [arguments.gpus[0] as i32, arguments.gpus[1] as i32];
    let nccl = Nccl::load().and_then(|nccl| {
        println!("NCCL {}", nccl.version()?);
        nccl.communicators(&ordinals)
    });
    let nccl = nccl.inspect_err(|why| println!("note: no comparison with NCCL: {why}"));
    let bench = Bench {
        peers: &peers,
        nccl: nccl.ok(),
        streams: [first.stream(), second.stream()],
        hold: [first.zeroed(1 << 30)?, second.zeroed(1 << 30)?],
        runs: arguments.runs,
    };
    bench.table(arguments.mib << 20, link)
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

struct Bench<'a> {
    peers: &'a Peers,
    nccl: Option<Communicators>,
    streams: [Stream; 2],
    /// Filling these buffers gives the host time to queue a run.
    hold: [Buffer<u8>; 2],
    runs: usize,
}

/// The implementation of a call.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    Ours,
    Nccl,
    Copy,
}

impl Bench<'_> {
    /// Measures all rows; returns a failure if a goal is missed.
    fn table(&self, most_bytes: u64, link: Option<f64>) -> Result<ExitCode> {
        println!(
            "{:<15} {:>11} {:>10} {:>8} {:>8} {:>10} {:>8} {:>10} {:>8}",
            "call", "bytes", "us", "GB/s", "of link", "NCCL us", "of NCCL", "copy us", "of copy"
        );
        let (mut rows, mut missed) = (0, 0);
        let calls = [
            ("all_gather", Collective::AllGather),
            ("reduce_scatter", Collective::ReduceScatter),
            ("all_reduce", Collective::AllReduce),
        ];
        for (name, call) in calls {
            let sizes = (12..64).step_by(2).map(|bits| 1_u64 << bits);
            for bytes in sizes.take_while(|bytes| *bytes <= most_bytes) {
                let [ours, nccl, copy] = self.medians(call, bytes)?;
                let ours = ours.context("no measurement")?;
                // Bytes over the link each way.
                let moved = if call == Collective::AllReduce {
                    bytes
                } else {
                    bytes / 2
                };
                let gb_s = moved as f64 / ours / 1e3;
                let cell = |value: Option<f64>, digits| {
                    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
                };
                let of = |other: Option<f64>| other.map(|other| other / ours);
                let is_missed = of(nccl).is_some_and(|ratio| ratio < 1.0);
                println!(
                    "{name:<15} {bytes:>11} {ours:>10.1} {gb_s:>8.1} {:>8} {:>10} {:>8} {:>10} {:>8}{}",
                    cell(link.map(|link| gb_s / link), 3),
                    cell(nccl, 1),
                    cell(of(nccl), 3),
                    cell(copy, 1),
                    cell(of(copy), 3),
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

    /// Returns the microseconds of a call by each implementation.
    fn medians(&self, call: Collective, bytes: u64) -> Result<[Option<f64>; 3]> {
        const WARM_UPS: usize = 3;
        let [first, second] = self.peers.devices();
        let len = (bytes / 4) as usize;
        let mut buffers = [first.zeroed::<f32>(len)?, second.zeroed::<f32>(len)?];
        let all = [Who::Ours, Who::Nccl, Who::Copy];
        let mut times = [const { Vec::new() }; 3];
        for round in 0..WARM_UPS + self.runs {
            for turn in 0..all.len() {
                // A different implementation is first in each round.
                let index = (round + turn) % all.len();
                if all[index] == Who::Nccl && self.nccl.is_none() {
                    continue;
                }
                let time = self.microseconds(all[index], call, &mut buffers)?;
                if round >= WARM_UPS {
                    times[index].push(time);
                }
            }
        }
        Ok(times.map(|times| (!times.is_empty()).then(|| Spread::of(&times).median)))
    }

    /// Returns the time of one call in a run of several.
    fn microseconds(
        &self,
        who: Who,
        call: Collective,
        buffers: &mut [Buffer<f32>; 2],
    ) -> Result<f64> {
        let [one, other] = &self.streams;
        for (stream, hold) in self.streams.iter().zip(&self.hold) {
            let stream = raw(stream)?;
            // SAFETY: the buffer has the bytes and outlives the bench; the stream is of its GPU.
            let code =
                unsafe { sys::cuMemsetD32Async(hold.address(), 0, hold.len_bytes() / 4, stream) };
            succeed(code, "cuMemsetD32Async")?;
        }
        one.wait_for_each_other(other)?;
        let before = one.record()?;
        for _ in 0..CALLS {
            self.start(who, call, buffers)?;
        }
        let after = one.record()?;
        let elapsed = after.elapsed_since(&before)?;
        other.synchronise()?;
        Ok(1e6 * elapsed.as_secs_f64() / f64::from(CALLS))
    }

    fn start(
        &self,
        who: Who,
        call: Collective,
        [first, second]: &mut [Buffer<f32>; 2],
    ) -> Result<()> {
        if who == Who::Ours {
            let buffers = [first, second];
            return Ok(match call {
                Collective::AllGather => self.peers.all_gather(buffers),
                Collective::ReduceScatter => self.peers.reduce_scatter(buffers),
                Collective::AllReduce => self.peers.all_reduce(buffers),
            }?);
        }
        let buffers = [&*first, &*second];
        let len = first.len_elems();
        let own = |number: usize| buffers[number].at(number * len / 2).address();
        if who == Who::Copy {
            let moved = match call {
                Collective::AllReduce => first.len_bytes(),
                _ => first.len_bytes() / 2,
            };
            let [one, other] = &self.streams;
            one.wait_for_each_other(other)?;
            for (number, stream) in self.streams.iter().enumerate() {
                let (from, to) = (buffers[1 - number].address(), buffers[number].address());
                // SAFETY: both buffers have the bytes and outlive the run; each GPU reaches the memory of the other.
                let code = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, moved, raw(stream)?) };
                succeed(code, "cuMemcpyDtoDAsync")?;
            }
            return Ok(one.wait_for_each_other(other)?);
        }
        let nccl = self.nccl.as_ref().context("NCCL is missing")?;
        let rank = |number: usize| -> Result<Rank> {
            let whole = buffers[number].address();
            let (send, receive) = match call {
                Collective::AllGather => (own(number), whole),
                Collective::ReduceScatter => (whole, own(number)),
                Collective::AllReduce => (whole, whole),
            };
            let stream = raw(&self.streams[number])?.cast();
            Ok(Rank {
                send,
                receive,
                stream,
            })
        };
        let count = if call == Collective::AllReduce {
            len
        } else {
            len / 2
        };
        // SAFETY: both buffers have the numbers, in place as NCCL takes them, and outlive the run, which is waited for
        // (1).
        let started = unsafe { nccl.start(call, &[rank(0)?, rank(1)?], count) };
        started.map_err(Error::msg)
    }
}

/// Returns the driver's handle of a stream.
fn raw(stream: &Stream) -> Result<sys::CUstream> {
    let raw = stream.raw();
    Ok(raw.context("the emulator is not measured")?.cast())
}

fn succeed(code: sys::CUresult, function: &str) -> Result<()> {
    ensure!(
        code == sys::CUresult::CUDA_SUCCESS,
        "{function} failed: {code:?}"
    );
    Ok(())
}
