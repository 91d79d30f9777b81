//! The kernel under several schedules of the emulator, and on a GPU.

use softmax::softmax;
use tma_host::{Device, Failure};

/// The softmax of a row, in double precision.
fn expected(row: &[f32]) -> Vec<f64> {
    let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers = row
        .iter()
        .map(|number| (f64::from(*number) - f64::from(max)).exp());
    let powers: Vec<f64> = powers.collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// Rows: fewer than blocks, and more. Columns: fewer than the 32 of a warp, not a multiple of 32, and the most.
fn check(device: &Device, rows_and_columns: &[(u32, u32)]) -> Result<(), Failure> {
    for &(rows, columns) in rows_and_columns {
        let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 16) as f32 / 4096.0 - 8.0;
        let matrix: Vec<f32> = (0..rows * columns).map(number).collect();
        let got = softmax(device, &matrix, columns)?;
        assert_eq!(got.len(), matrix.len());
        let rows = matrix
            .chunks(columns as usize)
            .zip(got.chunks(columns as usize));
        for (index, (row, got)) in rows.enumerate() {
            for (column, (expected, got)) in expected(row).iter().zip(got).enumerate() {
                let apart = (f64::from(*got) - expected).abs();
                assert!(
                    apart <= 2e-6 * expected,
                    "row {index}, column {column} of {columns}: {got}, not {expected}"
                );
            }
        }
    }
    Ok(())
}

/// Runs under the emulator's checker, which also finds missing order of accesses.
#[test]
fn rows_on_the_emulator() {
    for seed in 0..8 {
        let shapes = [(1, 4), (3, 36), (7, 100), (5, 1024), (1100, 4)];
        let result = check(&Device::emulator(seed), &shapes);
        result.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    }
}

#[test]
#[ignore = "needs a GPU"]
fn rows_on_a_gpu() {
    let gpu = Device::gpu().unwrap_or_else(|error| panic!("{error}"));
    let shapes = [(1, 4), (3, 36), (7, 100), (5, 1024), (40_000, 260)];
    check(&gpu, &shapes).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn what_the_kernel_cannot_take_is_refused() {
    let device = Device::emulator(0);
    for (numbers, columns, reason) in [
        (8, 0, "columns is 0"),
        (30, 6, "columns is 6"),
        (2056, 1028, "columns is 1028"),
        (10, 4, "10 numbers make no whole rows of 4"),
    ] {
        let failure = softmax(&device, &vec![0.0; numbers], columns).unwrap_err();
        assert!(failure.to_string().contains(reason), "{failure}");
    }
    assert_eq!(softmax(&device, &[], 4), Ok(Vec::new()));
}
