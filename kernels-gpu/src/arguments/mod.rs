//! Arguments that several kernels have in common.

mod bulk;
mod matrix;
mod tiles;

use std::num::NonZero;

use tma_launch::Conditions;

pub(crate) use bulk::{bulk, chunks, ends};
pub use matrix::Matrix;
pub(crate) use matrix::{check_last, check_load, check_store};
pub(crate) use tiles::Tiles;

/// The product, or the most that there is.
pub(crate) fn product(factors: &[u32]) -> u64 {
    let factors = factors.iter().map(|factor| u64::from(*factor));
    factors.fold(1, u64::saturating_mul)
}

/// What a kernel divides by: zero has been refused, and one stands for it until the launch is.
pub(crate) fn divisor(number: u32) -> NonZero<u32> {
    NonZero::new(number).unwrap_or(NonZero::<u32>::MIN)
}

/// Batches are counted in 32 bits, and so are those that would come `stages` later.
pub(crate) fn batches(conditions: &mut Conditions, batches: u32, stages: u32) {
    let most = u32::MAX - stages.min(8);
    let reason = "batches that are counted in 32 bits:";
    conditions.within("batches", batches, 0..=most, reason);
}
