//! Resource needs of each kernel's instructions per KiB moved, counted by the emulator. Products are not counted:
//! the emulator can only run small ones, in which storing results dominates.

use crate::limit::Counted;

/// Returns the counts of an entry, which `cargo test -p bench` compares with the emulator's.
pub(super) fn of(entry: &str) -> Counted {
    let stem = |name: &str| {
        name.trim_end_matches(|digit: char| digit.is_ascii_digit())
            .len()
    };
    let same = COUNTED.iter().find(|(name, _)| *name == entry);
    // An instance with another number of stages.
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

/// Warp instructions, bytes of shared memory, and `f32` results.
#[rustfmt::skip]
const COUNTED: &[(&str, [f64; 3])] = &[
    ("consume_map", [20.16, 1024.0, 0.0]),
    ("conv_im2col", [876.52, 30720.0, 12288.0]),
    ("conv_im2col_padded", [472.97, 12429.1, 13541.9]),
    ("encode_map", [61.48, 15819.0, 0.0]),
    ("gather_rows", [0.71, 1024.0, 0.0]),
    ("histogram", [64.00, 13048.0, 0.0]),
    ("histogram_lanes", [34.00, 4096.0, 0.0]),
    ("hwc_tile_lanes", [20.61, 2048.0, 0.0]),
    ("multicast_tile", [15.78, 1638.4, 0.0]),
    ("multicast_tiles", [4.30, 1638.4, 0.0]),
    ("persistent_tiles_4", [18.42, 2048.0, 256.0]),
    ("prefetch_4", [32.00, 1536.0, 0.0]),
    ("prefetch_8", [32.00, 1536.0, 0.0]),
    ("producer_consumer_barriers", [29.69, 1024.0, 256.0]),
    ("producer_consumer_ring", [28.23, 1024.0, 256.0]),
    ("ring", [62.24, 2048.0, 0.0]),
    ("stencil_block", [159.90, 7577.6, 1745.6]),
    ("stencil_bulk", [63.98, 3072.0, 1780.8]),
    ("stencil_groups", [137.90, 7577.6, 1743.2]),
    ("stencil_loads", [140.28, 8192.0, 1744.8]),
    ("stencil_threads", [157.95, 7577.6, 1741.6]),
    ("transpose", [11.97, 2048.0, 0.0]),
    ("transpose_wide", [2.99, 2048.0, 0.0]),
];

#[cfg(test)]
mod tests;
