//! Tiles of matrices through tensor maps.

use std::num::NonZero;

use anyhow::{Context as _, Result};
use kernels_gpu as kernels;
use tensor_map::{DataType, L2Promotion, Swizzle, TensorMap};
use tma_host::Shape;

use super::{At, Setup, fits, worth_a_try};
use crate::{
    arena::Pattern,
    case::{Case, Check},
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
    fn new(setup: Setup<'_>, data_type: DataType, tile: [u32; 2], swizzle: Swizzle) -> Self {
        Self {
            data_type,
            columns: COLUMNS,
            rows: setup.bytes / COLUMNS / data_type.bytes(),
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

    fn map(self, setup: Setup<'_>, address: u64) -> Result<TensorMap> {
        let tiled = TensorMap::tiled(self.data_type, &[self.columns, self.rows])
            .box_dims(&self.tile)
            .swizzle(self.swizzle)
            .l2_promotion(L2Promotion::B128);
        (setup.encode)(tiled.into(), address)
    }

    /// The maps of the destination and of the source.
    fn maps(self, setup: Setup<'_>) -> Result<[TensorMap; 2]> {
        Ok([self.map(setup, setup.dst)?, self.map(setup, setup.src)?])
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

pub(super) fn cases(setup: Setup<'_>) -> Result<Vec<Case>> {
    let plain = |data_type, tile| Matrix::new(setup, data_type, tile, Swizzle::None);
    let swizzled = |data_type, tile| Matrix::new(setup, data_type, tile, Swizzle::B128);
    let (bf16, i32) = (DataType::Bf16, DataType::I32);
    Ok(vec![
        copy_tile(setup, plain(bf16, [64, 64]), 2, 4, Some(0.98))?,
        copy_tile(setup, swizzled(bf16, [64, 64]), 2, 4, Some(0.98))?,
        copy_tile(setup, plain(i32, [64, 64]), 2, 2, None)?,
        tile_2d(setup, 128)?,
        add_one_tile(setup, plain(i32, [64, 64]), 4, Some(0.98))?,
        add_one_tile(setup, swizzled(i32, [32, 64]), 2, None)?,
        add_one_tile_ring(setup, plain(i32, [64, 64]), 4, 1, Some(0.98))?,
        add_one_tile_ring(setup, swizzled(i32, [32, 64]), 3, 2, Some(0.98))?,
    ])
}

pub(super) fn sweep(setup: Setup<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let shapes = [
        (DataType::Bf16, [64, 64], Swizzle::None),
        (DataType::Bf16, [64, 64], Swizzle::B128),
        (DataType::Bf16, [64, 128], Swizzle::B128),
        (DataType::I32, [32, 64], Swizzle::B128),
        (DataType::I32, [64, 64], Swizzle::None),
    ];
    for (data_type, tile, swizzle) in shapes {
        let matrix = Matrix::new(setup, data_type, tile, swizzle);
        let bytes = matrix.tile_bytes();
        for stages in [2, 3, 4, 6] {
            for blocks in [1, 2, 3, 4] {
                let case = copy_tile(setup, matrix, stages, blocks, None)?;
                if worth_a_try(stages * bytes * blocks) && fits(blocks, &case) {
                    cases.push(case);
                    if data_type == DataType::I32 && stages <= 4 {
                        cases.push(add_one_tile_ring(setup, matrix, stages, blocks, None)?);
                    }
                }
            }
        }
        if data_type == DataType::I32 {
            for vectors in [1, 2, 4] {
                cases.push(add_one_tile(setup, matrix, vectors, None)?);
            }
        }
    }
    Ok(cases)
}

fn copy_tile(
    setup: Setup<'_>,
    matrix: Matrix,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Result<Case> {
    let [dst, src] = matrix.maps(setup)?;
    let ([tiles_x, tiles_y], [width, height]) = (matrix.tiles(), matrix.tile);
    let call = kernels::copy_tile::copy_tile(
        stages,
        dst,
        src,
        NonZero::new(tiles_x).context("a matrix has no tiles")?,
        tiles_x * tiles_y,
        width,
        height,
        matrix.tile_bytes(),
        At(setup.counter),
    );
    Ok(Case {
        variant: format!("{} x {stages} x {blocks}", matrix.describe()),
        draws: true,
        check: Check::Destination(Pattern::plus(setup.bytes, 0)),
        goal,
        ..setup.case("copy_tile", call, setup.persistent(blocks, 32))?
    })
}

fn add_one_tile(
    setup: Setup<'_>,
    matrix: Matrix,
    vectors: usize,
    goal: Option<f64>,
) -> Result<Case> {
    let [dst, src] = matrix.maps(setup)?;
    let ([tiles_x, tiles_y], [width, height]) = (matrix.tiles(), matrix.tile);
    let threads = matrix.tile_bytes() / 16 / vectors as u32;
    let call = kernels::add_one_tile::add_one_tile(vectors, dst, src, width, height);
    let shape = Shape::new((tiles_x, tiles_y), threads);
    Ok(Case {
        variant: format!("{}, {threads} threads", matrix.describe()),
        goal,
        ..setup.case("add_one_tile", call, shape)?
    })
}

fn add_one_tile_ring(
    setup: Setup<'_>,
    matrix: Matrix,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Result<Case> {
    let [dst, src] = matrix.maps(setup)?;
    let ([tiles_x, tiles_y], [width, height]) = (matrix.tiles(), matrix.tile);
    let call = kernels::add_one_tile_ring::add_one_tile_ring(
        stages,
        dst,
        src,
        NonZero::new(tiles_x).context("a matrix has no tiles")?,
        tiles_x * tiles_y,
        width,
        height,
        At(setup.counter),
    );
    let workers = matrix.tile_bytes() / 64;
    Ok(Case {
        variant: format!("{} x {stages} x {blocks}", matrix.describe()),
        draws: true,
        goal,
        ..setup.case(
            "add_one_tile_ring",
            call,
            setup.persistent(blocks, 32 + workers),
        )?
    })
}

fn tile_2d(setup: Setup<'_>, threads: u32) -> Result<Case> {
    use kernels::tile_2d::{TILE, tile_2d};
    let matrix = Matrix::new(setup, DataType::I32, TILE, Swizzle::None);
    let [tiles_x, tiles_y] = matrix.tiles();
    let call = tile_2d(matrix.map(setup, setup.dst)?, 0, 0);
    let shape = Shape::new((tiles_x, tiles_y), threads);
    Ok(Case {
        variant: format!("i32 {}x{}, {threads} threads, in place", TILE[0], TILE[1]),
        check: Check::Destination(Pattern {
            tiles: Some([matrix.columns as u32, matrix.tile[0], matrix.tile[1]]),
            in_place: true,
            ..Pattern::plus(setup.bytes, 0)
        }),
        ..setup.case("tile_2d", call, shape)?
    })
}
