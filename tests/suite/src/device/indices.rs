use tma_launch::Launch;

use super::writes;
use crate::Scenario;

pub(super) fn cases() -> Vec<Scenario> {
    let shapes = [
        ([1, 1, 1], [1, 1, 1]),
        ([2, 3, 4], [5, 6, 7]),
        ([7, 1, 2], [32, 1, 3]),
    ];
    shapes
        .map(|(blocks, threads)| scenario(blocks, threads))
        .into()
}

fn scenario(blocks: [u32; 3], threads: [u32; 3]) -> Scenario {
    let mut expected = Vec::new();
    for block in positions(blocks) {
        for thread in positions(threads) {
            expected.extend([thread, block, threads, blocks].concat());
        }
    }
    let launch = Launch::new("indices", blocks, threads).buffer(0);
    writes(&format!("{blocks:?}_of_{threads:?}"), launch, &expected)
}

/// Returns all positions within an extent, innermost fastest.
fn positions([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}
