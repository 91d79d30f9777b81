//! A search through all schedules proves the kernels at small sizes.

use std::collections::BTreeSet;

use libtest_mimic::{Arguments, Failed, Trial};
use tests::cases::{Case, cases};
use tma_emulator::{Bounds, EmulatorBackend, Verdict};
use tma_host::Capability;
use tma_launch::{Launch, Ptx};

/// The most threads of a launch.
const MOST_THREADS: u64 = 512;

/// The most schedules of a launch.
const BOUNDS: Bounds = Bounds { schedules: 100 };

/// Groups with a case of each entry; other groups have their first case.
const EACH_ENTRY: &[&str] = &["clusters", "multicast", "pipelines"];

fn main() {
    let mut seen = BTreeSet::new();
    let mut is_new = |case: &Case| {
        let group = case.name.split('/').next().unwrap_or_default().to_owned();
        let launches = case.scenario.launches.iter();
        let entries = launches.map(|launch| launch.entry.clone());
        let entries: Vec<String> = match EACH_ENTRY.contains(&&*group) {
            true => entries.collect(),
            false => Vec::new(),
        };
        seen.insert((group, entries))
    };
    let is_small = |case: &Case| {
        let mut launches = case.scenario.launches.iter();
        launches.all(|launch| threads(launch) <= MOST_THREADS)
    };
    let trials: Vec<Trial> = cases(Capability::LEAST)
        .into_iter()
        .filter(|case| is_small(case) && is_new(case))
        .map(|case| Trial::test(case.name.clone(), move || is_proved(case)))
        .collect();
    assert!(!trials.is_empty(), "no case is small enough");
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn threads(launch: &Launch) -> u64 {
    launch.shape.grid.count() * launch.shape.block.count()
}

fn is_proved(case: Case) -> Result<(), Failed> {
    let mut job = case.scenario.job(Ptx {
        name: "kernels.ptx",
        text: case.module.text,
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
