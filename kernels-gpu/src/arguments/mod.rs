//! Arguments that several kernels have in common.

mod bulk;
mod checked;
mod matrix;
mod tiles;

use std::num::NonZero;

use tma_launch::{Conditions, Launch, Region};

pub(crate) use bulk::{bulk, chunk, chunks, each, ends, part};
pub use matrix::Matrix;
pub(crate) use matrix::{check_last, check_load, check_store};
pub(crate) use tiles::{Tiles, tile_of, tiled_bytes};

/// Returns the product, saturating.
pub(crate) fn product(factors: &[u32]) -> u64 {
    let factors = factors.iter().map(|factor| u64::from(*factor));
    factors.fold(1, u64::saturating_mul)
}

/// The kernel goes from one to the other, or over both in place where they are the same.
pub(crate) fn in_place_or_apart(conditions: &mut Conditions, dst: Region, src: Region) {
    if dst == src {
        conditions.updates(dst);
    } else {
        conditions.reads(src);
        conditions.writes(dst);
    }
}

/// Blocks begin with `own` items each and draw the others from a counter, each one that is not there, too.
pub(crate) fn drawn(
    conditions: &mut Conditions,
    blocks: u32,
    own: u32,
    items: u32,
    counter: usize,
) {
    let most = (u32::MAX - items) / own.saturating_add(1);
    let reason = "drawn items are counted in 32 bits";
    conditions.within("blocks", blocks, 0..=most, reason);
    conditions.zeroed(Region::bytes(counter, size_of::<u32>() as u64));
}

/// Returns the launch with at least this much shared memory: more than it needs lets fewer blocks run at once.
fn at_least(launch: Launch, shared_bytes: u32) -> Launch {
    let shared_bytes = shared_bytes.max(launch.shape.shared_bytes);
    Launch {
        shape: launch.shape.shared_bytes(shared_bytes),
        ..launch
    }
}

/// Returns a divisor of a kernel: zero has been refused, and one replaces it until the launch is refused.
pub(crate) fn divisor(number: u32) -> NonZero<u32> {
    NonZero::new(number).unwrap_or(NonZero::<u32>::MIN)
}

/// Batches are counted in 32 bits, also the ones that would come `stages` later.
pub(crate) fn batches(conditions: &mut Conditions, batches: u32, stages: u32) {
    let most = u32::MAX - stages.min(8);
    let reason = "batches are counted in 32 bits";
    conditions.within("batches", batches, 0..=most, reason);
}
