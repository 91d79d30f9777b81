//! Tiles of matrices through tensor maps.

use std::num::NonZero;

use anyhow::{Context as _, Result};
use kernels_gpu::{
    self as kernels,
    patch::Patch,
    settings::{Setting, Streaming, Tile},
};
use tensor_map::{DataType, L2Promotion, Swizzle, TensorMap};
use tma_host::Shape;

use crate::{
    case::{Case, Check},
    pattern::Pattern,
    setup::{At, Setup},
};

/// A matrix that fills the arena, divided into tiles.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    data_type: DataType,
    columns: u64,
    rows: u64,
    tile: [u32; 2],
    swizzle: Swizzle,
}

const COLUMNS: u64 = 32768;

/// The goal of kernels on tiles as a share of the driver's copy.
const GOAL: Option<f64> = Some(0.985);

impl Matrix {
    pub(super) fn new(
        setup: Setup<'_>,
        data_type: DataType,
        tile: [u32; 2],
        swizzle: Swizzle,
    ) -> Self {
        Self {
            data_type,
            columns: COLUMNS,
            rows: setup.bytes / COLUMNS / data_type.bytes(),
            tile,
            swizzle,
        }
    }

    /// Returns the tile that the setting depends on.
    pub(super) fn setting(self) -> Tile {
        Tile {
            element: self.data_type,
            bytes: self.tile_bytes(),
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

    fn patch(self, setting: Setting) -> Patch {
        let row_bytes = self.tile[0] * self.data_type.bytes() as u32;
        Patch::new(self.tile, row_bytes, setting.tiles)
    }

    /// Returns the number of patches along columns and rows.
    fn patches(self, setting: Setting) -> [u32; 2] {
        let [columns, rows] = self.tiles();
        [columns.div_ceil(setting.tiles), rows]
    }

    fn map(self, setup: Setup<'_>, box_dims: [u32; 2], address: u64) -> Result<TensorMap> {
        let tiled = TensorMap::tiled(self.data_type, &[self.columns, self.rows])
            .box_dims(&box_dims)
            .swizzle(self.swizzle)
            .l2_promotion(L2Promotion::B128);
        (setup.encode)(tiled.into(), address)
    }

    /// Returns the maps of the destination and of the source, with the boxes of a patch.
    fn maps(self, setup: Setup<'_>, patch: Patch) -> Result<[TensorMap; 2]> {
        let map = |address| self.map(setup, [patch.width, patch.height], address);
        Ok([map(setup.dst)?, map(setup.src)?])
    }

    /// Describes the matrix, tiles side by side, stages or threads, and blocks per multiprocessor.
    fn with(self, setting: Setting) -> String {
        let mut text = self.describe();
        if setting.tiles > 1 {
            text += &format!(", {} tiles", setting.tiles);
        }
        text += &match setting.stages {
            1 => format!(", {} threads", setting.threads),
            stages => format!(" x {stages}"),
        };
        if let Some(blocks) = setting.blocks {
            text += &format!(" x {blocks}");
        }
        text
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
    let copy = |matrix: Matrix| {
        let setting = Streaming::CopyTile(matrix.setting()).setting(setup.device);
        copy_tile(setup, matrix, setting, GOAL)
    };
    let add = |matrix: Matrix| {
        let setting = Streaming::AddOneTile(matrix.setting()).setting(setup.device);
        add_one_tile(setup, matrix, setting, GOAL)
    };
    let ring = |matrix: Matrix| {
        let setting = Streaming::AddOneTileRing(matrix.setting()).setting(setup.device);
        add_one_tile_ring(setup, matrix, setting, GOAL)
    };
    Ok(vec![
        copy(plain(bf16, [64, 64]))?,
        copy(swizzled(bf16, [64, 64]))?,
        copy(plain(i32, [64, 64]))?,
        tile_2d(setup, 128)?,
        add(plain(i32, [64, 64]))?,
        add(swizzled(i32, [32, 64]))?,
        ring(plain(i32, [64, 64]))?,
        ring(swizzled(i32, [32, 64]))?,
    ])
}

pub(super) fn copy_tile(
    setup: Setup<'_>,
    matrix: Matrix,
    setting: Setting,
    goal: Option<f64>,
) -> Result<Case> {
    let (patch, [patches_x, patches_y]) = (matrix.patch(setting), matrix.patches(setting));
    let [dst, src] = matrix.maps(setup, patch)?;
    let call = if setting.stages == 1 {
        kernels::copy_tile::copy_tile_once(dst, src, patch)
    } else {
        kernels::copy_tile::copy_tile(
            setting.stages,
            dst,
            src,
            NonZero::new(patches_x).context("a matrix has no tiles")?,
            patches_x * patches_y,
            patch,
            At(setup.counter),
        )
    };
    let case = setup.set_case("copy_tile", call, setting)?;
    Ok(Case {
        variant: matrix.with(setting),
        draws: setting.stages > 1,
        check: Check::Destination(Pattern::plus(setup.bytes, 0)),
        goal,
        shape: match setting.stages {
            1 => Shape {
                grid: (patches_x, patches_y).into(),
                ..case.shape
            },
            _ => case.shape,
        },
        ..case
    })
}

pub(super) fn add_one_tile(
    setup: Setup<'_>,
    matrix: Matrix,
    setting: Setting,
    goal: Option<f64>,
) -> Result<Case> {
    let (patch, [patches_x, patches_y]) = (matrix.patch(setting), matrix.patches(setting));
    let [dst, src] = matrix.maps(setup, patch)?;
    let vectors = setting.vectors(16) as usize;
    let call = kernels::add_one_tile::add_one_tile(vectors, dst, src, patch);
    let case = setup.set_case("add_one_tile", call, setting)?;
    Ok(Case {
        variant: matrix.with(setting),
        goal,
        shape: Shape {
            grid: (patches_x, patches_y).into(),
            ..case.shape
        },
        ..case
    })
}

pub(super) fn add_one_tile_ring(
    setup: Setup<'_>,
    matrix: Matrix,
    setting: Setting,
    goal: Option<f64>,
) -> Result<Case> {
    let (patch, [patches_x, patches_y]) = (matrix.patch(setting), matrix.patches(setting));
    let [dst, src] = matrix.maps(setup, patch)?;
    let call = kernels::add_one_tile_ring::add_one_tile_ring(
        setting.stages,
        dst,
        src,
        NonZero::new(patches_x).context("a matrix has no tiles")?,
        patches_x * patches_y,
        patch,
        At(setup.counter),
    );
    Ok(Case {
        variant: matrix.with(setting),
        draws: true,
        goal,
        ..setup.set_case("add_one_tile_ring", call, setting)?
    })
}

fn tile_2d(setup: Setup<'_>, threads: u32) -> Result<Case> {
    use kernels::tile_2d::{TILE, tile_2d};
    let matrix = Matrix::new(setup, DataType::I32, TILE, Swizzle::None);
    let [tiles_x, tiles_y] = matrix.tiles();
    let call = tile_2d(matrix.map(setup, TILE, setup.dst)?, 0, 0);
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
