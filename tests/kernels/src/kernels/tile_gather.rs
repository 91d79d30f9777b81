use kernels_gpu::tile_gather::{TileGather, TileGatherForm};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "tile_gather",
    summary: "gathers boxes of 2x2 pixels of 32 channels at scattered positions, many on their way",
    golden: &["tile_gather_2", "tile_gather_view_2"],
    showcase: || Gather::new(Variant::Box).rounds(64).scenario(),
    cases,
};

/// The constants of the kernel's documentation.
const CHANNELS: usize = 32;
const TILES: usize = 8;
const FACTOR: u32 = 31;

#[derive(Clone, Copy, PartialEq)]
enum Variant {
    /// Boxes of a three-dimensional map.
    Box,
    /// Boxes of a three-dimensional map, issued by eight lanes.
    Lanes,
    /// Boxes of a matrix with the tensor's rows.
    View,
}

#[derive(Clone, Copy)]
struct Gather {
    variant: Variant,
    stages: usize,
    blocks: usize,
    threads: usize,
    rounds: usize,
    width: usize,
    height: usize,
}

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for variant in [Variant::Box, Variant::Lanes, Variant::View] {
        let gather = Gather::new(variant);
        for stages in [1, 2, 4] {
            // No rounds, fewer than warps, as many, several for each and some more.
            for rounds in [0, 3, 4, 27] {
                cases.push(gather.stages(stages).rounds(rounds).scenario());
            }
        }
        for (blocks, threads) in [(1, 32), (3, 96), (2, 256)] {
            cases.push(gather.shape(blocks, threads).scenario());
        }
        cases.push(gather.size(1, 1).scenario());
        cases.push(gather.size(3, 50).scenario());
    }
    cases
}

impl Gather {
    fn new(variant: Variant) -> Self {
        Self {
            variant,
            stages: 2,
            blocks: 2,
            threads: 64,
            rounds: 21,
            width: 37,
            height: 23,
        }
    }

    fn stages(self, stages: usize) -> Self {
        Self { stages, ..self }
    }

    fn rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }

    fn shape(self, blocks: usize, threads: usize) -> Self {
        Self {
            blocks,
            threads,
            ..self
        }
    }

    fn size(self, width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            ..self
        }
    }

    /// Two channels in each word.
    fn tensor(self) -> Vec<u32> {
        let words = numbers(self.width * self.height * CHANNELS / 2);
        words
            .iter()
            .map(|word| (*word as u32) ^ 0x5a5a_0000)
            .collect()
    }

    /// Column and row of each box: anywhere, over every edge, and outside.
    fn positions(self) -> Vec<[i32; 2]> {
        let random = numbers(2 * TILES * self.rounds);
        let along = |random: i32, extent: usize, over: i32| {
            random.rem_euclid(extent as i32 + 2 * over) - over
        };
        let position = |pair: &[i32]| {
            // A view has no edge between columns.
            let over = if self.variant == Variant::View { 0 } else { 3 };
            let inside = if over == 0 {
                self.width.max(2) - 1
            } else {
                self.width
            };
            [along(pair[0], inside, over), along(pair[1], self.height, 3)]
        };
        random.chunks_exact(2).map(position).collect()
    }

    /// The 64 words of a box.
    fn gathered(self, tensor: &[u32], [x, y]: [i32; 2]) -> Vec<u32> {
        let mut words = Vec::new();
        for (dy, dx) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (column, row) = (x + dx, y + dy);
            let inside =
                (0..self.width as i32).contains(&column) && (0..self.height as i32).contains(&row);
            if inside {
                let pixel = row as usize * self.width + column as usize;
                words.extend(&tensor[pixel * CHANNELS / 2..][..CHANNELS / 2]);
            } else {
                words.extend([0; CHANNELS / 2]);
            }
        }
        words
    }

    /// Four sums for each thread of the grid.
    fn sums(self, tensor: &[u32], positions: &[[i32; 2]]) -> Vec<u32> {
        let warps = self.blocks * self.threads / 32;
        let mut sums = vec![0_u32; 4 * self.blocks * self.threads];
        for (round, tiles) in positions.chunks_exact(TILES).enumerate() {
            let words: Vec<u32> = tiles
                .iter()
                .flat_map(|at| self.gathered(tensor, *at))
                .collect();
            let warp = round % warps;
            // Vectors of four words go round the lanes.
            for (vector, words) in words.chunks_exact(4).enumerate() {
                let thread = 32 * warp + vector % 32;
                for (sum, word) in sums[4 * thread..][..4].iter_mut().zip(words) {
                    *sum = sum.wrapping_mul(FACTOR).wrapping_add(*word);
                }
            }
        }
        sums
    }

    fn scenario(self) -> Scenario {
        let Self {
            variant,
            stages,
            blocks,
            threads,
            rounds,
            width,
            height,
        } = self;
        let (tensor, positions) = (self.tensor(), self.positions());
        let expected = self.sums(&tensor, &positions);
        let pack = |[x, y]: &[i32; 2]| (*x as u32 & 0xffff) | (*y as u32) << 16;
        let mut packed: Vec<u32> = positions.iter().map(pack).collect();
        // A buffer is not empty, even without rounds.
        packed.resize(packed.len().max(TILES), 0);
        let kind = match variant {
            Variant::Box => "",
            Variant::Lanes => "lanes_",
            Variant::View => "view_",
        };
        let gather = TileGather {
            form: match variant {
                Variant::Box => TileGatherForm::Boxes,
                Variant::Lanes => TileGatherForm::EightLanes,
                Variant::View => TileGatherForm::View,
            },
            stages: stages as u32,
            tensor: 0,
            width: width as u32,
            height: height as u32,
            positions: 1,
            rounds: rounds as u32,
            sums: 2,
            blocks: blocks as u32,
            threads: threads as u32,
        };
        Scenario {
            name: format!(
                "{kind}{rounds}_rounds_{stages}_stages_{blocks}_blocks_of_{threads}_{width}x{height}"
            ),
            buffers: vec![
                Buffer::new("tensor", &tensor),
                Buffer::new("positions", &packed),
                Buffer::new("sums", &vec![u32::MAX; expected.len()]),
            ],
            launches: vec![kept(gather.launch())],
            expected: vec![Expected::of(2, &expected)],
        }
    }
}
