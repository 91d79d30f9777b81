//! Matrix products whose results the host computes from few numbers: the numbers along K repeat up to a factor.

use std::sync::{Arc, OnceLock};

use anyhow::Result;
use kernels_gpu::{gemm::Numbers, gemm_mma::GemmMma};

use super::{
    DST, Ported,
    buffers::{A, B, Sizes},
};
use crate::{
    case::{Amount, Reference},
    limit::Needs,
    pattern::hash,
    setup::kept,
    work::L2,
};

/// Length of the repeated sequence along K.
const PERIOD: u32 = 32;

/// Returns a whole number from -4 to 3, of a row of A or a column of B.
fn part(buffer: usize, row: u32, k: u32) -> i32 {
    let index = u64::from(row * PERIOD + k % PERIOD);
    (hash(index + ((buffer as u64) << 40)) & 7) as i32 - 4
}

/// Returns the factor of a period along K: 1 to 3.
fn factor(buffer: usize, period: u32) -> i32 {
    (hash(u64::from(period) + ((buffer as u64) << 41)) % 3) as i32 + 1
}

/// Returns the bits of the nearest `bf16`, ties to even.
fn bf16(number: i32) -> u16 {
    let bits = (number as f32).to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// Returns A or the transpose of B with `side` rows and columns.
pub(super) fn matrix(buffer: usize, side: u32) -> Vec<u8> {
    let row = |row| (0..side).map(move |k| part(buffer, row, k) * factor(buffer, k / PERIOD));
    let numbers = (0..side).flat_map(row);
    numbers
        .flat_map(|number| bf16(number).to_le_bytes())
        .collect()
}

/// Returns the rows for half the side length and for the whole one.
pub(super) fn rows(multiprocessors: u32, stages: u32, bytes: u64) -> Result<[Ported; 2]> {
    let side = Sizes::of(bytes).product_side;
    let row = |part| product(side / part, side, multiprocessors, stages);
    Ok([row(2)?, row(1)?])
}

fn product(side: u32, stride: u32, multiprocessors: u32, stages: u32) -> Result<Ported> {
    let launch = GemmMma {
        numbers: Numbers::Bf16,
        size: [side; 3],
        a_transposed: false,
        b_transposed: true,
        strides: [None, Some(stride.into()), Some(stride.into())],
        c: DST,
        a: A,
        b: B,
        stages,
        multiprocessors,
    };
    let parts = OnceLock::new();
    let all_parts = move || {
        [A, B].map(|buffer| -> Vec<i32> {
            let row = |row| (0..PERIOD).map(move |k| part(buffer, row, k));
            (0..side).flat_map(row).collect()
        })
    };
    let factors = (0..side / PERIOD).map(|period| factor(A, period) * factor(B, period));
    let factors: i32 = factors.sum();
    let expected = move |index: u64| {
        let [a, b] = parts.get_or_init(all_parts);
        let result = |at: u64| {
            let [row, column] = [at / u64::from(side), at % u64::from(side)];
            let of_row = a.chunks(PERIOD as usize).nth(row as usize);
            let of_column = b.chunks(PERIOD as usize).nth(column as usize);
            let products = of_row
                .into_iter()
                .flatten()
                .zip(of_column.into_iter().flatten());
            let products = products.map(|(a, b)| a * b);
            u32::from(bf16(factors * products.sum::<i32>()))
        };
        result(2 * index) | result(2 * index + 1) << 16
    };
    let side = u64::from(side);
    let (bytes, operations) = (3 * 2 * side * side, 2 * side * side * side);
    Ok(Ported {
        kernel: "gemm_mma",
        variant: format!("bf16 {side} cubed, {stages} stages"),
        launch: kept(launch.launch())?,
        amount: Amount::Products { bytes, operations },
        needs: Needs {
            tensor_products: (operations / 2) as f64,
            ..Needs::memory(bytes)
        },
        l2: L2::Cold,
        words: side * side / 2,
        expected: Arc::new(expected),
        written: vec![DST],
        from_zero: false,
        before: None,
        after: None,
        reference: Reference::Nothing,
    })
}
