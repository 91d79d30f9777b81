//! Products of matrices.

use kernels_host::{Activation, Element, Epilogue, Kernels, Matrix, MatrixMut, Op};
use tma_host::{
    Buffer, Device, Failure, Stage,
    half::{bf16, f16},
};

use crate::support::{Result, everywhere, numbers};

const OPS: [[Op; 2]; 4] = [
    [Op::N, Op::N],
    [Op::N, Op::T],
    [Op::T, Op::N],
    [Op::T, Op::T],
];

#[test]
fn matrices_are_multiplied_as_they_lie_or_transposed() -> Result {
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        for ops in OPS {
            multiplies(&kernels, ops, bf16::from_f32)?;
        }
        multiplies(&kernels, [Op::N, Op::T], f16::from_f32)?;
    }
    Ok(())
}

/// Multiplies 72 x 40 and 40 x 56 numbers in rows of 80; the first number is the 16th of the buffer.
fn multiplies<T: Element + PartialEq + std::fmt::Debug>(
    kernels: &Kernels,
    [op_a, op_b]: [Op; 2],
    rounded: fn(f32) -> T,
) -> Result {
    let [m, n, k] = [72, 56, 40];
    let (stride, offset) = (80, 16);
    let len = offset + stride * 72;
    let given = |op, [rows, columns]: [usize; 2]| match op {
        Op::N => [rows, columns],
        Op::T => [columns, rows],
    };
    let (a, b, bias) = (numbers(len, 1), numbers(len, 2), numbers(n, 3));
    let at = |numbers: &[f32], op, row: usize, column: usize| {
        let [row, column] = given(op, [row, column]);
        numbers[offset + row * stride + column]
    };
    let mut expected = vec![rounded(99.0); len];
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|k| at(&a, op_a, row, k) * at(&b, op_b, k, column));
            let sum = 2.0 * products.sum::<f32>() + bias[column];
            expected[offset + row * stride + column] = rounded(sum.max(0.0));
        }
    }
    let device = kernels.device();
    let upload = |numbers: &[f32]| {
        let rounded: Vec<T> = numbers.iter().map(|number| rounded(*number)).collect();
        device.upload(&rounded)
    };
    let (a, b, bias) = (upload(&a)?, upload(&b)?, device.upload(&bias)?);
    let mut c = device.upload(&vec![rounded(99.0); len])?;
    let matrix = |buffer, op, extents| {
        let matrix = Matrix::new(buffer, given(op, extents));
        matrix.stride(stride).offset(offset)
    };
    kernels.gemm(
        op_a,
        op_b,
        matrix(&a, op_a, [m, k]),
        matrix(&b, op_b, [k, n]),
        MatrixMut::new(&mut c, [m, n]).stride(stride).offset(offset),
        &Epilogue {
            alpha: 2.0,
            bias: Some(&bias),
            activation: Activation::RELU,
            ..Epilogue::default()
        },
    )?;
    assert_eq!(c.read()?, expected);
    Ok(())
}

#[test]
fn many_products_are_added_to_what_c_has() -> Result {
    let ([m, n, k], count) = ([24, 16, 40], 3);
    let (a, b) = (numbers(count * m * k, 1), numbers(k * n, 2));
    // Rows of one result are between the rows of the others.
    let c = numbers(m * count * n, 3);
    let mut expected = c.clone();
    for batch in 0..count {
        for row in 0..m {
            for column in 0..n {
                let products = (0..k).map(|k_| a[(batch * m + row) * k + k_] * b[k_ * n + column]);
                let sum = products.sum::<f32>();
                let at = (row * count + batch) * n + column;
                expected[at] = 0.5 * sum - expected[at];
            }
        }
    }
    let rounded =
        |numbers: &[f32]| -> Vec<bf16> { numbers.iter().copied().map(bf16::from_f32).collect() };
    for device in everywhere() {
        let (a, b) = (device.upload(&rounded(&a))?, device.upload(&rounded(&b))?);
        let mut on_device = device.upload(&c)?;
        Kernels::new(&device).gemm(
            Op::N,
            Op::N,
            Matrix::new(&a, [m, k]).batches(count, m * k),
            // One matrix for all, whatever its distance from a next one would be.
            Matrix::new(&b, [k, n]).batches(1, k * n),
            MatrixMut::new(&mut on_device, [m, n])
                .stride(count * n)
                .batches(count, n),
            &Epilogue {
                alpha: 0.5,
                beta: -1.0,
                ..Epilogue::default()
            },
        )?;
        assert_eq!(on_device.read()?, expected);
    }
    Ok(())
}

#[test]
fn sums_of_nothing_are_zero() -> Result {
    for device in everywhere() {
        let nothing = device.upload::<bf16>(&[])?;
        let mut c = device.upload(&[bf16::NAN; 9 * 16])?;
        Kernels::new(&device).gemm(
            Op::N,
            Op::N,
            Matrix::new(&nothing, [9, 0]),
            Matrix::new(&nothing, [0, 16]),
            MatrixMut::new(&mut c, [9, 16]),
            &Epilogue::default(),
        )?;
        assert_eq!(c.read()?, [bf16::ZERO; 9 * 16]);
    }
    Ok(())
}

/// Returns the message about a product of buffers with these numbers of elements.
fn refused(
    ops: [Op; 2],
    [a, b, c]: [[usize; 2]; 3],
    changed: impl FnOnce(&mut [Matrix<'_, bf16>; 2]),
    lens: [usize; 4],
) -> std::result::Result<String, Failure> {
    let device = Device::emulator(0);
    let [of_a, of_b, of_c] = [lens[0], lens[1], lens[2]].map(|len| device.zeroed::<bf16>(len));
    let (of_a, of_b, mut of_c) = (of_a?, of_b?, of_c?);
    let bias = device.zeroed::<f32>(lens[3])?;
    let mut matrices = [Matrix::new(&of_a, a), Matrix::new(&of_b, b)];
    changed(&mut matrices);
    let [a, b] = matrices;
    let epilogue = Epilogue {
        bias: Some(&bias),
        ..Epilogue::default()
    };
    let c = MatrixMut::new(&mut of_c, c);
    let refused = Kernels::new(&device).gemm(ops[0], ops[1], a, b, c, &epilogue);
    let failure = refused.expect_err("it was started");
    assert_eq!(failure.stage, Stage::Check);
    Ok(failure.to_string())
}

const SAID: &str = "check: the launch of `gemm` cannot work";

#[test]
fn matrices_that_do_not_fit_each_other_are_refused() -> Result {
    let lens = [10_000, 10_000, 10_000, 64];
    let said = refused([Op::N, Op::T], [[40, 24], [64, 32], [48, 72]], |_| (), lens)?;
    assert_eq!(
        said,
        format!(
            "{SAID}\n  \
             kernel-condition: columns of B is 32; must be 24 (columns of A); use 24\n  \
             kernel-condition: rows of C is 48; must be 40 (rows of A); use 40\n  \
             kernel-condition: columns of C is 72; must be 64 (rows of B); use 64"
        )
    );
    let said = refused([Op::T, Op::N], [[40, 24], [32, 64], [24, 64]], |_| (), lens)?;
    let expected = "kernel-condition: rows of B is 32; must be 40 (rows of A); use 40";
    assert_eq!(said, format!("{SAID}\n  {expected}"));
    Ok(())
}

#[test]
fn strides_and_offsets_are_multiples_of_16_bytes() -> Result {
    let extents = [[40, 20], [20, 64], [40, 64]];
    let said = refused(
        [Op::N; 2],
        extents,
        |[_, b]| *b = b.stride(56).offset(4),
        [10_000; 4],
    )?;
    assert_eq!(
        said,
        format!(
            "{SAID}\n  \
             kernel-condition: offset of B is 4; must be a multiple of 8 (matrices start at multiples of 16 bytes); use 8\n  \
             kernel-condition: row stride of A is 20; must be a multiple of 8 (rows start at multiples of 16 bytes); \
             use 16 or 24\n  \
             kernel-condition: row stride of B is 56; must be at least 64 (rows must not overlap); use 64 or more"
        )
    );
    Ok(())
}

#[test]
fn buffers_are_as_long_as_they_must_be() -> Result {
    let extents = [[40, 24], [24, 64], [40, 64]];
    let said = refused(
        [Op::N; 2],
        extents,
        |[a, b]| (*a, *b) = (a.stride(32), b.offset(9992)),
        [39 * 32 + 23, 10_000, 40 * 64 - 1, 63],
    )?;
    let uses = "(elements that the kernel uses)";
    assert_eq!(
        said,
        format!(
            "{SAID}\n  \
             kernel-condition: elements of C is 2559; must be at least 2560 {uses}; use 2560 or more\n  \
             kernel-condition: elements of A is 1271; must be at least 1272 {uses}; use 1272 or more\n  \
             kernel-condition: elements of B is 8; must be at least 1536 {uses}; use 1536 or more\n  \
             kernel-condition: elements of the bias is 63; must be at least 64 {uses}; use 64 or more"
        )
    );
    Ok(())
}

#[test]
fn there_are_as_many_matrices_as_results() -> Result {
    let extents = [[40, 24], [24, 64], [40, 64]];
    let said = refused(
        [Op::N; 2],
        extents,
        |[a, _]| *a = a.batches(2, 1000),
        [10_000; 4],
    )?;
    let expected = "kernel-condition: batches of A is 2; must be 1 (batches of C); use 1";
    assert_eq!(said, format!("{SAID}\n  {expected}"));
    Ok(())
}

#[test]
fn there_are_no_empty_matrices() -> Result {
    let said = refused(
        [Op::N; 2],
        [[0, 24], [24, 64], [0, 64]],
        |_| (),
        [10_000; 4],
    )?;
    assert!(said.contains("M is 0; must be 1 to "), "{said}");
    Ok(())
}

/// Two handles of one GPU have a stream each, in no order with each other.
#[test]
fn memory_of_another_device_is_refused() -> Result {
    let apart = [Device::emulator(0), Device::emulator(0)];
    let mut pairs = vec![apart, Device::emulators(0)];
    let opened = everywhere().into_iter().zip(everywhere());
    pairs.extend(opened.map(|(one, again)| [one, again]));
    for [here, there] in pairs {
        let product =
            |kernels: &Kernels, a: &Buffer<bf16>, b: &Buffer<bf16>, c: &mut Buffer<bf16>| {
                kernels.gemm(
                    Op::N,
                    Op::N,
                    Matrix::new(a, [8, 8]),
                    Matrix::new(b, [8, 8]),
                    MatrixMut::new(c, [8, 8]),
                    &Epilogue::default(),
                )
            };
        let (kernels, others) = (Kernels::new(&here), Kernels::new(&there));
        let (a, b) = (
            here.upload(&[bf16::ONE; 64])?,
            there.upload(&[bf16::ONE; 64])?,
        );
        let (mut c, mut d) = (here.zeroed::<bf16>(64)?, there.zeroed::<bf16>(64)?);
        product(&kernels, &a, &a, &mut c)?;
        // C is still written where the device is a GPU.
        for refused in [
            product(&others, &c, &b, &mut d),
            product(&others, &b, &b, &mut c),
            product(&kernels, &a, &b, &mut c),
        ] {
            let said = refused.expect_err("it was started").to_string();
            assert!(said.contains(" on another device"), "{said}");
        }
        assert_eq!(c.read()?, [bf16::from_f32(8.0); 64]);
        assert_eq!(d.read()?, [bf16::ZERO; 64]);
    }
    Ok(())
}
