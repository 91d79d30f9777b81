//! `cp.async.bulk`: copies of contiguous bytes. PTX ISA 9.7.9.25.4.

use ptx::{Instruction, Type};
use ptx_isa::{
    Completion as Completed, Flag, Form, Multicast, Report as Reported, cp_async_bulk::Op,
};

use crate::{
    decode::{NotSupported, space},
    inst::{Action, Decoder, Execute, Step, async_group, each_lane},
    machine::{
        Address, Completion, Flow, Issue, Piece, ReportCondition, Signal, Slot, Space, Target,
        Trap, Trapped, issue,
        observer::{Scope, Sem},
        target,
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
    /// Numbers of bytes at the start and the end that may be out of bounds.
    ignored: Option<[Slot; 2]>,
    /// The order of its accesses, where it is written.
    order: Option<(Sem, Scope)>,
    report: Option<ReportCondition>,
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

/// Decodes a copy or, with an operator, a reduction.
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
    let ignored = match form.has(Flag::IgnoreOob) {
        true => {
            let left = decoder.source(next()?, Type::U32)?;
            Some([left, decoder.source(next()?, Type::U32)?])
        }
        false => None,
    };
    let mbarrier = match form.completion() {
        Some(Completed::Mbarrier) => Some(decoder.address(next()?, Space::SharedCluster)?),
        Some(Completed::BulkGroup) | None => None,
    };
    let multicast = match form.multicast() {
        Some(multicast) => Some(decoder.source(next()?, mask_type(multicast))?),
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
        ignored,
        order: form.sem().map(Sem::from).zip(form.scope().map(Scope::from)),
        report: form.report().and_then(report),
        reduction,
    };
    decoder.emit(Action::BulkCopy(Box::new(copy)));
    Ok(())
}

/// Returns the type of the mask of receiving blocks.
pub(crate) fn mask_type(multicast: Multicast) -> Type {
    match multicast {
        Multicast::Cluster32b => Type::U32,
        Multicast::Cluster | Multicast::Cluster16b | Multicast::ClusterAll => Type::U16,
    }
}

/// Returns the report condition of a copy.
pub(crate) fn report(report: Reported) -> Option<ReportCondition> {
    let bits = match report {
        Reported::Disabled => return None,
        Reported::PerElementFf => return Some(ReportCondition::Ff),
        Reported::Per16Bytes8 => 4,
        Reported::Per16Bytes80 => 8,
        Reported::Per16Bytes8000 => 16,
        Reported::Per16Bytes80000000 => 32,
    };
    Some(ReportCondition::NegativeZero { bits })
}

impl Execute for BulkCopy {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl BulkCopy {
    fn issue(&self, step: &mut Step<'_>, lane: usize) -> Result<(), Trapped> {
        let bytes = step.get(self.bytes)[lane] as u32 as usize;
        if bytes == 0 {
            // On an H200 it may have any addresses.
            return Ok(());
        }
        let to = target(step, &self.to, lane, 16, "destination")?;
        let from = target(step, &self.from, lane, 16, "source")?;
        if !bytes.is_multiple_of(16) {
            let what = format!("{bytes} bytes are not a multiple of 16");
            return Err(step.fault(lane, Trap::MisalignedAddress, what));
        }
        let is_within_shared = matches!((to, from), (Target::Shared(..), Target::Shared(..)));
        if is_within_shared && !step.world.places.has_clusters {
            // Seen on an H200; a cluster of one block is enough.
            let what = "a copy within shared memory in a launch without clusters".into();
            return Err(step.fault(lane, Trap::IllegalInstruction, what));
        }
        let [left, right] = match self.ignored {
            Some(ignored) => ignored.map(|slot| step.get(slot)[lane] as u32 as usize),
            None => [0; 2],
        };
        if left > 15 || right > 15 || left + right > bytes {
            let what = format!(
                "ignored bytes {left} and {right} must each be 0 to 15, and together at most the {bytes} bytes of the copy"
            );
            return Err(step.fault(lane, Trap::IllegalInstruction, what));
        }
        let shifted = |target, by| match target {
            Target::Global(address) => Target::Global(address + by as u64),
            Target::Shared(rank, offset) => Target::Shared(rank, offset + by),
        };
        // The whole of both ends must be there, though it is accessed piece by piece.
        for (target, bytes) in [(to, bytes), (shifted(from, left), bytes - left - right)] {
            let here = step.here;
            if let Err((trap, what)) = step.world.locate_target(here, target, bytes) {
                return Err(step.fault(lane, trap, format!("the copy's {what}")));
            }
        }
        let receivers = match &self.signal {
            Some(signal) => signal.receivers(step, lane, to)?,
            None => {
                let thread = step.thread(lane);
                let instruction = step.group.pc;
                let group = step.cta().bulk.entry(thread).or_default().add(instruction);
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
        // The values of bytes that may be out of bounds are unspecified.
        let unknown = [(0, left), (bytes - right, right)].map(|(start, bytes)| {
            let data = (0..bytes).map(|_| step.world.rng.below(256) as u8);
            (start, data.collect::<Vec<u8>>())
        });
        let parts: Vec<(usize, usize)> = match self.ignored {
            Some(_) => parts
                .into_iter()
                .map(|(start, length)| {
                    let inside = start.max(left);
                    (inside, (start + length).min(bytes - right) - inside)
                })
                .collect(),
            None => parts,
        };
        for (rank, completion) in receivers {
            let to = match to {
                Target::Shared(_, offset) => Target::Shared(rank, offset),
                global => global,
            };
            let pieces = parts.iter().map(|(start, bytes)| Piece {
                from: Some(shifted(from, *start)),
                to: shifted(to, *start),
                bytes: *bytes,
                data: Vec::new(),
            });
            let unknown = unknown.iter().filter(|(_, data)| !data.is_empty());
            let unknown = unknown.map(|(start, data)| Piece {
                from: None,
                to: shifted(to, *start),
                bytes: data.len(),
                data: data.clone(),
            });
            let copy = Issue::bulk(pieces.chain(unknown).collect(), completion, self.reduction);
            let copy = Issue {
                order: self.order.unwrap_or(copy.order),
                report: self.report,
                ..copy
            };
            issue(step, lane, copy);
        }
        Ok(())
    }
}

/// Returns start and length of each run of bytes that the mask selects: bit `i` stands for byte `i` of each 16.
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
