//! Bytes in flight: bulk loads of a block that it has issued and not yet waited for.

use std::collections::BTreeMap;

use crate::machine::observer::{CopyId, Memory, Range};

/// A load that its block has not waited for.
#[derive(Clone, Copy, Debug)]
struct Load {
    copy: CopyId,
    bytes: u64,
    /// Phase of the barrier that counts its bytes, once some have arrived.
    phase: Option<u64>,
}

/// The loads in flight of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight {
    /// By block and address of the barrier.
    loads: BTreeMap<(u64, u64), Vec<Load>>,
    bytes: BTreeMap<u64, u64>,
    /// Most bytes of one block, and the instruction that issued the last of them.
    pub(super) most: Option<(u64, usize)>,
}

impl InFlight {
    pub(super) fn issue(&mut self, barrier: Range, copy: CopyId, bytes: u32, instruction: usize) {
        let Some(at) = place(barrier) else {
            return;
        };
        let bytes = u64::from(bytes);
        self.loads.entry(at).or_default().push(Load {
            copy,
            bytes,
            phase: None,
        });
        let all = self.bytes.entry(at.0).or_default();
        *all += bytes;
        if self.most.is_none_or(|(most, _)| *all > most) {
            self.most = Some((*all, instruction));
        }
    }

    /// Records the phase in which bytes of a copy arrived.
    pub(super) fn arrived(&mut self, barrier: Range, copy: CopyId, phase: u64) {
        let loads = place(barrier).and_then(|at| self.loads.get_mut(&at));
        let mut loads = loads.into_iter().flatten();
        if let Some(load) = loads.find(|load| load.copy == copy) {
            load.phase = Some(phase);
        }
    }

    /// Ends the loads of a phase that a thread has waited for, and of phases before it.
    pub(super) fn waited(&mut self, barrier: Range, phase: u64) {
        let Some(at) = place(barrier) else {
            return;
        };
        let (Some(loads), Some(all)) = (self.loads.get_mut(&at), self.bytes.get_mut(&at.0)) else {
            return;
        };
        loads.retain(|load| {
            let is_over = load.phase.is_some_and(|of| of <= phase);
            if is_over {
                *all = all.saturating_sub(load.bytes);
            }
            !is_over
        });
    }
}

fn place(barrier: Range) -> Option<(u64, u64)> {
    match barrier.memory {
        Memory::Shared { block } => Some((block, barrier.address)),
        _ => None,
    }
}
