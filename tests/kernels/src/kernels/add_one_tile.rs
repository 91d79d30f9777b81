use kernels_gpu::add_one_tile::AddOneTile;
use tensor_map::Swizzle;
use tma_launch::DeviceDescription;

use super::{Kernel, kept};
use crate::{
    Scenario,
    tiles::{Tiles, ragged},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "add_one_tile",
    summary: "adds one to a matrix, one tile a block, from one tensor map to another",
    golden: &["add_one_tile_4"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    let mut add = |side_by_side, tile, swizzle, vectors| {
        let tiles = ragged(tile, swizzle).into_iter();
        cases.extend(tiles.map(|tiles| scenario(side_by_side, tiles, vectors)));
    };
    for vectors in [1, 2, 4] {
        // 32 and 96 threads.
        for rows in [8, 24] {
            add(1, [16, rows * vectors], Swizzle::None, vectors);
        }
    }
    add(1, [32, 16], Swizzle::B128, 4);
    add(1, [32, 64], Swizzle::B128, 2);
    // Tiles side by side, in strips of 16 rows, and, for rows whose length does not divide 2 KiB, as whole boxes.
    add(2, [32, 64], Swizzle::B128, 4);
    add(3, [16, 64], Swizzle::B64, 2);
    add(2, [24, 16], Swizzle::None, 1);
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let tiles = Tiles::packed(256, 256, [64, 64]);
    let set = AddOneTile::of(tiles.map()).on(device);
    scenario(set.tiles, tiles, set.vectors)
}

/// Patches of this many tiles side by side.
fn scenario(side_by_side: u32, tiles: Tiles, vectors: usize) -> Scenario {
    let threads = side_by_side as usize * tiles.tile_bytes() / 16 / vectors;
    let add = AddOneTile {
        vectors,
        tiles: side_by_side,
        map: tiles.map(),
        dst: 0,
        src: 1,
        shared_bytes: 0,
    };
    Scenario {
        name: format!("{}_{threads}_threads", tiles.describe(side_by_side)),
        buffers: tiles.buffers(),
        launches: vec![kept(add.launch())],
        expected: tiles.expected(|element| element.wrapping_add(1)),
    }
}
