//! Latencies of dependent operations, in cycles counted by the kernels themselves.

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use tensor_map::{DataType, TensorMap};
use tma_host::{Argument, Buffer, Module, Shape};

use crate::{
    cases::gather::datasets, measure::Bench, pattern::hash, setup::Setup, statistics::Spread,
    work::set,
};

/// The entries by name.
pub(crate) const NAMES: &[&str] = &[
    "load_latency",
    "box_latency",
    "replace_latency",
    "ring_latency",
];

/// Maximum ratio of a kernel's cycles to its CUDA version's.
const GOAL: f64 = 1.05;
/// Number of operations of each kind.
const COUNT: u32 = 256;

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Latency {
    pub(crate) name: String,
    /// Cycles of one operation.
    pub(crate) rust: Spread,
    pub(crate) cuda: Option<Spread>,
}

impl Latency {
    /// Returns the ratio to the cycles of the CUDA version.
    pub(crate) fn of_cuda(&self) -> Option<f64> {
        Some(self.rust.median / self.cuda?.median)
    }

    pub(crate) fn is_reached(&self) -> bool {
        self.short().is_none()
    }

    /// Describes the goal if it is missed.
    pub(crate) fn short(&self) -> Option<String> {
        let of_cuda = self.of_cuda().filter(|of_cuda| *of_cuda > GOAL)?;
        let name = &self.name;
        Some(format!(
            "{name}: {of_cuda:.3} of its CUDA version's cycles, {GOAL:.2} allowed"
        ))
    }
}

/// A launch and its number of repetitions; the kernel's numbers are written to the arena's sums.
struct Case {
    name: String,
    entry: &'static str,
    shape: Shape,
    values: Vec<Argument>,
    /// True if the data has been loaded before.
    warm: bool,
}

/// Measures the latencies of the selected entries; errors are added to the failures.
pub(crate) fn rows(
    bench: &Bench<'_>,
    setup: Setup<'_>,
    wanted: &impl Fn(&str) -> bool,
    failures: &mut Vec<String>,
) -> Vec<Latency> {
    let mut rows = Vec::new();
    let cases = match cases(bench, setup) {
        Ok(cases) => cases,
        Err(error) => {
            failures.push(format!("latencies: {error:#}"));
            return rows;
        }
    };
    for case in cases.iter().filter(|case| wanted(case.entry)) {
        match row(bench, case) {
            Ok(row) => rows.push(row),
            Err(error) => failures.push(format!("{}: {error:#}", case.name)),
        }
    }
    rows
}

fn cases(bench: &Bench<'_>, setup: Setup<'_>) -> Result<Vec<Case>> {
    let sums = &bench.arena.sums;
    let at = |words: u64| Argument::Address(sums.address() + 4 * words);
    let count = Argument::scalar(COUNT);
    let mut cases = Vec::new();
    for (bytes, name) in [(256_u32, "256 B"), (4096, "4 KiB"), (16384, "16 KiB")] {
        for (warm, from) in [(true, "L2"), (false, "memory")] {
            let stride = Argument::scalar(65536_u32);
            let values = vec![
                Argument::Address(setup.src),
                Argument::scalar(bytes),
                stride,
                count.clone(),
                at(0),
            ];
            cases.push(Case {
                name: format!("load_latency {name} from {from}"),
                entry: "load_latency",
                shape: Shape::new(1, 32).shared_bytes(bytes),
                values,
                warm,
            });
        }
    }
    let [data, _] = datasets(setup.bytes);
    cases.push(Case {
        name: "box_latency 2x2x32 f16 from L2".to_owned(),
        entry: "box_latency",
        shape: Shape::new(1, 32),
        values: vec![
            Argument::EncodedMap(Box::new((setup.encode)(data.boxes().into(), setup.src)?)),
            Argument::Address(setup.positions[0]),
            count.clone(),
            at(0),
        ],
        warm: true,
    });
    let box_map = TensorMap::tiled(DataType::I32, &[64, 64]).box_dims(&[64, 64]);
    cases.push(Case {
        name: "replace_latency: edit, release, acquire, load 64x64 i32".to_owned(),
        entry: "replace_latency",
        shape: Shape::new(1, 32).shared_bytes(16384),
        values: vec![
            Argument::EncodedMap(Box::new((setup.encode)(box_map.into(), setup.src)?)),
            Argument::scalar(setup.src),
            Argument::scalar(REPLACE_STRIDE),
            // The map follows the numbers.
            at(MAP_AT),
            count,
            at(0),
            at(u64::from(COUNT)),
        ],
        warm: true,
    });
    for blocks in [2, 4, 8] {
        cases.push(Case {
            name: format!("ring_latency: a hop in a cluster of {blocks}"),
            entry: "ring_latency",
            shape: Shape::new(blocks, 32).cluster(blocks),
            values: vec![Argument::scalar(COUNT), at(0)],
            warm: true,
        });
    }
    Ok(cases)
}

/// Bytes from one tensor to the next.
const REPLACE_STRIDE: u32 = 16384;
/// Words before the map, after both lists: a multiple of 128 bytes.
const MAP_AT: u64 = 1024;

fn row(bench: &Bench<'_>, case: &Case) -> Result<Latency> {
    let rust = cycles(bench, &bench.modules.helpers, case).context("the Rust kernel")?;
    let cuda = bench.modules.cuda.as_ref();
    let cuda = cuda.map(|cuda| cycles(bench, cuda, case).context("the CUDA version"));
    Ok(Latency {
        name: case.name.clone(),
        rust,
        cuda: cuda.transpose()?,
    })
}

fn cycles(bench: &Bench<'_>, module: &Module, case: &Case) -> Result<Spread> {
    let function = module.function(case.entry)?;
    let sums: &Buffer<u32> = &bench.arena.sums;
    // The first run warms the instruction cache and, if requested, the data cache.
    for run in 0..3 {
        if run == 0 || !case.warm {
            bench.timer.flush()?;
        }
        set(bench.gpu, sums.address(), 0, sums.len_bytes() as u64)?;
        // SAFETY: the case's arguments match the kernel (1), within the source and the sums (2), which are read
        // below (3, 4).
        unsafe { function.launch(case.shape, case.values.as_slice()) }?;
    }
    let numbers = sums.read()?;
    let count = COUNT as usize;
    if case.entry == "ring_latency" {
        let wide = |at: usize| u64::from(numbers[at]) | u64::from(numbers[at + 1]) << 32;
        let hops = u64::from(COUNT) * case.shape.grid.count();
        ensure!(
            wide(2) == hops,
            "the number came to {} in place of {hops}",
            wide(2)
        );
        return Ok(Spread::of(&[wide(0) as f64 / hops as f64]));
    }
    if case.entry == "replace_latency" {
        for round in 0..count {
            let word = round as u64 * u64::from(REPLACE_STRIDE) / 4;
            ensure!(
                numbers[count + round] == hash(word),
                "round {round} loaded another tensor"
            );
        }
    }
    let cycles: Vec<f64> = numbers[..count]
        .iter()
        .map(|cycles| f64::from(*cycles))
        .collect();
    ensure!(
        cycles.iter().all(|cycles| *cycles > 0.0),
        "a load took no time"
    );
    Ok(Spread::of(&cycles))
}
