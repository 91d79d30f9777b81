//! `cp.async.bulk`: copies of contiguous bytes. PTX ISA 9.7.9.25.4.

use ptx::{Instruction, Type};
use ptx_isa::{Completion as Completed, Flag, Form, cp_async_bulk::Op};

use crate::{
    decode::{NotSupported, space},
    inst::{Action, Decoder, Execute, Step, async_group, each_lane},
    machine::{
        Address, Completion, Flow, Issue, Piece, Signal, Slot, Space, Target, Trap, Trapped, issue,
        observer::Watch, target,
    },
    value::Reduction,
};

/// A copy of contiguous bytes.
#[derive(Clone, Debug)]
pub(crate) struct BulkCopy {
    to: Address,
    from: Address,
    bytes: Slot,
    /// Copies into shared memory have one.
    signal: Option<Signal>,
    /// The mask of the bytes of each 16 that are copied.
    byte_mask: Option<Slot>,
    reduction: Option<Reduction>,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    match op {
        Op::CommitGroup => async_group::commit(decoder, true),
        Op::WaitGroup => async_group::wait(decoder, instruction, form, true),
        Op::Copy => decode_copy(decoder, instruction, form, None),
    }
}

/// A copy or, with an operator, a reduction.
pub(crate) fn decode_copy(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    reduction: Option<Reduction>,
) -> Result<(), NotSupported> {
    let from = form.source_space().map_or(Space::Generic, Space::from);
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or(NotSupported::Operands);
    let to = decoder.address(next()?, space(form))?;
    let from = decoder.address(next()?, from)?;
    let bytes = decoder.source(next()?, Type::U32)?;
    let mbarrier = match form.completion() {
        Some(Completed::Mbarrier) => Some(decoder.address(next()?, Space::SharedCluster)?),
        Some(Completed::BulkGroup) | None => None,
    };
    let multicast = match form.multicast() {
        Some(_) => Some(decoder.source(next()?, Type::U16)?),
        None => None,
    };
    if form.has(Flag::CacheHint) {
        decoder.source(next()?, Type::B64)?;
    }
    let byte_mask = match form.has(Flag::CpMask) {
        true => Some(decoder.source(next()?, Type::U16)?),
        false => None,
    };
    let signal = mbarrier.map(|mbarrier| Signal {
        mbarrier,
        multicast,
        pairs: false,
    });
    let copy = BulkCopy {
        to,
        from,
        bytes,
        signal,
        byte_mask,
        reduction,
    };
    decoder.emit(Action::BulkCopy(Box::new(copy)));
    Ok(())
}

impl Execute for BulkCopy {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl BulkCopy {
    fn issue<O: Watch>(&self, step: &mut Step<'_, O>, lane: usize) -> Result<(), Trapped> {
        let bytes = step.get(self.bytes)[lane] as u32 as usize;
        let to = target(step, &self.to, lane, 16, "destination")?;
        let from = target(step, &self.from, lane, 16, "source")?;
        if !bytes.is_multiple_of(16) {
            let what = format!("{bytes} bytes are no multiple of 16");
            return Err(step.fault(lane, Trap::MisalignedAddress, what));
        }
        let is_within_shared = matches!((to, from), (Target::Shared(..), Target::Shared(..)));
        if is_within_shared && !step.world.places.has_clusters {
            // Seen on an H200; a cluster of one block is enough.
            let what = "a copy within shared memory in a launch without clusters".into();
            return Err(step.fault(lane, Trap::IllegalInstruction, what));
        }
        // The whole of both ends must be there, though it is accessed piece by piece.
        for target in [to, from] {
            let here = step.here;
            if let Err((trap, what)) = step.world.locate_target(here, target, bytes) {
                return Err(step.fault(lane, trap, format!("the copy accesses {what}")));
            }
        }
        let receivers = match &self.signal {
            Some(signal) => signal.receivers(step, lane, to)?,
            None => {
                let thread = step.thread(lane);
                let group = step.cta().bulk.entry(thread).or_default().add();
                vec![(0, Completion::Bulk { group })]
            }
        };
        let parts = match self.byte_mask {
            Some(mask) => masked(bytes, step.get(mask)[lane] as u16),
            None => {
                // Pieces reach the barrier in multiples of 32 bytes.
                let parts = 1 + step.world.rng.below(8);
                let part = (bytes / parts).next_multiple_of(32).max(32);
                let starts = (0..bytes).step_by(part);
                starts
                    .map(|start| (start, part.min(bytes - start)))
                    .collect()
            }
        };
        for (rank, completion) in receivers {
            let to = match to {
                Target::Shared(_, offset) => Target::Shared(rank, offset),
                global => global,
            };
            let shifted = |target, by| match target {
                Target::Global(address) => Target::Global(address + by as u64),
                Target::Shared(rank, offset) => Target::Shared(rank, offset + by),
            };
            let pieces = parts.iter().map(|(start, bytes)| Piece {
                from: Some(shifted(from, *start)),
                to: shifted(to, *start),
                bytes: *bytes,
                data: Vec::new(),
            });
            let pieces = pieces.collect();
            issue(step, lane, Issue::bulk(pieces, completion, self.reduction));
        }
        Ok(())
    }
}

/// Where runs of bytes begin that a mask lets through, and how long they are: bit `i` stands for
/// byte `i` of each 16.
fn masked(bytes: usize, mask: u16) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for byte in (0..bytes).filter(|byte| mask >> (byte % 16) & 1 != 0) {
        match runs.last_mut() {
            // A run ends with its 16 bytes, so that it stays short.
            Some((start, length)) if *start + *length == byte && byte % 16 != 0 => *length += 1,
            _ => runs.push((byte, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_lets_runs_of_bytes_through() {
        assert_eq!(
            masked(32, 0b1000_0000_0000_0110),
            [(1, 2), (15, 1), (17, 2), (31, 1)]
        );
        assert_eq!(masked(32, u16::MAX), [(0, 16), (16, 16)]);
        assert_eq!(masked(16, 0), []);
    }
}
