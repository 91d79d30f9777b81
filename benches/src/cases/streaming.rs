//! Kernels that stream through memory, with all plausible settings.

use anyhow::Result;
use kernels_gpu::settings::{Setting, Streaming};
use tensor_map::{DataType, Swizzle};

use super::{bulk, guide, settings::settings, tile};
use crate::{case::Case, setup::Setup};

/// A kernel and its data, to be launched with different settings.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Bulk(Streaming),
    Tiles(Streaming, tile::Matrix),
    Persistent,
}

impl Subject {
    /// Returns all subjects.
    pub(crate) fn all(setup: Setup<'_>) -> Vec<Self> {
        let mut all = vec![
            Self::Bulk(Streaming::CopyBulk),
            Self::Bulk(Streaming::AddOneBulk),
            Self::Bulk(Streaming::AddOneRing),
        ];
        let matrices = [
            (DataType::Bf16, [64, 64], Swizzle::None),
            (DataType::I32, [32, 64], Swizzle::B128),
            (DataType::I32, [64, 64], Swizzle::None),
        ];
        for (element, tile, swizzle) in matrices {
            let matrix = tile::Matrix::new(setup, element, tile, swizzle);
            all.push(Self::Tiles(Streaming::CopyTile(matrix.setting()), matrix));
            if element == DataType::I32 {
                all.push(Self::Tiles(Streaming::AddOneTile(matrix.setting()), matrix));
                let ring = Streaming::AddOneTileRing(matrix.setting());
                all.push(Self::Tiles(ring, matrix));
            }
        }
        all.push(Self::Persistent);
        all
    }

    pub(crate) fn kernel(self) -> Streaming {
        match self {
            Self::Bulk(kernel) | Self::Tiles(kernel, _) => kernel,
            Self::Persistent => Streaming::PersistentTiles,
        }
    }

    /// Returns the case of a setting.
    pub(crate) fn case(self, setup: Setup<'_>, setting: Setting) -> Result<Case> {
        match self {
            Self::Bulk(Streaming::CopyBulk) => bulk::copy_bulk(setup, setting, None),
            Self::Bulk(Streaming::AddOneBulk) => bulk::add_one_bulk(setup, setting, None),
            Self::Bulk(_) => bulk::add_one_ring(setup, setting, true, None),
            Self::Tiles(Streaming::AddOneTile(_), matrix) => {
                tile::add_one_tile(setup, matrix, setting, None)
            }
            Self::Tiles(Streaming::AddOneTileRing(_), matrix) => {
                tile::add_one_tile_ring(setup, matrix, setting, None)
            }
            Self::Tiles(_, matrix) => tile::copy_tile(setup, matrix, setting, None),
            Self::Persistent => {
                guide::persistent_tiles(setup.device, setting, setup.bytes)?.case(setup)
            }
        }
    }

    /// Returns the settings to try on any device; the kernel was compiled for each.
    pub(crate) fn settings(self) -> Vec<Setting> {
        settings(self.kernel())
    }
}

/// Returns whether a setting may launch this entry.
pub(crate) fn is_entry(name: &str) -> bool {
    // The name `add_one_tile_ring` begins with `add_one_tile`.
    const KERNELS: [&str; 6] = [
        "copy_bulk",
        "add_one_bulk",
        "add_one_ring",
        "copy_tile",
        "add_one_tile",
        "persistent_tiles",
    ];
    KERNELS.iter().any(|kernel| name.starts_with(kernel))
}

#[cfg(test)]
mod tests;
