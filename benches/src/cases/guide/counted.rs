//! What the instructions of each kernel need for a KiB that it moves, or for 1024 operations: the emulator counts it.

use crate::limit::Counted;

/// The counts of an entry, which `cargo test -p bench` compares with the emulator's.
pub(super) fn of(entry: &str) -> Counted {
    let stem = |name: &str| {
        name.trim_end_matches(|digit: char| digit.is_ascii_digit())
            .len()
    };
    let same = COUNTED.iter().find(|(name, _)| *name == entry);
    // Another number of stages.
    let alike = || {
        let alike = |(name, _): &&(&str, _)| name[..stem(name)] == entry[..stem(entry)];
        COUNTED.iter().find(alike)
    };
    let found = same.or_else(alike);
    found.map_or(Counted::default(), |(_, [instructions, shared, fmas])| {
        Counted {
            warp_instructions: *instructions,
            shared_bytes: *shared,
            fmas: *fmas,
        }
    })
}

/// Warp instructions, bytes of shared memory, results of `f32`.
#[rustfmt::skip]
const COUNTED: &[(&str, [f64; 3])] = &[
];

#[cfg(test)]
mod tests;
