use tests_device::{gemm_tiled, vecadd};
use tma_launch::{Buffer, BufferRef, Shape};

use super::{compared, launched};
use crate::Scenario;

pub(super) fn cases() -> Vec<Scenario> {
    let products = [(16, 16, 16), (33, 17, 20), (5, 40, 1), (7, 9, 0)];
    let sums = [1, 1000, 4096].map(sum);
    sums.into_iter()
        .chain(products.map(|(m, n, k)| product(m, n, k)))
        .collect()
}

/// Small whole numbers with exact sums.
fn numbers(count: usize, step: usize) -> Vec<f32> {
    (0..count).map(|at| (at * step % 15) as f32 - 7.0).collect()
}

fn sum(count: usize) -> Scenario {
    let (a, b) = (numbers(count, 7), numbers(count, 4));
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let [c, to_a, to_b] = [0, 1, 2].map(BufferRef::new);
    let call = vecadd(to_a, count, to_b, count, c);
    let inputs = vec![Buffer::new("a", &a), Buffer::new("b", &b)];
    let launch = launched(call, Shape::new(count.div_ceil(256) as u32, 256));
    compared(&format!("vecadd_{count}"), &expected, inputs, launch)
}

fn product(m: usize, n: usize, k: usize) -> Scenario {
    let (a, b, c) = (numbers(m * k, 7), numbers(k * n, 4), numbers(m * n, 11));
    let mut expected = Vec::new();
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|at| a[row * k + at] * b[at * n + column]);
            expected.push(
                2.0 * products.fold(0.0, |sum, product| sum + product) - 3.0 * c[row * n + column],
            );
        }
    }
    let [to_c, to_a, to_b] = [0, 1, 2].map(BufferRef::new);
    let grid = (m.div_ceil(16) as u32, n.div_ceil(16) as u32);
    let call = gemm_tiled(to_a, to_b, to_c, m, n, k, 2.0, -3.0);
    let inputs = vec![Buffer::new("a", &a), Buffer::new("b", &b)];
    let launch = launched(call, Shape::new(grid, (16, 16)));
    let name = format!("gemm_tiled_{m}_{n}_{k}");
    let mut scenario = compared(&name, &expected, inputs, launch);
    scenario.buffers[0] = Buffer::new("c", &c);
    scenario
}
