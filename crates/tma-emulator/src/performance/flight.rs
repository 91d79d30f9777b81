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

/// An mbarrier that counts the bytes of loads.
#[derive(Clone, Debug, Default)]
struct Barrier {
    in_flight: Vec<Load>,
    last_phase: Option<u64>,
    /// True if loads have arrived in more than one phase, as in a stage of a pipeline.
    is_stage: bool,
}

/// The loads in flight of a block.
#[derive(Clone, Copy, Debug, Default)]
struct OfBlock {
    bytes: u64,
    /// Barriers with loads in flight.
    barriers: u64,
    /// Barriers that are stages.
    stages: u64,
}

/// The loads in flight of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight {
    /// By block and address.
    barriers: BTreeMap<(u64, u64), Barrier>,
    blocks: BTreeMap<u64, OfBlock>,
    /// Most bytes of one block, and the instruction that issued the last of them.
    pub(super) most: Option<(u64, usize)>,
    /// Most barriers of one block that had loads in flight at once.
    pub(super) most_filled: u64,
    /// Most stages of one block.
    pub(super) stages: u64,
}

impl InFlight {
    pub(super) fn issue(&mut self, barrier: Range, copy: CopyId, bytes: u32, instruction: usize) {
        let Some(at) = place(barrier) else {
            return;
        };
        let bytes = u64::from(bytes);
        let barrier = self.barriers.entry(at).or_default();
        let block = self.blocks.entry(at.0).or_default();
        block.barriers += u64::from(barrier.in_flight.is_empty());
        block.bytes += bytes;
        barrier.in_flight.push(Load {
            copy,
            bytes,
            phase: None,
        });
        self.most_filled = self.most_filled.max(block.barriers);
        if self.most.is_none_or(|(most, _)| block.bytes > most) {
            self.most = Some((block.bytes, instruction));
        }
    }

    /// Records the phase in which bytes of a copy arrived.
    pub(super) fn arrived(&mut self, barrier: Range, copy: CopyId, phase: u64) {
        let Some((at, barrier)) = self.of(barrier) else {
            return;
        };
        let mut loads = barrier.in_flight.iter_mut();
        if let Some(load) = loads.find(|load| load.copy == copy) {
            load.phase = Some(phase);
        }
        let is_second = barrier.last_phase.is_some_and(|last| last != phase);
        barrier.last_phase = Some(phase);
        if is_second && !std::mem::replace(&mut barrier.is_stage, true) {
            let block = self.blocks.entry(at.0).or_default();
            block.stages += 1;
            self.stages = self.stages.max(block.stages);
        }
    }

    /// Ends the loads of a phase that a thread has waited for, and of phases before it.
    pub(super) fn waited(&mut self, barrier: Range, phase: u64) {
        let Some((at, barrier)) = self.of(barrier) else {
            return;
        };
        let before = barrier.in_flight.len();
        let mut bytes = 0;
        barrier.in_flight.retain(|load| {
            let is_over = load.phase.is_some_and(|of| of <= phase);
            bytes += if is_over { load.bytes } else { 0 };
            !is_over
        });
        let is_empty = before > 0 && barrier.in_flight.is_empty();
        let block = self.blocks.entry(at.0).or_default();
        block.bytes -= bytes;
        block.barriers -= u64::from(is_empty);
    }

    fn of(&mut self, barrier: Range) -> Option<((u64, u64), &mut Barrier)> {
        let at = place(barrier)?;
        Some((at, self.barriers.get_mut(&at)?))
    }
}

fn place(barrier: Range) -> Option<(u64, u64)> {
    match barrier.memory {
        Memory::Shared { block } => Some((block, barrier.address)),
        _ => None,
    }
}
