//! Bytes in flight: bulk loads of a block that it has issued and not yet waited for.

use std::collections::BTreeMap;

use crate::machine::observer::{CopyId, Memory, Origin, Range};

/// A load that its block has not waited for.
#[derive(Clone, Copy, Debug)]
struct Load {
    copy: CopyId,
    bytes: u64,
    /// Phase of the barrier that counts its bytes, once some have arrived.
    phase: Option<u64>,
}

/// An mbarrier that counts the bytes of loads.
#[derive(Clone, Debug)]
struct Barrier {
    in_flight: Vec<Load>,
    /// The block of the barrier, and block and warp of the first load.
    pipeline: (u64, u64, u32),
    last_phase: Option<u64>,
    /// True if loads have arrived in more than one phase, as in a stage of a pipeline.
    is_stage: bool,
}

/// The barriers of one block that count loads by one warp.
#[derive(Clone, Copy, Debug, Default)]
struct Pipeline {
    /// Barriers with loads in flight, and the most of them.
    filled: u64,
    most_filled: u64,
    /// Barriers that are stages.
    stages: u64,
}

/// The loads in flight of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight {
    /// By block and address.
    barriers: BTreeMap<(u64, u64), Barrier>,
    bytes: BTreeMap<u64, u64>,
    pipelines: BTreeMap<(u64, u64, u32), Pipeline>,
    /// Most bytes of one block, and the instruction that issued the last of them.
    pub(super) most: Option<(u64, usize)>,
}

impl InFlight {
    pub(super) fn issue(&mut self, barrier: Range, copy: CopyId, bytes: u32, origin: Origin) {
        let Some(at) = place(barrier) else {
            return;
        };
        let barrier = self.barriers.entry(at).or_insert_with(|| Barrier {
            in_flight: Vec::new(),
            pipeline: (at.0, origin.block, origin.thread / 32),
            last_phase: None,
            is_stage: false,
        });
        let pipeline = self.pipelines.entry(barrier.pipeline).or_default();
        pipeline.filled += u64::from(barrier.in_flight.is_empty());
        pipeline.most_filled = pipeline.most_filled.max(pipeline.filled);
        let bytes = u64::from(bytes);
        barrier.in_flight.push(Load {
            copy,
            bytes,
            phase: None,
        });
        let all = self.bytes.entry(at.0).or_default();
        *all += bytes;
        if self.most.is_none_or(|(most, _)| *all > most) {
            self.most = Some((*all, origin.instruction));
        }
    }

    /// Returns the number of stages of the longest pipeline, and the most of them with loads in flight at once.
    pub(super) fn longest_pipeline(&self) -> (u64, u64) {
        let pipelines = self.pipelines.values();
        let longest = pipelines.max_by_key(|pipeline| (pipeline.stages, pipeline.most_filled));
        longest.map_or((0, 0), |pipeline| (pipeline.stages, pipeline.most_filled))
    }

    /// Records the phase in which bytes of a copy arrived.
    pub(super) fn arrived(&mut self, barrier: Range, copy: CopyId, phase: u64) {
        let Some(barrier) = place(barrier).and_then(|at| self.barriers.get_mut(&at)) else {
            return;
        };
        let mut loads = barrier.in_flight.iter_mut();
        if let Some(load) = loads.find(|load| load.copy == copy) {
            load.phase = Some(phase);
        }
        let is_second = barrier.last_phase.is_some_and(|last| last != phase);
        barrier.last_phase = Some(phase);
        if is_second && !std::mem::replace(&mut barrier.is_stage, true) {
            self.pipelines.entry(barrier.pipeline).or_default().stages += 1;
        }
    }

    /// Ends the loads of a phase that a thread has waited for, and of phases before it.
    pub(super) fn waited(&mut self, barrier: Range, phase: u64) {
        let Some(at) = place(barrier) else {
            return;
        };
        let Some(barrier) = self.barriers.get_mut(&at) else {
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
        *self.bytes.entry(at.0).or_default() -= bytes;
        self.pipelines.entry(barrier.pipeline).or_default().filled -= u64::from(is_empty);
    }
}

fn place(barrier: Range) -> Option<(u64, u64)> {
    match barrier.memory {
        Memory::Shared { block } => Some((block, barrier.address)),
        _ => None,
    }
}
