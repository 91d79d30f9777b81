use kernels_gpu::{Matrix, persistent_tiles::PersistentTiles};
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "persistent_tiles",
    summary: "blocks that stay go over all tiles: a warp loads into a ring, the others compute and store behind",
    golden: &["persistent_tiles_4"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for stages in 2..=4 {
        // Less than a round of the ring, more blocks than tiles, many rounds.
        for blocks in [1, 3, 40] {
            cases.push(scenario(stages, Matrix::packed(320, 160), blocks, 96));
        }
        let padded = Matrix {
            width: 201,
            height: 77,
            pitch: 212,
        };
        cases.push(scenario(stages, padded, 2, 64));
        cases.push(scenario(stages, Matrix::packed(100, 40), 1, 288));
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let matrix = Matrix::packed(1024, 256);
    let set = PersistentTiles::of(matrix).on(device);
    scenario(set.stages, matrix, set.blocks, set.threads)
}

fn scenario(stages: u32, matrix: Matrix, blocks: u32, threads: u32) -> Scenario {
    let numbers = numbers(matrix.len_elems());
    let data: Vec<f32> = numbers.iter().map(|number| (*number >> 4) as f32).collect();
    let mut expected = vec![-1.0; data.len()];
    for row in 0..matrix.height {
        for column in 0..matrix.width.next_multiple_of(4) {
            let index = row * matrix.pitch + column;
            // Padding that a store overwrites gets the result for zero.
            let inside = column < matrix.width;
            expected[index] = if inside { 2.0 * data[index] + 1.0 } else { 1.0 };
        }
    }
    let tiles = PersistentTiles {
        stages,
        matrix,
        source: 0,
        target: 1,
        blocks,
        threads,
    };
    Scenario {
        name: format!(
            "{}x{}_in_{stages}_stages_by_{blocks}_blocks_of_{threads}",
            matrix.width, matrix.height
        ),
        buffers: vec![
            Buffer::new("source", &data),
            Buffer::new("target", &vec![-1.0_f32; data.len()]),
        ],
        launches: vec![kept(tiles.launch())],
        expected: vec![
            Expected::of(1, &expected).dims(&[matrix.pitch, matrix.height]),
            Expected::of(0, &data),
        ],
    }
}
