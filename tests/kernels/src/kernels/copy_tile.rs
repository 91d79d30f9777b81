use kernels_gpu::copy_tile::CopyTile;
use tensor_map::{DataType, Swizzle};
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept};
use crate::{
    Scenario,
    tiles::{Tiles, ragged},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "copy_tile",
    summary: "copies a matrix tile by tile through tensor maps, blocks drawing their tiles from a counter",
    golden: &["copy_tile_4"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for tiles in ragged([16, 8], Swizzle::None) {
        cases.push(scenario(tiles, 4, 3));
    }
    // A block for each tile.
    for tiles in ragged([16, 8], Swizzle::None) {
        cases.push(scenario(tiles, 1, 1));
    }
    for tiles in ragged([32, 8], Swizzle::B128) {
        cases.push(scenario(tiles, 1, 1));
        cases.push(scenario(tiles, 3, 2));
    }
    // Tiles side by side, in strips of 16 rows, and, for rows whose length does not divide 2 KiB, as whole boxes.
    for tile in [[32, 32], [24, 16]] {
        for tiles in ragged(tile, Swizzle::None) {
            cases.push(patches(2, tiles, 1, 1));
            cases.push(patches(3, tiles, 2, 2));
        }
    }
    for tiles in ragged([32, 64], Swizzle::B128) {
        cases.push(patches(2, tiles, 1, 1));
        cases.push(patches(3, tiles, 2, 2));
    }
    for stages in [2, 3, 4, 6] {
        for blocks in [1, 7, 40] {
            let tiles = Tiles {
                pitch: 168,
                ..Tiles::packed(165, 37, [32, 4])
            };
            cases.push(scenario(tiles, stages, blocks));
        }
    }
    // Two-byte elements, as the fastest copy has them.
    for (width, height, pitch) in [(128, 64, 128), (200, 130, 208), (197, 65, 200)] {
        for swizzle in [Swizzle::None, Swizzle::B128] {
            let tiles = Tiles {
                width,
                height,
                pitch,
                tile: [64, 64],
                data_type: DataType::Bf16,
                swizzle,
            };
            cases.push(scenario(tiles, 4, 2));
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let tiles = Tiles::packed(256, 256, [64, 64]);
    let set = CopyTile::of(tiles.map()).on(device);
    patches(set.tiles, tiles, set.stages as usize, set.blocks)
}

fn scenario(tiles: Tiles, stages: usize, blocks: u32) -> Scenario {
    patches(1, tiles, stages, blocks)
}

/// Patches of this many tiles side by side.
fn patches(side_by_side: u32, tiles: Tiles, stages: usize, blocks: u32) -> Scenario {
    let copy = CopyTile {
        stages: stages as u32,
        tiles: side_by_side,
        map: tiles.map(),
        dst: 0,
        src: 1,
        counter: 2,
        blocks,
        shared_bytes: 0,
    };
    let mut buffers = tiles.buffers();
    buffers.push(Buffer::zeroed::<u32>("counter", 1));
    Scenario {
        name: format!(
            "{}_{stages}_stages_{blocks}_blocks",
            tiles.describe(side_by_side)
        ),
        buffers,
        launches: vec![kept(copy.launch())],
        expected: tiles.expected(|element| element),
    }
}
