//! Groups of `wgmma` that their warpgroup waits for at once.

use std::collections::BTreeMap;

use super::counts::ProductCounts;
use crate::machine::{
    Program,
    observer::{GroupKind, Origin},
};

/// The waits of a launch. The first warp of a warpgroup stands for all four.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    /// The last closed group by block and warp, with the instruction that closed it.
    closed: BTreeMap<(u64, u32), (u64, usize)>,
    pub(super) by_instruction: BTreeMap<usize, ProductCounts>,
}

const WARPGROUP: u32 = 128;

impl Products {
    pub(super) fn commit(&mut self, origin: Origin, kind: GroupKind, group: u64) {
        if kind == GroupKind::Wgmma && origin.thread.is_multiple_of(WARPGROUP) {
            let warp = (origin.block, origin.thread);
            self.closed.insert(warp, (group, origin.instruction));
        }
    }

    pub(super) fn wait(&mut self, origin: Origin, kind: GroupKind, until: u64, program: &Program) {
        if kind != GroupKind::Wgmma || !origin.thread.is_multiple_of(WARPGROUP) {
            return;
        }
        let waits = self.by_instruction.entry(origin.instruction).or_default();
        waits.waits += 1;
        let Some((group, commit)) = self.closed.get(&(origin.block, origin.thread)) else {
            return;
        };
        let mut between = (*commit..=origin.instruction).map(|at| program.opcode(at));
        let is_next = commit < &origin.instruction && between.all(|it| it.starts_with("wgmma."));
        waits.at_once += u64::from(until == group + 1 && is_next);
    }
}
