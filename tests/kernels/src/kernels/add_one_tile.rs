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
    let mut add = |tile, swizzle, vectors| {
        let tiles = ragged(tile, swizzle).into_iter();
        cases.extend(tiles.map(|tiles| scenario(tiles, vectors)));
    };
    for vectors in [1, 2, 4] {
        // 32 and 96 threads.
        for rows in [8, 24] {
            add([16, rows * vectors], Swizzle::None, vectors);
        }
    }
    add([32, 16], Swizzle::B128, 4);
    add([32, 64], Swizzle::B128, 2);
    cases
}

/// As a device launches it.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let tiles = Tiles::packed(256, 256, [64, 64]);
    scenario(tiles, AddOneTile::of(tiles.map()).on(device).vectors)
}

fn scenario(tiles: Tiles, vectors: usize) -> Scenario {
    let threads = tiles.tile_bytes() / 16 / vectors;
    let add = AddOneTile {
        vectors,
        map: tiles.map(),
        dst: 0,
        src: 1,
        shared_bytes: 0,
    };
    Scenario {
        name: format!("{}_{threads}_threads", tiles.describe()),
        buffers: tiles.buffers(),
        launches: vec![kept(add.launch())],
        expected: tiles.expected(|element| element.wrapping_add(1)),
    }
}
