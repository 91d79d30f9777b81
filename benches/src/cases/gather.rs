//! Gathers of boxes of 2x2 pixels of 32 half-precision channels, at scattered positions.

use std::thread;

use anyhow::Result;
use kernels_gpu::tile_gather::{tile_gather, tile_gather_lanes, tile_gather_view};
use tensor_map::{DataType, L2Promotion, TensorMap, Tiled};
use tma_host::Argument;

use crate::{
    case::{Amount, Case, Check, Reference},
    limit::Needs,
    pattern::hash,
    setup::{At, Setup, fits},
    work::L2,
};

/// Number of rounds of eight boxes.
const ROUNDS: u32 = 1 << 20;
/// Words of a pixel: 32 channels of 2 bytes.
const PIXEL_WORDS: u64 = 16;

/// A tensor at the start of the source, which has the source's pattern as elements.
#[derive(Clone, Copy)]
pub(crate) struct Dataset {
    name: &'static str,
    index: usize,
    width: u32,
    height: u32,
    l2: L2,
}

/// The lanes that issue the copies, and the kind of map.
#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Box,
    View,
    Lanes,
}

/// Returns one dataset that stays in the L2 cache, and one that comes from memory, as far as `bytes` bytes permit.
pub(crate) fn datasets(bytes: u64) -> [Dataset; 2] {
    let (width, row_bytes) = (1024, 1024 * 4 * PIXEL_WORDS);
    [
        Dataset {
            name: "L2",
            index: 0,
            width: 162,
            height: 94,
            l2: L2::Warm,
        },
        Dataset {
            name: "memory",
            index: 1,
            width,
            height: (bytes / row_bytes).min(16384) as u32,
            l2: L2::Cold,
        },
    ]
}

pub(super) fn cases(setup: Setup<'_>) -> Result<Vec<Case>> {
    let [l2, memory] = datasets(setup.bytes);
    Ok(vec![
        case(setup, l2, Variant::Box, [1, 16, 2], Some(0.97))?,
        case(setup, l2, Variant::View, [1, 16, 2], Some(0.97))?,
        case(setup, l2, Variant::Lanes, [1, 4, 8], Some(0.97))?,
        case(setup, l2, Variant::Box, [1, 1, 1], None)?,
        case(setup, l2, Variant::Lanes, [1, 1, 1], None)?,
        case(setup, memory, Variant::Box, [2, 8, 4], None)?,
        case(setup, memory, Variant::View, [2, 8, 4], None)?,
    ])
}

pub(super) fn sweep(setup: Setup<'_>) -> Result<Vec<Case>> {
    let [data, _] = datasets(setup.bytes);
    let mut cases = Vec::new();
    for variant in [Variant::Box, Variant::View, Variant::Lanes] {
        for stages in [1, 2, 4] {
            for warps in [1, 2, 4, 8, 16] {
                for blocks in [1, 2, 4, 8, 16] {
                    let all = warps * blocks;
                    let case = case(setup, data, variant, [stages, warps, blocks], None)?;
                    if (4..=48).contains(&all) && fits(blocks, &case) {
                        cases.push(case);
                    }
                }
            }
        }
    }
    Ok(cases)
}

impl Dataset {
    fn map(self, variant: Variant) -> Tiled {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let tiled = match variant {
            Variant::View => {
                TensorMap::tiled(DataType::F16, &[32 * width, height]).box_dims(&[64, 2])
            }
            _ => TensorMap::tiled(DataType::F16, &[32, width, height]).box_dims(&[32, 2, 2]),
        };
        // Promotion would fetch more memory than the box.
        tiled.l2_promotion(L2Promotion::None)
    }

    /// Returns the parameters of a map with the boxes.
    pub(crate) fn boxes(self) -> Tiled {
        self.map(Variant::Box)
    }

    /// Returns the positions of its boxes, anywhere inside: a column in the lower half and a row in the upper half.
    pub(crate) fn positions(self) -> Vec<u32> {
        let position = |index: u64| {
            let x = hash(2 * index) % (self.width - 1);
            x | (hash(2 * index + 1) % (self.height - 1)) << 16
        };
        (0..8 * u64::from(ROUNDS)).map(position).collect()
    }

    /// Returns the sums that `warps` warps write for these positions, four numbers per thread.
    pub(crate) fn sums(self, positions: &[u32], warps: u32) -> Vec<u32> {
        sums(positions, self.width, warps)
    }
}

/// Returns the sums that `warps` warps write, four numbers per thread.
pub(crate) fn sums(positions: &[u32], width: u32, warps: u32) -> Vec<u32> {
    let of_warp = |warp: usize, sums: &mut [u32]| {
        for round in positions.chunks_exact(8).skip(warp).step_by(warps as usize) {
            for vector in 0..128_u64 {
                let position = round[vector as usize / 16];
                // Two rows of two pixels of four vectors.
                let x = u64::from(position & 0xffff) + vector % 8 / 4;
                let y = u64::from(position >> 16) + vector % 16 / 8;
                let word = (y * u64::from(width) + x) * PIXEL_WORDS + vector % 4 * 4;
                let sums = &mut sums[vector as usize % 32 * 4..][..4];
                for (sum, word) in sums.iter_mut().zip(word..) {
                    *sum = sum.wrapping_mul(31).wrapping_add(hash(word));
                }
            }
        }
    };
    let mut all = vec![0; warps as usize * 128];
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = (warps as usize).div_ceil(workers);
    thread::scope(|scope| {
        for (worker, sums) in all.chunks_mut(share * 128).enumerate() {
            scope.spawn(move || {
                for (warp, sums) in sums.chunks_mut(128).enumerate() {
                    of_warp(worker * share + warp, sums);
                }
            });
        }
    });
    all
}

/// Creates a case with stages per warp, warps per block, and blocks per multiprocessor.
fn case(
    setup: Setup<'_>,
    data: Dataset,
    variant: Variant,
    [stages, warps, blocks]: [u32; 3],
    goal: Option<f64>,
) -> Result<Case> {
    let (kernel, how) = match variant {
        Variant::Box => (tile_gather as fn(_, _, _, _, _) -> _, "boxes"),
        Variant::View => (tile_gather_view as fn(_, _, _, _, _) -> _, "view"),
        Variant::Lanes => (
            tile_gather_lanes as fn(_, _, _, _, _) -> _,
            "boxes by 8 lanes",
        ),
    };
    let map = (setup.encode)(data.map(variant).into(), setup.src)?;
    let positions = setup.positions[data.index];
    let call = kernel(stages, map, At(positions), ROUNDS, At(setup.sums));
    let loads = vec![
        Argument::Address(setup.src),
        Argument::scalar(data.width),
        Argument::scalar(data.height),
        Argument::Address(positions),
        Argument::scalar(ROUNDS),
        Argument::Address(setup.sums),
    ];
    let boxes = 8 * u64::from(ROUNDS);
    let needs = match data.l2 {
        L2::Warm => Needs {
            l2_bytes: (256 * boxes) as f64,
            ..Needs::memory(4 * boxes)
        },
        L2::Cold => Needs::memory((4 + 256) * boxes),
    };
    let shapes = [2, 4, 6, 8].map(|blocks| setup.persistent(blocks, 256));
    Ok(Case {
        variant: format!(
            "{how} from {}, {stages} x {warps} warps x {blocks}",
            data.name
        ),
        amount: Amount::Boxes(boxes),
        needs,
        l2: data.l2,
        check: Check::Sums {
            dataset: data.index,
            warps: setup.device.multiprocessors * blocks * warps,
        },
        reference: Reference::Loads(shapes.into(), loads),
        goal,
        ..setup.case("tile_gather", call, setup.persistent(blocks, 32 * warps))?
    })
}
