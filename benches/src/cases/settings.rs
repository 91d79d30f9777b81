//! The plausible settings of kernels that stream through memory.

use kernels_gpu::settings::{Setting, Streaming};
use tma_launch::Limits;

/// Returns the settings to try on any device; the kernel was compiled for each.
pub(super) fn settings(kernel: Streaming) -> Vec<Setting> {
    let mut settings = Vec::new();
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
    settings.retain(|setting| setting.threads <= 1024 && fits(*setting, kernel));
    settings
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
fn fits(setting: Setting, kernel: Streaming) -> bool {
    // Two barriers and a number per stage, and the output tiles of one kernel.
    let outputs = if kernel == Streaming::PersistentTiles {
        2
    } else {
        0
    };
    let chunks = u64::from(setting.stages + outputs) * setting.moved_bytes();
    let bytes = chunks + 20 * u64::from(setting.stages);
    let blocks = Limits::SM_90.blocks_per_multiprocessor(setting.threads.into(), bytes);
    setting.blocks.unwrap_or(1) <= blocks
}
