use kernels_gpu::add_one_tile_ring::AddOneTileRing;
use tensor_map::Swizzle;
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept};
use crate::{
    Scenario,
    tiles::{Tiles, ragged},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "add_one_tile_ring",
    summary: "adds one to a matrix in a pipeline: one warp loads tiles, the others work on them",
    golden: &["add_one_tile_ring_4"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for tile in [[16, 32], [64, 24]] {
        for tiles in ragged(tile, Swizzle::None) {
            cases.push(scenario(tiles, 3, 2));
        }
    }
    for tiles in ragged([32, 16], Swizzle::B128) {
        cases.push(scenario(tiles, 4, 3));
    }
    // Tiles side by side, in strips of 16 rows, and, for rows whose length does not divide 2 KiB, as whole boxes.
    for tiles in ragged([32, 32], Swizzle::B128) {
        cases.push(patches(2, tiles, 3, 2));
    }
    for tiles in ragged([24, 64], Swizzle::None) {
        cases.push(patches(3, tiles, 2, 2));
    }
    for stages in [2, 3, 4] {
        for blocks in [1, 4, 30] {
            // Two warps that work.
            cases.push(scenario(Tiles::packed(148, 100, [32, 32]), stages, blocks));
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let tiles = Tiles::packed(256, 256, [64, 64]);
    let set = AddOneTileRing::of(tiles.map()).on(device);
    patches(set.tiles, tiles, set.stages as usize, set.blocks)
}

fn scenario(tiles: Tiles, stages: usize, blocks: u32) -> Scenario {
    patches(1, tiles, stages, blocks)
}

/// Patches of this many tiles side by side.
fn patches(side_by_side: u32, tiles: Tiles, stages: usize, blocks: u32) -> Scenario {
    let add = AddOneTileRing {
        stages: stages as u32,
        tiles: side_by_side,
        map: tiles.map(),
        dst: 0,
        src: 1,
        counter: 2,
        blocks,
    };
    let mut buffers = tiles.buffers();
    buffers.push(Buffer::zeroed::<u32>("counter", 1));
    Scenario {
        name: format!(
            "{}_{stages}_stages_{blocks}_blocks",
            tiles.describe(side_by_side)
        ),
        buffers,
        launches: vec![kept(add.launch())],
        expected: tiles.expected(|element| element.wrapping_add(1)),
    }
}
