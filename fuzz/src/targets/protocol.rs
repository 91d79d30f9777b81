use std::collections::BTreeSet;

use tma_emulator::{Config, EmulatorBackend, check::Kind};
use tma_launch::{Buffer, Job, Launch, Ptx};

use super::Depth;

#[path = "../../../crates/emulator/tests/emulator/protocol.rs"]
mod generator;

use generator::{OUTPUT_WORDS, THREADS, protocol};

const SEEDS: u64 = 16;

/// The bytes choose a protocol; the checker says the same of it under every seed.
pub(super) fn run(data: &[u8]) -> Depth {
    let mut bytes = data.iter();
    let text = protocol(|bound| usize::from(bytes.next().copied().unwrap_or(0)) % bound);
    let runs: Vec<_> = (0..SEEDS).map(|seed| found(&text, seed)).collect();
    let over: BTreeSet<_> = runs.iter().filter(|(_, is_over)| *is_over).collect();
    let clean = runs.iter().filter(|(kinds, _)| kinds.is_empty()).count();
    assert!(
        over.len() <= 1 && (clean == 0 || clean == runs.len()),
        "{:?}\n{text}",
        runs.iter().collect::<BTreeSet<_>>()
    );
    Depth::Ended
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
    let is_over = !checked.diagnostics.iter().any(|found| found.ends_kernel());
    let kinds = checked.diagnostics.iter().map(|found| found.kind);
    (kinds.collect(), is_over)
}
