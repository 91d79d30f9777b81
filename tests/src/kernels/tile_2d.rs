use launch::{Buffer, Dim3, Launch};
use tensor_map::{DataType, TensorMap, Tiled};

use super::{Kernel, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "tile_2d",
    summary: "loads tiles of a matrix through a tensor map that is a grid constant, modifies them, stores them back",
    golden: &["tile_2d", "tile_2d_to"],
    showcase: || in_place(Matrix::packed(256, 256), [0, 0], [4, 16], 128),
    cases,
};

/// The tile, as the kernel documents it.
const TILE: [i64; 2] = [64, 16];

/// A matrix of `i32` whose rows lie `pitch` elements apart.
#[derive(Clone, Copy)]
struct Matrix {
    width: usize,
    height: usize,
    pitch: usize,
}

impl Matrix {
    fn packed(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pitch: width,
        }
    }

    fn elements(self) -> usize {
        self.pitch * self.height
    }

    fn index(self, [x, y]: [i64; 2]) -> Option<usize> {
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        inside.then(|| y as usize * self.pitch + x as usize)
    }

    /// Where a store puts column `x`: rows are cut at the next multiple of 16 bytes, so padding
    /// that begins in the middle of one is overwritten.
    fn stored_index(self, [x, y]: [i64; 2]) -> Option<usize> {
        Self {
            width: self.width.next_multiple_of(4),
            ..self
        }
        .index([x, y])
    }

    fn map(self) -> Tiled {
        TensorMap::tiled(DataType::I32, &[self.width as u64, self.height as u64])
            .strides_bytes(&[self.pitch as u64 * 4])
            .box_dims(&TILE.map(|dim| dim as u32))
    }

    fn describe(self) -> String {
        let Self {
            width,
            height,
            pitch,
        } = self;
        format!("{width}x{height}_pitch_{pitch}")
    }
}

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    // All of a matrix, at several block sizes; then sizes that are no multiple of the tile.
    for threads in [32, 96, 128, 256, 1024] {
        cases.push(in_place(Matrix::packed(192, 48), [0, 0], [3, 3], threads));
    }
    for matrix in [
        Matrix::packed(200, 77),
        Matrix::packed(4, 3),
        Matrix::packed(60, 130),
    ] {
        let blocks = [
            matrix.width.div_ceil(64) as u32,
            matrix.height.div_ceil(16) as u32,
        ];
        cases.push(in_place(matrix, [0, 0], blocks, 128));
    }
    // Padded rows, the last with padding that a store overwrites.
    for (width, pitch) in [(100, 128), (101, 104), (3, 4)] {
        let matrix = Matrix {
            width,
            height: 40,
            pitch,
        };
        cases.push(in_place(matrix, [0, 0], [width.div_ceil(64) as u32, 3], 64));
    }
    // One tile away from the origin, inside, and over each edge that a store may cross.
    let matrix = Matrix {
        width: 200,
        height: 77,
        pitch: 208,
    };
    for origin in [[8, 5], [136, 61], [140, 5], [8, 70], [180, 70], [196, 76]] {
        cases.push(in_place(matrix, origin, [1, 1], 128));
    }
    // Loads over every edge and corner, and from outside altogether.
    for x in [-64, -60, -8, 0, 12, 140, 196, 200] {
        for y in [-16, -15, -3, 0, 7, 62, 70, 77] {
            cases.push(elsewhere(matrix, [x, y], [1, 1]));
        }
    }
    // The same with a grid of tiles, and far away.
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

/// What block (`bx`, `by`) loads, row by row: zero outside the matrix.
fn load(matrix: Matrix, data: &[i32], origin: [i32; 2], block: [i64; 2], at: [i64; 2]) -> i32 {
    let position = position(origin, block, at);
    matrix.index(position).map_or(0, |index| data[index])
}

fn position(origin: [i32; 2], block: [i64; 2], at: [i64; 2]) -> [i64; 2] {
    let along = |axis: usize| i64::from(origin[axis]) + block[axis] * TILE[axis] + at[axis];
    [along(0), along(1)]
}

/// Calls `visit` with each block and each place in its tile.
fn for_each_place(blocks: [u32; 2], mut visit: impl FnMut([i64; 2], [i64; 2])) {
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

/// Element `i` of a tile gets `i` added.
fn added([x, y]: [i64; 2]) -> i32 {
    (y * TILE[0] + x) as i32
}

fn grid([x, y]: [u32; 2]) -> Dim3 {
    Dim3::from((x, y))
}

/// The guide's kernel: tiles are stored where they came from.
fn in_place(matrix: Matrix, origin: [i32; 2], blocks: [u32; 2], threads: u32) -> Scenario {
    let data = numbers(matrix.elements());
    let mut expected = data.clone();
    for_each_place(blocks, |block, at| {
        if let Some(index) = matrix.stored_index(position(origin, block, at)) {
            expected[index] = load(matrix, &data, origin, block, at) + added(at);
        }
    });
    let launch = Launch::new("tile_2d", grid(blocks), threads)
        .tensor_map(matrix.map(), 0)
        .scalar(origin[0])
        .scalar(origin[1]);
    let [x, y] = origin;
    Scenario {
        name: format!("{}_at_{x}_{y}_threads_{threads}", matrix.describe()),
        buffers: vec![Buffer::new("matrix", &data)],
        launches: vec![launch],
        expected: vec![Expected {
            buffer: 0,
            elements: expected,
            dims: vec![matrix.pitch, matrix.height],
        }],
    }
}

/// Tiles of one matrix are stored to another, which they cover exactly.
fn elsewhere(source: Matrix, origin: [i32; 2], blocks: [u32; 2]) -> Scenario {
    let target = Matrix::packed(
        blocks[0] as usize * TILE[0] as usize,
        blocks[1] as usize * TILE[1] as usize,
    );
    let data = numbers(source.elements());
    let mut expected = vec![-1; target.elements()];
    for_each_place(blocks, |block, at| {
        if let Some(index) = target.stored_index(position([0, 0], block, at)) {
            expected[index] = load(source, &data, origin, block, at) + added(at);
        }
    });
    let launch = Launch::new("tile_2d_to", grid(blocks), 128)
        .tensor_map(source.map(), 0)
        .tensor_map(target.map(), 1)
        .scalar(origin[0])
        .scalar(origin[1])
        .scalar(0)
        .scalar(0);
    let [x, y] = origin;
    Scenario {
        name: format!("from_{x}_{y}_in_{}x{}_blocks", blocks[0], blocks[1]),
        buffers: vec![
            Buffer::new("source", &data),
            Buffer::new("target", &vec![-1; target.elements()]),
        ],
        launches: vec![launch],
        expected: vec![
            Expected {
                buffer: 1,
                elements: expected,
                dims: vec![target.pitch, target.height],
            },
            Expected {
                buffer: 0,
                elements: data,
                dims: vec![source.pitch, source.height],
            },
        ],
    }
}
