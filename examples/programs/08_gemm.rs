//! A matrix product on tensor cores with a bias and an activation.

use half::bf16;
use host_examples::{Result, check, device, jobs};
use kernels_gpu::gemm::{Activation, Gemm};
use tma_launch::{Buffer, Job};

fn main() -> Result<()> {
    let (mut jobs, ptx) = jobs(&device()?)?;

    let [m, n, k] = [200, 136, 96];
    let a: Vec<f32> = (0..m * k).map(|index| (index % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..k * n).map(|index| (index % 5) as f32 - 2.0).collect();
    let bias: Vec<f32> = (0..n).map(|column| column as f32 - 68.0).collect();
    let halves =
        |numbers: &[f32]| -> Vec<bf16> { numbers.iter().copied().map(bf16::from_f32).collect() };

    let mut job = Job::new(ptx);
    let gemm = Gemm {
        size: [m as u32, n as u32, k as u32],
        c: job.buffer(Buffer::new("c", &vec![bf16::NAN; m * n])),
        a: job.buffer(Buffer::new("a", &halves(&a))),
        b: job.buffer(Buffer::new("b", &halves(&b))),
        bias: Some(job.buffer(Buffer::new("bias", &bias))),
        activation: Activation::RELU,
        ..Gemm::default()
    };
    job.launch(gemm.launch()?);
    // SAFETY: these kernels' launches have checked their arguments (1).
    unsafe { jobs.run(&mut job) }?;

    let mut expected = Vec::new();
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|at| a[row * k + at] * b[at * n + column]);
            expected.push(bf16::from_f32(
                (products.sum::<f32>() + bias[column]).max(0.0),
            ));
        }
    }
    check("a product", &expected, &job.buffers[gemm.c].to_vec()?)
}
