use std::collections::BTreeSet;

use super::Depth;

#[path = "../../../../crates/tma-emulator/tests/emulator/protocol.rs"]
mod generator;

use generator::{found, protocol};

const SEEDS: u64 = 16;

/// The bytes choose a protocol; the checker reports the same under every seed.
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
