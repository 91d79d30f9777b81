//! Products of numbers of `e4m3` with scales.

use kernels_host::{Experts, Kernels, Matrix, MatrixMut};
use tma_host::{Device, half::bf16};

use crate::support::{Result, e4m3, everywhere, numbers};

#[test]
fn numbers_count_times_their_scales() -> Result {
    times_their_scales([72, 136, 160])
}

#[test]
fn numbers_of_a_few_rows_count_times_their_scales() -> Result {
    times_their_scales([40, 136, 160])
}

/// The emulator has fewer multiprocessors than two for each 128 columns.
#[test]
fn numbers_of_a_few_rows_and_many_columns_count_times_their_scales() -> Result {
    times_their_scales([40, 392, 160])
}

fn times_their_scales([m, n, k]: [usize; 3]) -> Result {
    let (a, b) = (numbers(m * k, 1), numbers(n * k, 2));
    // Powers of two: two for each row of A, and two for each 128 rows of B.
    let scales = |len, seed| -> Vec<f32> {
        let exponents = numbers(len, seed).into_iter();
        exponents.map(f32::exp2).collect()
    };
    let (a_scales, b_scales) = (scales(2 * m, 3), scales(2 * n.div_ceil(128), 4));
    let mut expected = Vec::new();
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|at| {
                let scale = a_scales[at / 128 * m + row] * b_scales[column / 128 * 2 + at / 128];
                a[row * k + at] * b[column * k + at] * scale
            });
            expected.push(bf16::from_f32(products.sum()));
        }
    }
    let bits = |numbers: &[f32]| -> Vec<u8> { numbers.iter().copied().map(e4m3).collect() };
    for device in everywhere() {
        let (a, b) = (device.upload(&bits(&a))?, device.upload(&bits(&b))?);
        let (a_scales, b_scales) = (device.upload(&a_scales)?, device.upload(&b_scales)?);
        let mut c = device.upload(&vec![bf16::NAN; m * n])?;
        Kernels::new(&device).gemm_fp8(
            (Matrix::new(&a, [m, k]), &a_scales),
            (Matrix::new(&b, [n, k]), &b_scales),
            MatrixMut::new(&mut c, [m, n]),
            Experts::One,
        )?;
        assert_eq!(c.read()?, expected);
    }
    Ok(())
}

#[test]
fn rows_are_those_of_their_experts() -> Result {
    let ([m, n, k], experts) = ([256, 24, 16], 3);
    let (a, b) = (numbers(experts * m * k, 1), numbers(experts * n * k, 2));
    let a_scales: Vec<f32> = numbers(experts * m, 3).into_iter().map(f32::exp2).collect();
    let b_scales: Vec<f32> = numbers(experts, 4).into_iter().map(f32::exp2).collect();
    let left = bf16::from_f32(99.0);
    let sum = |row: usize, column: usize, expert: usize| {
        let products = (0..k).map(|at| a[row * k + at] * b[(expert * n + column) * k + at]);
        bf16::from_f32(products.sum::<f32>() * a_scales[row] * b_scales[expert])
    };
    let expected = |expert_of: &dyn Fn(usize) -> Option<usize>| {
        let element = |at: usize| match expert_of(at / n) {
            Some(expert) => sum(at / n, at % n, expert),
            None => left,
        };
        (0..experts * m * n).map(element).collect::<Vec<bf16>>()
    };
    let contiguous = [2, 0, -1, 1, 1, 0];
    let of_contiguous = expected(&|row| usize::try_from(contiguous[row / 128]).ok());
    let masked = [0, 128, 129];
    let of_masked = expected(&|row| {
        let computed = [0, 128, 256][row / m];
        (row % m < computed).then_some(row / m)
    });
    let bits = |numbers: &[f32]| -> Vec<u8> { numbers.iter().copied().map(e4m3).collect() };
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let (a, b) = (device.upload(&bits(&a))?, device.upload(&bits(&b))?);
        let (a_scales, b_scales) = (device.upload(&a_scales)?, device.upload(&b_scales)?);
        let b = Matrix::new(&b, [n, k]).batches(experts, n * k);
        let mut c = device.upload(&vec![left; experts * m * n])?;
        kernels.gemm_fp8(
            (Matrix::new(&a, [experts * m, k]), &a_scales),
            (b, &b_scales),
            MatrixMut::new(&mut c, [experts * m, n]),
            Experts::Contiguous(&device.upload(&contiguous)?),
        )?;
        assert_eq!(c.read()?, of_contiguous);
        let mut c = device.upload(&vec![left; experts * m * n])?;
        kernels.gemm_fp8(
            (Matrix::new(&a, [m, k]).batches(experts, m * k), &a_scales),
            (b, &b_scales),
            MatrixMut::new(&mut c, [m, n]).batches(experts, m * n),
            Experts::Masked(&device.upload(&masked)?),
        )?;
        assert_eq!(c.read()?, of_masked);
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_at_once() -> Result {
    let device = Device::emulator(0);
    let (bits, scales) = (device.zeroed::<u8>(4096)?, device.zeroed::<f32>(3)?);
    let mut c = device.zeroed::<bf16>(4096)?;
    let refused = |a, b, c| {
        let kernels = Kernels::new(&device);
        let failure = kernels.gemm_fp8((a, &scales), (b, &scales), c, Experts::One);
        failure.expect_err("it was started").to_string()
    };
    let matrix = |extents| Matrix::new(&bits, extents);
    let said = refused(
        matrix([16, 32]),
        matrix([8, 48]),
        MatrixMut::new(&mut c, [8, 24]),
    );
    assert_eq!(
        said,
        "check: the launch of `gemm_fp8` cannot work\n  \
         kernel-condition: columns of B is 48; must be 32 (columns of A); use 32\n  \
         kernel-condition: rows of C is 8; must be 16 (rows of A); use 16\n  \
         kernel-condition: columns of C is 24; must be 8 (rows of B); use 8\n  \
         kernel-condition: elements of the scales of A is 3; must be at least 16 (elements that the kernel uses); use 16 or more"
    );
    Ok(())
}
