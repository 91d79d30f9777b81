//! Kernels that stream through memory, with all plausible settings.

use anyhow::Result;
use kernels_gpu::settings::{Setting, Streaming};
use tensor_map::{DataType, Swizzle};
use tma_launch::Limits;

use super::{Setup, bulk, guide, tile};
use crate::case::Case;

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
        let mut settings = Vec::new();
        let kernel = self.kernel();
        match kernel {
            Streaming::CopyBulk => {
                for threads in [32, 64, 128, 256] {
                    settings.extend([1024, 2048, 4096, 8192].map(|chunk| once(chunk, threads)));
                }
                for chunk in [1024, 2048, 4096, 8192] {
                    settings.extend(at_once(once(chunk, 32)));
                }
                for chunk in [2048, 4096, 8192, 16384, 32768] {
                    settings.extend(staying(chunk, &[2, 3, 4, 6, 8], &[1, 2, 3, 4, 6, 8], 32));
                }
            }
            Streaming::AddOneBulk => {
                for threads in [32, 64, 128, 256, 512, 1024] {
                    for vectors in [1, 2, 4] {
                        let setting = once(16 * vectors * threads, threads);
                        settings.push(setting);
                        settings.extend(at_once(setting));
                    }
                }
            }
            Streaming::AddOneRing => {
                for workers in [64, 96, 128, 192, 256, 512] {
                    let stages = &[2, 3, 4, 6, 8];
                    settings.extend(staying(32 * workers, stages, &[1, 2, 3, 4], 32 + workers));
                }
            }
            Streaming::CopyTile(tile) => {
                for tiles in [1, 2, 4] {
                    let setting = Setting {
                        tiles,
                        ..once(tile.bytes, 32)
                    };
                    settings.push(setting);
                    settings.extend(at_once(setting));
                }
                settings.extend(staying(tile.bytes, &[2, 3, 4, 6], &[1, 2, 3, 4, 6], 32));
            }
            Streaming::AddOneTile(tile) => {
                for (tiles, vectors) in [(1, 1), (1, 2), (1, 4), (2, 2), (2, 4)] {
                    let threads = tiles * tile.bytes / 16 / vectors;
                    let setting = Setting {
                        tiles,
                        ..once(tile.bytes, threads)
                    };
                    settings.push(setting);
                    settings.extend(at_once(setting));
                }
            }
            Streaming::AddOneTileRing(tile) => {
                for tiles in [1, 2] {
                    let threads = 32 + tiles * tile.bytes / 64;
                    let blocks = &[1, 2, 3, 4, 6];
                    let patches = staying(tiles * tile.bytes, &[2, 3, 4], blocks, threads);
                    settings.extend(patches.map(|setting| Setting {
                        chunk_bytes: tile.bytes,
                        tiles,
                        ..setting
                    }));
                }
            }
            Streaming::PersistentTiles => {
                for threads in [160, 288] {
                    settings.extend(staying(8192, &[2, 3, 4], &[1, 2, 3, 4, 6], threads));
                }
            }
        }
        settings.retain(|setting| setting.threads <= 1024 && fits(*setting, self));
        settings
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

/// Returns a setting with one chunk per block, and as many resident blocks as fit.
fn once(chunk_bytes: u32, threads: u32) -> Setting {
    Setting {
        chunk_bytes,
        tiles: 1,
        stages: 1,
        blocks: None,
        threads,
    }
}

/// Returns variants with fewer resident blocks, down to some with too few bytes in flight.
fn at_once(setting: Setting) -> impl Iterator<Item = Setting> {
    let all = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24];
    let bytes = move |blocks: u32| u64::from(blocks) * setting.moved_bytes();
    let all = all.into_iter();
    let all = all.filter(move |blocks| (8 << 10..=96 << 10).contains(&bytes(*blocks)));
    all.map(move |blocks| Setting {
        blocks: Some(blocks),
        ..setting
    })
}

/// Returns settings of persistent blocks, with each of these numbers of stages and plausible numbers of blocks.
fn staying(
    chunk_bytes: u32,
    stages: &'static [u32],
    blocks: &'static [u32],
    threads: u32,
) -> impl Iterator<Item = Setting> {
    let worth_a_try = move |stages: u32, blocks: u32| {
        (24 << 10..=192 << 10).contains(&(chunk_bytes * stages * blocks))
    };
    let all = stages.iter().flat_map(|stages| {
        let blocks = blocks.iter().copied();
        blocks.map(|blocks| (*stages, blocks))
    });
    let all = all.filter(move |(stages, blocks)| worth_a_try(*stages, *blocks));
    all.map(move |(stages, blocks)| Setting {
        chunk_bytes,
        tiles: 1,
        stages,
        blocks: Some(blocks),
        threads,
    })
}

/// Returns whether a multiprocessor can hold the setting's number of blocks.
fn fits(setting: Setting, subject: Subject) -> bool {
    // Two barriers and a number per stage, and the output tiles of one kernel.
    let outputs = if matches!(subject, Subject::Persistent) {
        2
    } else {
        0
    };
    let chunks = u64::from(setting.stages + outputs) * setting.moved_bytes();
    let bytes = chunks + 20 * u64::from(setting.stages);
    let blocks = Limits::SM_90.blocks_per_multiprocessor(setting.threads.into(), bytes);
    setting.blocks.unwrap_or(1) <= blocks
}

#[cfg(test)]
mod tests;
