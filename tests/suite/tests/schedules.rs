//! A search through all schedules proves the kernels at small sizes.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{
    cases::{Case, cases},
    is_long,
};
use tma_emulator::{Bounds, Config, EmulatorBackend, Verdict};
use tma_host::Capability;
use tma_launch::{Buffer, Job, Launch, Ptx};

#[path = "../../../crates/tma-emulator/src/session/every_schedule/tests/random.rs"]
mod random;

/// The most threads of a launch.
const MOST_THREADS: u64 = 512;

/// A group whose smallest launches have this many threads: a block that multiplies, and one that finishes.
const OF_MORE_THREADS: (&str, u64) = ("attention_backward/", 768);

/// The most schedules of a launch.
const BOUNDS: Bounds = Bounds {
    schedules: 1000,
    ..Bounds::NONE
};

/// Groups with a case of each entry; other groups have one case.
const EACH_ENTRY: &[&str] = &["clusters", "multicast", "pipelines"];

/// Groups without a case that is proved within the bound: blocks that draw counters for each head.
const NOT_PROVED: &[&str] = &["attention_decode"];

/// Only the first case of these groups is proved: larger ones have more schedules than the bound, or take minutes.
const FIRST_CASE: &[&str] = &[
    "add_one_ring",
    "copy_bulk",
    "gemm",
    "histogram",
    "producer_consumer",
    "stencil",
    "values",
];

fn main() {
    let key = |case: &Case| {
        let group = case.name.split('/').next().unwrap_or_default().to_owned();
        let launches = case.scenario.launches.iter();
        let entries = launches.map(|launch| launch.entry.clone());
        let entries: Vec<String> = match EACH_ENTRY.contains(&&*group) {
            true => entries.collect(),
            false => Vec::new(),
        };
        (group, entries)
    };
    let is_small = |case: &Case| {
        let (group, more) = OF_MORE_THREADS;
        let most = match case.name.starts_with(group) {
            true => more,
            false => MOST_THREADS,
        };
        let mut launches = case.scenario.launches.iter();
        launches.all(|launch| threads(launch) <= most)
    };
    let mut all: BTreeMap<_, Vec<Case>> = BTreeMap::new();
    let is_proved_here = |case: &Case| !NOT_PROVED.iter().any(|name| case.name.starts_with(name));
    let chosen = cases(Capability::LEAST).into_iter().filter(is_small);
    for case in chosen.filter(is_proved_here) {
        all.entry(key(&case)).or_default().push(case);
    }
    // A third down the list, where cases have items and remainders.
    let chosen = all.into_iter().map(|((group, _), mut cases)| {
        let is_first = FIRST_CASE.iter().any(|name| group.starts_with(name));
        let third = if is_first { 0 } else { cases.len() / 3 };
        cases.swap_remove(third)
    });
    let mut trials: Vec<Trial> = chosen
        .map(|case| Trial::test(case.name.clone(), move || is_proved(case)))
        .collect();
    assert!(!trials.is_empty(), "no case is small enough");
    trials.push(Trial::test(
        "seeds/find_nothing_more",
        seeds_find_nothing_more,
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn threads(launch: &Launch) -> u64 {
    launch.shape.grid.count() * launch.shape.block.count()
}

fn is_proved(case: Case) -> Result<(), Failed> {
    let entries = case.scenario.launches.iter().map(|launch| &*launch.entry);
    let text = case.module.parsed()?.extract_all(entries).to_string();
    let mut job = case.scenario.job(Ptx {
        name: "kernels.ptx",
        text: &text,
    });
    let explored = EmulatorBackend::new(0).check_every_schedule(&mut job, BOUNDS);
    for (number, launch) in explored
        .map_err(|failure| failure.to_string())?
        .iter()
        .enumerate()
    {
        if launch.verdict != Verdict::Proved {
            let findings = launch.report.diagnostics.iter();
            let findings: String = findings.map(|found| format!("\n{found}")).collect();
            return Err(format!("launch {number}: {:?}{findings}", launch.verdict).into());
        }
    }
    Ok(())
}

/// Random kernels that are proved, and seeds of each; with `--long` 100,000 schedules.
const PROVED_AND_SEEDS: (u64, u64) = (10, 25);
const LONG_PROVED_AND_SEEDS: (u64, u64) = (400, 250);

/// The most random kernels tried for each proof: most have an error, or a part of a warp at a barrier with a number of threads.
const KERNELS_PER_PROOF: u64 = 8;

/// Checks that schedules of seeds find no error in a kernel that a search has proved, and no more results than it.
fn seeds_find_nothing_more() -> Result<(), Failed> {
    let (wanted, seeds) = match is_long("seeds_find_nothing_more") {
        true => LONG_PROVED_AND_SEEDS,
        false => PROVED_AND_SEEDS,
    };
    let mut state = 1_u64;
    // Numerical Recipes' generator; its high bits are the better ones.
    let mut below = move |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let (mut proved, mut several) = (0, 0);
    for number in 0..wanted * KERNELS_PER_PROOF {
        if proved == wanted {
            break;
        }
        let warps = 2 + below(2);
        let body = random::random_kernel(&mut below, warps, 5 - warps);
        let text = random::kernel(&body);
        let job = || {
            let ptx = Ptx {
                name: "k.ptx",
                text: &text,
            };
            let mut job = Job::new(ptx);
            let numbers: Vec<u8> = (0..=255).collect();
            let out = job.buffer(Buffer::zeroed::<u32>("out", 64));
            let input = job.buffer(Buffer::new("in", &numbers));
            job.launch(
                Launch::new("k", 1, 32 * warps as u32)
                    .buffer(out)
                    .buffer(input),
            );
            job
        };
        let explored = EmulatorBackend::new(0).check_every_schedule(&mut job(), Bounds::NONE);
        let explored = explored
            .map_err(|failure| failure.to_string())?
            .swap_remove(0);
        if explored.verdict != Verdict::Proved {
            continue;
        }
        proved += 1;
        let mut results = BTreeSet::new();
        for seed in 0..seeds {
            // A wait that gives up, and is repeated, is not what is compared.
            let config = Config {
                seed,
                ..Config::default()
            };
            let mut job = job();
            let checked = EmulatorBackend::with_config(config).check(&mut job);
            let checked = checked.map_err(|failure| failure.to_string())?;
            if let Some(found) = checked.diagnostics.first() {
                return Err(format!("kernel {number}, seed {seed}: {found}\n{text}").into());
            }
            results.insert(job.buffers[0].bytes().to_vec());
        }
        if results.len() > explored.results {
            let counts = [results.len(), explored.results];
            return Err(format!("kernel {number}: {counts:?} results\n{text}").into());
        }
        several += u64::from(results.len() > 1);
    }
    match proved == wanted && several > wanted / 5 {
        true => Ok(()),
        false => {
            Err(format!("only {proved} kernels are proved, {several} with several results").into())
        }
    }
}
