//! Norms and softmax of rows.

use kernels_host::Kernels;
use tma_host::{Device, half::bf16};

use crate::support::{Result, assert_near, everywhere, numbers};

/// The mean of `of(x)`.
fn mean(row: &[f32], of: impl Fn(f64) -> f64) -> f64 {
    row.iter().map(|x| of(f64::from(*x))).sum::<f64>() / row.len() as f64
}

#[test]
fn rows_are_normalised() -> Result {
    let (len, rows) = (104, 7);
    let x = numbers(len * rows, 1);
    let (weights, biases) = (numbers(len, 2), numbers(len, 3));
    let [mut of_softmax, mut of_rms_norm, mut of_layer_norm] = [const { Vec::new() }; 3];
    for row in x.chunks(len) {
        let powers = mean(row, f64::exp) * len as f64;
        let of_squares = (mean(row, |x| x * x) + 0.5).sqrt();
        let middle = mean(row, |x| x);
        let deviation = (mean(row, |x| (x - middle).powi(2)) + 0.25).sqrt();
        for (column, x) in row.iter().enumerate() {
            let [x, weight, bias] = [*x, weights[column], biases[column]].map(f64::from);
            of_softmax.push(x.exp() / powers);
            of_rms_norm.push(x / of_squares * weight);
            of_layer_norm.push((x - middle) / deviation * weight + bias);
        }
    }
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let mut results = device.zeroed::<f32>(len * rows)?;
        let (source, weight) = (device.upload(&x)?, device.upload(&weights)?);
        kernels.softmax(len, &source, &mut results)?;
        assert_near(&results.read()?, &of_softmax, 1e-5);
        kernels.rms_norm(0.5, &source, &weight, &mut results)?;
        assert_near(&results.read()?, &of_rms_norm, 1e-5);
        let bias = device.upload(&biases)?;
        kernels.layer_norm(0.25, &source, &weight, &bias, &mut results)?;
        assert_near(&results.read()?, &of_layer_norm, 1e-5);

        let rounded: Vec<bf16> = x.iter().copied().map(bf16::from_f32).collect();
        let mut results = device.zeroed::<bf16>(len * rows)?;
        kernels.softmax(len, &device.upload(&rounded)?, &mut results)?;
        let results: Vec<f32> = results.read()?.iter().map(|it| it.to_f32()).collect();
        assert_near(&results, &of_softmax, 4e-3);
    }
    Ok(())
}

#[test]
fn rows_and_buffers_that_do_not_fit_are_refused() -> Result {
    let device = Device::emulator(0);
    let kernels = Kernels::new(&device);
    let source = device.zeroed::<f32>(100)?;
    let mut results = device.zeroed::<f32>(96)?;
    let refused = kernels.softmax(6, &source, &mut results);
    assert_eq!(
        refused.expect_err("it was started").to_string(),
        "check: the launch of `softmax` cannot work\n  \
         kernel-condition: elements of the source is 100; must be a multiple of 6 (rows must be whole); use 96 or 102\n  \
         kernel-condition: bytes per row is 24; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16 or 32"
    );
    let (weight, bias) = (device.zeroed::<f32>(20)?, device.zeroed::<f32>(16)?);
    let refused = kernels.layer_norm(1.0, &source, &weight, &bias, &mut results);
    assert_eq!(
        refused.expect_err("it was started").to_string(),
        "check: the launch of `layer_norm` cannot work\n  \
         kernel-condition: elements of the results is 96; must be at least 100 (elements that the kernel uses); \
         use 100 or more\n  \
         kernel-condition: elements of the bias is 16; must be at least 20 (elements that the kernel uses); \
         use 20 or more"
    );
    let refused = kernels.rms_norm(1.0, &source, &device.zeroed(0)?, &mut results);
    let said = refused.expect_err("it was started").to_string();
    assert!(said.contains("len is 0"), "{said}");
    Ok(())
}
