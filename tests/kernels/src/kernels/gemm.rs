use half::bf16;
use kernels_gpu::gemm::Gemm;
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gemm",
    summary: "multiplies matrices by tensor cores, which a warpgroup feeds and two keep busy",
    golden: &["gemm"],
    showcase: || scenario([256, 512, 192], 2),
    cases,
};

fn cases() -> Vec<Scenario> {
    let sizes = [
        ([128, 256, 64], 1),
        // Less than a tile, and less than a stage.
        ([8, 16, 8], 1),
        ([72, 40, 24], 3),
        // Beyond a tile on every side, and more stages than the pipeline has.
        ([136, 264, 328], 2),
        ([1, 8, 400], 1),
        // Several tiles a block.
        ([300, 520, 72], 1),
        ([300, 520, 72], 4),
        // No products at all.
        ([130, 24, 0], 2),
    ];
    sizes.map(|(size, blocks)| scenario(size, blocks)).to_vec()
}

/// Small whole numbers, whose sums `f32` has exactly in any order.
fn matrix(len: usize, least: i32, most: i32) -> Vec<bf16> {
    let numbers = numbers(len).into_iter();
    let small = numbers.map(|number| least + number.rem_euclid(most - least + 1));
    small.map(|number| bf16::from_f32(number as f32)).collect()
}

fn scenario([m, n, k]: [usize; 3], blocks: u32) -> Scenario {
    // A tensor has an element at least.
    let depth = k.max(8);
    let a = matrix(m * depth, -8, 9);
    let b = matrix(n * depth, -5, 4);
    let mut expected = Vec::new();
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|at| {
                f64::from(a[row * depth + at].to_f32()) * f64::from(b[column * depth + at].to_f32())
            });
            expected.push(bf16::from_f64(products.fold(0.0, |sum, product| sum + product)));
        }
    }
    let gemm = Gemm {
        m: m as u32,
        n: n as u32,
        k: k as u32,
        c: 0,
        a: 1,
        b: 2,
        blocks,
    };
    Scenario {
        name: format!("{m}x{n}x{k}_{blocks}_blocks"),
        buffers: vec![
            Buffer::new("c", &vec![bf16::NAN; m * n]),
            Buffer::new("a", &a),
            Buffer::new("b", &b),
        ],
        launches: vec![kept(gemm.launch())],
        expected: vec![
            Expected::of(0, &expected),
            Expected::of(1, &a),
            Expected::of(2, &b),
        ],
    }
}
