//! The checker finds the same in generated kernels whatever the schedule was.

use std::collections::BTreeSet;

use crate::protocol::{found, protocol};

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
