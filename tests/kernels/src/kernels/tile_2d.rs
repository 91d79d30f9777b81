use kernels_gpu::{
    Matrix,
    tile_2d::{self, MapSource, Tile2d, Tile2dTo},
};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "tile_2d",
    summary: "loads tiles of a matrix through a tensor map that is a grid constant, modifies them, stores them back",
    golden: &[
        "tile_2d",
        "tile_2d_to",
        "tile_2d_constant",
        "tile_2d_global",
    ],
    showcase: || in_place(MAPS[0], Matrix::packed(256, 256), [0, 0], [4, 16], 128),
    cases,
};

/// The tile, as the kernel documents it.
const TILE: [i64; 2] = [64, 16];

/// The sources of the map; the buffers are those of [`in_place`].
const MAPS: [MapSource; 3] = [
    MapSource::Parameter,
    MapSource::Constant,
    MapSource::Global(1),
];

fn index(matrix: Matrix, [x, y]: [i64; 2]) -> Option<usize> {
    let inside = (0..matrix.width as i64).contains(&x) && (0..matrix.height as i64).contains(&y);
    inside.then(|| y as usize * matrix.pitch + x as usize)
}

/// Returns the column that a store writes for column `x`: rows are cut at multiples of 16 bytes, so padding that
/// begins in the middle of one is overwritten.
fn stored_index(matrix: Matrix, at: [i64; 2]) -> Option<usize> {
    let width = matrix.width.next_multiple_of(4);
    index(Matrix { width, ..matrix }, at)
}

fn describe(matrix: Matrix) -> String {
    let Matrix {
        width,
        height,
        pitch,
    } = matrix;
    format!("{width}x{height}_pitch_{pitch}")
}

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    // A whole matrix, at several block sizes; then sizes that are not multiples of the tile.
    for threads in [32, 96, 128, 256, 1024] {
        cases.push(in_place(
            MAPS[0],
            Matrix::packed(192, 48),
            [0, 0],
            [3, 3],
            threads,
        ));
    }
    for matrix in [Matrix::packed(4, 3), Matrix::packed(60, 130)] {
        let blocks = [
            matrix.width.div_ceil(64) as u32,
            matrix.height.div_ceil(16) as u32,
        ];
        cases.push(in_place(MAPS[0], matrix, [0, 0], blocks, 128));
    }
    // The guide's matrix of 4 rows of 3 columns, and wider ones, whose last one or two elements of a
    // row are padding that a store overwrites.
    let guide = Matrix {
        width: 3,
        height: 4,
        pitch: 4,
    };
    for map in MAPS {
        cases.push(in_place(map, guide, [0, 0], [1, 1], 32));
        cases.push(in_place(map, Matrix::packed(200, 77), [0, 0], [4, 5], 128));
        cases.push(in_place(
            map,
            Matrix::packed(200, 77),
            [140, 70],
            [1, 1],
            96,
        ));
    }
    for (width, pitch) in [(100, 128), (101, 104), (3, 4)] {
        let matrix = Matrix {
            width,
            height: 40,
            pitch,
        };
        cases.push(in_place(
            MAPS[0],
            matrix,
            [0, 0],
            [width.div_ceil(64) as u32, 3],
            64,
        ));
    }
    // One tile away from the origin, inside, and over each edge that a store may cross.
    let matrix = Matrix {
        width: 200,
        height: 77,
        pitch: 208,
    };
    for origin in [[8, 5], [136, 61], [140, 5], [8, 70], [180, 70], [196, 76]] {
        cases.push(in_place(MAPS[0], matrix, origin, [1, 1], 128));
    }
    // Loads over every edge and corner, and from outside altogether.
    for x in [-64, -60, -8, 0, 12, 140, 196, 200] {
        for y in [-16, -15, -3, 0, 7, 62, 70, 77] {
            cases.push(elsewhere(matrix, [x, y], [1, 1]));
        }
    }
    // A grid of tiles, and tiles far away.
    for origin in [
        [-100, -20],
        [-4, 3],
        [1_000_000, -1_000_000],
        [i32::MAX - 3, 0],
    ] {
        cases.push(elsewhere(
            matrix,
            origin,
            if origin[0] > 1000 { [1, 1] } else { [5, 7] },
        ));
    }
    cases
}

/// The element that block (`bx`, `by`) loads, row by row: zero outside the matrix.
fn load(matrix: Matrix, data: &[i32], origin: [i32; 2], block: [i64; 2], at: [i64; 2]) -> i32 {
    let position = position(origin, block, at);
    index(matrix, position).map_or(0, |index| data[index])
}

fn position(origin: [i32; 2], block: [i64; 2], at: [i64; 2]) -> [i64; 2] {
    let along = |axis: usize| i64::from(origin[axis]) + block[axis] * TILE[axis] + at[axis];
    [along(0), along(1)]
}

/// Calls `visit` with each block and each element in its tile.
fn for_each_element(blocks: [u32; 2], mut visit: impl FnMut([i64; 2], [i64; 2])) {
    for by in 0..i64::from(blocks[1]) {
        for bx in 0..i64::from(blocks[0]) {
            for y in 0..TILE[1] {
                for x in 0..TILE[0] {
                    visit([bx, by], [x, y]);
                }
            }
        }
    }
}

/// Adds `i` to element `i` of a tile.
fn added([x, y]: [i64; 2]) -> i32 {
    (y * TILE[0] + x) as i32
}

/// The guide's kernel: tiles are stored in place.
fn in_place(
    map: MapSource,
    matrix: Matrix,
    origin: [i32; 2],
    blocks: [u32; 2],
    threads: u32,
) -> Scenario {
    let data = numbers(matrix.len_elems());
    let mut expected = data.clone();
    for_each_element(blocks, |block, at| {
        if let Some(index) = stored_index(matrix, position(origin, block, at)) {
            expected[index] = load(matrix, &data, origin, block, at) + added(at);
        }
    });
    let tile = Tile2d {
        map,
        matrix,
        data: 0,
        origin,
        blocks,
        threads,
    };
    let mut buffers = vec![Buffer::new("matrix", &data)];
    let in_memory = Buffer::tensor_maps("map", [(matrix.map(tile_2d::TILE), 0)]);
    match map {
        MapSource::Parameter => (),
        MapSource::Constant => buffers.push(in_memory.in_variable(Tile2d::VARIABLE)),
        MapSource::Global(_) => buffers.push(in_memory),
    }
    let launch = kept(tile.launch());
    let [x, y] = origin;
    Scenario {
        name: format!(
            "{}_{}_at_{x}_{y}_threads_{threads}",
            launch.entry,
            describe(matrix)
        ),
        buffers,
        launches: vec![launch],
        expected: vec![Expected::of(0, &expected).dims(&[matrix.pitch, matrix.height])],
    }
}

/// Tiles of one matrix are stored to another, which they cover exactly.
fn elsewhere(source: Matrix, origin: [i32; 2], blocks: [u32; 2]) -> Scenario {
    let target = Matrix::packed(
        blocks[0] as usize * TILE[0] as usize,
        blocks[1] as usize * TILE[1] as usize,
    );
    let data = numbers(source.len_elems());
    let mut expected = vec![-1; target.len_elems()];
    for_each_element(blocks, |block, at| {
        if let Some(index) = stored_index(target, position([0, 0], block, at)) {
            expected[index] = load(source, &data, origin, block, at) + added(at);
        }
    });
    let tile = Tile2dTo {
        source,
        source_data: 0,
        source_origin: origin,
        target,
        target_data: 1,
        target_origin: [0, 0],
        blocks,
        threads: 128,
    };
    let [x, y] = origin;
    Scenario {
        name: format!("from_{x}_{y}_in_{}x{}_blocks", blocks[0], blocks[1]),
        buffers: vec![
            Buffer::new("source", &data),
            Buffer::new("target", &vec![-1; target.len_elems()]),
        ],
        launches: vec![kept(tile.launch())],
        expected: vec![
            Expected::of(1, &expected).dims(&[target.pitch, target.height]),
            Expected::of(0, &data).dims(&[source.pitch, source.height]),
        ],
    }
}
