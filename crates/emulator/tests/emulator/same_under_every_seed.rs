//! What the checker finds in generated kernels is the same whatever the schedule was.

use std::collections::BTreeSet;

use tma_emulator::{Config, EmulatorBackend, check::Kind};
use tma_launch::{Buffer, Job, Launch, Ptx};

use crate::protocol::{OUTPUT_WORDS, THREADS, protocol};

const KERNELS: u64 = 300;
const SEEDS: u64 = 64;

/// Numbers that a seed repeats.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    }
}

/// The kinds that are found, and whether the kernel ran to its end.
fn found(text: &str, seed: u64) -> (BTreeSet<Kind>, bool) {
    let words = vec![7_u32; OUTPUT_WORDS];
    let mut job = Job::new(Ptx {
        name: "protocol.ptx",
        text,
    });
    job.buffers = vec![
        Buffer::zeroed::<u32>("output", OUTPUT_WORDS),
        Buffer::new("input", &words),
    ];
    job.launch(Launch::new("k", 1, THREADS).buffer(0).buffer(1));
    let config = Config {
        seed,
        max_steps: 200_000,
        ..Config::default()
    };
    let checked = EmulatorBackend::with_config(config).check(&mut job);
    let checked = checked.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let kinds = checked.diagnostics.iter().map(|found| found.kind);
    let is_over = !checked.diagnostics.iter().any(|found| found.ends_kernel());
    (kinds.collect(), is_over)
}

/// Schedules that end a kernel may see less, as `docs/memory-model.md` says; never nothing.
#[test]
fn generated_protocols() {
    let mut clean = 0;
    for kernel in 0..KERNELS {
        let text = protocol(numbers(kernel));
        let runs: Vec<_> = (0..SEEDS).map(|seed| found(&text, seed)).collect();
        let mut over = runs.iter().filter(|(_, is_over)| *is_over);
        let is_clean = runs.iter().any(|(kinds, _)| kinds.is_empty());
        let all_clean = runs.iter().all(|(kinds, _)| kinds.is_empty());
        clean += u32::from(all_clean);
        let first = over.next().map(|(kinds, _)| kinds);
        assert!(
            is_clean == all_clean && over.all(|(kinds, _)| Some(kinds) == first),
            "kernel {kernel}: {:?}\n{text}",
            runs.iter().collect::<BTreeSet<_>>()
        );
    }
    // Some have no mistake, and most have one.
    assert!(
        (10..KERNELS as u32 / 2).contains(&clean),
        "{clean} are clean"
    );
}
