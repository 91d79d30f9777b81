//! Tiles of matrices through tensor maps.

use anyhow::Result;
use host::{Argument, Dim3, Shape};
use tensor_map::{DataType, L2Promotion, Swizzle, TensorMap};

use super::{Place, fits, worth_a_try};
use crate::{
    arena::Pattern,
    case::{Amount, Case, Check, Reference},
    work::L2,
};

/// A matrix that fills the arena, in tiles that divide it.
#[derive(Clone, Copy)]
struct Matrix {
    data_type: DataType,
    columns: u64,
    rows: u64,
    tile: [u32; 2],
    swizzle: Swizzle,
}

const COLUMNS: u64 = 32768;

impl Matrix {
    fn new(place: Place<'_>, data_type: DataType, tile: [u32; 2], swizzle: Swizzle) -> Self {
        Self {
            data_type,
            columns: COLUMNS,
            rows: place.bytes / COLUMNS / data_type.bytes(),
            tile,
            swizzle,
        }
    }

    fn tile_bytes(self) -> u32 {
        self.tile[0] * self.tile[1] * self.data_type.bytes() as u32
    }

    fn tiles(self) -> [u32; 2] {
        [
            (self.columns / u64::from(self.tile[0])) as u32,
            (self.rows / u64::from(self.tile[1])) as u32,
        ]
    }

    fn map(self, place: Place<'_>, address: u64) -> Result<Argument> {
        let tiled = TensorMap::tiled(self.data_type, &[self.columns, self.rows])
            .box_dims(&self.tile)
            .swizzle(self.swizzle)
            .l2_promotion(L2Promotion::B128);
        (place.encode)(tiled.into(), address)
    }

    /// Those of the destination and of the source.
    fn maps(self, place: Place<'_>) -> Result<Vec<Argument>> {
        Ok(vec![
            self.map(place, place.dst)?,
            self.map(place, place.src)?,
        ])
    }

    fn describe(self) -> String {
        let [width, height] = self.tile;
        let swizzle = if self.swizzle == Swizzle::None {
            ""
        } else {
            " 128B"
        };
        format!("{} {width}x{height}{swizzle}", self.data_type.name())
    }
}

pub(super) fn cases(place: Place<'_>) -> Result<Vec<Case>> {
    let plain = |data_type, tile| Matrix::new(place, data_type, tile, Swizzle::None);
    let swizzled = |data_type, tile| Matrix::new(place, data_type, tile, Swizzle::B128);
    let (bf16, i32) = (DataType::Bf16, DataType::I32);
    Ok(vec![
        copy_tile(place, plain(bf16, [64, 64]), 2, 4, Some(0.98))?,
        copy_tile(place, swizzled(bf16, [64, 64]), 2, 4, Some(0.98))?,
        copy_tile(place, plain(i32, [64, 64]), 2, 2, None)?,
        tile_2d(place, 128)?,
        add_one_tile(place, plain(i32, [64, 64]), 4, Some(0.98))?,
        add_one_tile(place, swizzled(i32, [32, 64]), 2, None)?,
        add_one_tile_ring(place, plain(i32, [64, 64]), 4, 1, Some(0.98))?,
        add_one_tile_ring(place, swizzled(i32, [32, 64]), 3, 2, Some(0.98))?,
    ])
}

pub(super) fn sweep(place: Place<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let shapes = [
        (DataType::Bf16, [64, 64], Swizzle::None),
        (DataType::Bf16, [64, 64], Swizzle::B128),
        (DataType::Bf16, [64, 128], Swizzle::B128),
        (DataType::I32, [32, 64], Swizzle::B128),
        (DataType::I32, [64, 64], Swizzle::None),
    ];
    for (data_type, tile, swizzle) in shapes {
        let matrix = Matrix::new(place, data_type, tile, swizzle);
        let bytes = matrix.tile_bytes();
        for stages in [2, 3, 4, 6] {
            for blocks in [1, 2, 3, 4] {
                let all = stages * bytes * blocks;
                if worth_a_try(all) && fits(blocks, stages * (bytes + 20)) {
                    cases.push(copy_tile(place, matrix, stages, blocks, None)?);
                    if data_type == DataType::I32 && stages <= 4 {
                        cases.push(add_one_tile_ring(place, matrix, stages, blocks, None)?);
                    }
                }
            }
        }
        if data_type == DataType::I32 {
            for vectors in [1, 2, 4] {
                cases.push(add_one_tile(place, matrix, vectors, None)?);
            }
        }
    }
    Ok(cases)
}

fn case(place: Place<'_>, kernel: &'static str, shape: Shape, values: Vec<Argument>) -> Case {
    let bytes = place.bytes;
    Case {
        kernel,
        variant: String::new(),
        entry: kernel.to_owned(),
        shape,
        values,
        draws: false,
        amount: Amount::Bytes(2 * bytes),
        l2: L2::Cold,
        check: Check::Destination(Pattern::plus(bytes, 1)),
        reference: Reference::DriverCopy,
        goal: None,
    }
}

/// Both maps, and how the matrix is made of tiles.
fn tiled(place: Place<'_>, matrix: Matrix) -> Result<Vec<Argument>> {
    let [tiles_x, tiles_y] = matrix.tiles();
    let mut values = matrix.maps(place)?;
    let numbers = [tiles_x, tiles_x * tiles_y, matrix.tile[0], matrix.tile[1]];
    values.extend(numbers.map(Argument::scalar));
    Ok(values)
}

fn copy_tile(
    place: Place<'_>,
    matrix: Matrix,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Result<Case> {
    let tile_bytes = matrix.tile_bytes();
    let shape = place.persistent(blocks, 32, stages * (tile_bytes + 20));
    let mut values = tiled(place, matrix)?;
    values.push(Argument::scalar(tile_bytes));
    values.push(Argument::Address(place.counter));
    Ok(Case {
        variant: format!("{} x {stages} x {blocks}", matrix.describe()),
        entry: format!("copy_tile_{stages}"),
        draws: true,
        check: Check::Destination(Pattern::plus(place.bytes, 0)),
        goal,
        ..case(place, "copy_tile", shape, values)
    })
}

fn add_one_tile(place: Place<'_>, matrix: Matrix, vectors: u32, goal: Option<f64>) -> Result<Case> {
    let threads = matrix.tile_bytes() / 16 / vectors;
    let [tiles_x, tiles_y] = matrix.tiles();
    let grid = Dim3::new(tiles_x, tiles_y, 1);
    let shape = Shape::new(grid, threads).shared_bytes(matrix.tile_bytes());
    let mut values = matrix.maps(place)?;
    values.extend(matrix.tile.map(Argument::scalar));
    Ok(Case {
        variant: format!("{}, {threads} threads", matrix.describe()),
        entry: format!("add_one_tile_{vectors}"),
        goal,
        ..case(place, "add_one_tile", shape, values)
    })
}

fn add_one_tile_ring(
    place: Place<'_>,
    matrix: Matrix,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Result<Case> {
    let workers = matrix.tile_bytes() / 64;
    let shape = place.persistent(blocks, 32 + workers, stages * (matrix.tile_bytes() + 20));
    let mut values = tiled(place, matrix)?;
    values.push(Argument::Address(place.counter));
    Ok(Case {
        variant: format!("{} x {stages} x {blocks}", matrix.describe()),
        entry: format!("add_one_tile_ring_{stages}"),
        draws: true,
        goal,
        ..case(place, "add_one_tile_ring", shape, values)
    })
}

fn tile_2d(place: Place<'_>, threads: u32) -> Result<Case> {
    let matrix = Matrix::new(place, DataType::I32, [64, 16], Swizzle::None);
    let [tiles_x, tiles_y] = matrix.tiles();
    let shape = Shape::new(Dim3::new(tiles_x, tiles_y, 1), threads);
    let values = vec![
        matrix.map(place, place.dst)?,
        Argument::scalar(0_i32),
        Argument::scalar(0_i32),
    ];
    Ok(Case {
        variant: format!("i32 64x16, {threads} threads, in place"),
        check: Check::Destination(Pattern {
            tiles: Some([matrix.columns as u32, matrix.tile[0], matrix.tile[1]]),
            in_place: true,
            ..Pattern::plus(place.bytes, 0)
        }),
        ..case(place, "tile_2d", shape, values)
    })
}
