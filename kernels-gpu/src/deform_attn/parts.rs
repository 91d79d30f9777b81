//! The groups of queries that a block works on.

use core::num::NonZero;

use tma::Block;

use super::geometry::{Batch, Problem};

/// Calls `work` for each batch with groups of this block, with the number of the first one and of the one after
/// the last.
///
/// The batches are processed in `waves` parts, one after the other; a block has a share of each part.
#[inline(always)]
pub(super) fn each_batch<const QUERIES: u32>(
    block: Block,
    problem: &Problem<QUERIES>,
    waves: NonZero<u32>,
    mut work: impl FnMut(Batch, u32, u32),
) {
    let groups_of_batch = problem.groups_of_batch();
    for wave in 0..waves.get() {
        let batches = [wave, wave + 1].map(|wave| share(problem.batches, wave, waves));
        let [first, end] = batches.map(|batch| batch * groups_of_batch.get());
        let part = [block.index(), block.index() + 1]
            .map(|part| first + share(end - first, part, block.blocks()));
        let [mut group, end] = part;
        while group < end {
            let Some(batch) = problem.batch(group) else {
                break;
            };
            let end_of_batch = end.min((batch.0 + 1) * groups_of_batch.get());
            work(batch, group, end_of_batch);
            group = end_of_batch;
        }
    }
}

/// Returns the start of part `part` of `parts`.
#[inline(always)]
fn share(count: u32, part: u32, parts: NonZero<u32>) -> u32 {
    (u64::from(count) * u64::from(part) / u64::from(parts.get())) as u32
}
