//! A product of two matrices in fifteen lines.

use half::bf16;
use host_examples::{Result, check, device};
use kernels_host::{Epilogue, Kernels, Matrix, MatrixMut, Op};

fn main() -> Result<()> {
    let [m, n, k] = [200, 136, 96];
    let a: Vec<bf16> = (0..m * k).map(|i| bf16::from_f32((i % 7) as f32)).collect();
    let b: Vec<bf16> = (0..n * k).map(|i| bf16::from_f32((i % 5) as f32)).collect();

    let device = device()?;
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut on_c = device.zeroed::<bf16>(m * n)?;
    // C = A * transpose(B)
    Kernels::new(&device).gemm(
        Op::N,
        Op::T,
        Matrix::new(&on_a, [m, k]),
        Matrix::new(&on_b, [n, k]),
        MatrixMut::new(&mut on_c, [m, n]),
        &Epilogue::default(),
    )?;
    let c = on_c.read()?;

    let mut expected = Vec::new();
    for row in a.chunks(k) {
        for column in b.chunks(k) {
            let products = row.iter().zip(column).map(|(a, b)| a.to_f32() * b.to_f32());
            expected.push(bf16::from_f32(products.sum()));
        }
    }
    check("a product", &expected, &c)
}
