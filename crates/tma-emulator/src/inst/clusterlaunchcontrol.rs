//! `clusterlaunchcontrol`: taking over the work of a cluster that has not begun. PTX ISA 9.7.13.17
//! and 9.7.13.18.
//!
//! The layout of a response is not documented. Here it is the first block of the cluster that will
//! not begin, as three words, and whether there is one.

use ptx::{Instruction, OperandKind};
use ptx_isa::{Form, clusterlaunchcontrol::Op};

use crate::{
    decode::{NotSupported, operands, space},
    inst::{Action, Decoder, Execute, Step, each_lane},
    machine::{
        Address, Alu, Completion, Flow, Issue, Piece, Slot, Target, Trap, Trapped, issue, target,
        unflatten,
    },
    value::lift,
};

/// Requests a cluster that has not begun.
#[derive(Clone, Debug)]
pub(crate) struct TryCancel {
    response: Address,
    mbarrier: Address,
    /// True if all blocks of the cluster get the response.
    multicasts: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    match op {
        Op::TryCancel => try_cancel(decoder, instruction, form),
        Op::IsCanceled => is_canceled(decoder, instruction),
        Op::GetFirstCtaid => first_ctaid(decoder, instruction, None),
        Op::GetFirstCtaidX => first_ctaid(decoder, instruction, Some(0)),
        Op::GetFirstCtaidY => first_ctaid(decoder, instruction, Some(1)),
        Op::GetFirstCtaidZ => first_ctaid(decoder, instruction, Some(2)),
    }
}

fn try_cancel(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
) -> Result<(), NotSupported> {
    let [response, mbarrier] = operands(instruction)?;
    let request = TryCancel {
        response: decoder.address(response, space(form))?,
        mbarrier: decoder.address(mbarrier, space(form))?,
        multicasts: form.multicast().is_some(),
    };
    decoder.emit(Action::TryCancel(request));
    Ok(())
}

fn is_canceled(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), NotSupported> {
    let [d, response] = operands(instruction)?;
    let [_, high] = decoder.wide_register(response)?;
    let d = decoder.destination(d)?.slot;
    let f = lift!(|high: u64| high >> 32 & 1 != 0);
    decoder.emit(Action::Alu(Alu::Unary { f, d, a: high }));
    Ok(())
}

/// Reads one coordinate, or all of them and an unspecified word.
fn first_ctaid(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    axis: Option<usize>,
) -> Result<(), NotSupported> {
    let [d, response] = operands(instruction)?;
    let [low, high] = decoder.wide_register(response)?;
    let unpacked = |parts: [Slot; 2], a| Alu::Unpack {
        parts: parts.into(),
        a,
        bits: 32,
    };
    let [x, y, z, rest] = [(); 4].map(|()| decoder.scope.slot());
    decoder.emit_hidden(Action::Alu(unpacked([x, y], low)));
    decoder.emit_hidden(Action::Alu(unpacked([z, rest], high)));
    let words = [x, y, z, rest];
    let copies: Box<[(Slot, Slot)]> = match (&d.kind, axis) {
        (OperandKind::Vector(parts), None) => {
            let copies = parts.iter().zip(words);
            let copies = copies.map(|(part, word)| Ok((decoder.destination(part)?.slot, word)));
            copies.collect::<Result<_, NotSupported>>()?
        }
        (_, axis) => [(decoder.destination(d)?.slot, words[axis.unwrap_or(0)])].into(),
    };
    decoder.emit(Action::Alu(Alu::Copy(copies)));
    Ok(())
}

impl Execute for TryCancel {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl TryCancel {
    fn issue(&self, step: &mut Step<'_>, lane: usize) -> Result<(), Trapped> {
        let response = target(step, &self.response, lane, 16, "address of the response")?;
        let mbarrier = target(step, &self.mbarrier, lane, 8, "mbarrier's address")?;
        let own = step.here.rank;
        let (Target::Shared(a, at), Target::Shared(b, offset)) = (response, mbarrier) else {
            let what = "the response and the barrier are not in shared memory".into();
            return Err(step.fault(lane, Trap::IllegalAddress, what));
        };
        if (a, b) != (own, own) {
            let what = "the response and the barrier are not in the block's own memory".into();
            return Err(step.fault(lane, Trap::IllegalAddress, what));
        }
        let here = step.here;
        if let Err((trap, what)) = step.world.locate_target(here, response, 16) {
            return Err(step.fault(lane, trap, format!("the response is {what}")));
        }
        let places = step.world.places;
        let cancelled = step.world.cancel_cluster();
        let mut data = vec![0; 16];
        if let Some(number) = cancelled {
            let cluster = unflatten(number, places.clusters());
            let first = [0, 1, 2].map(|axis| cluster[axis] * places.cluster[axis]);
            for (word, value) in data.chunks_exact_mut(4).zip(first.iter().chain(&[1])) {
                crate::value::write(word, (*value).into());
            }
        }
        let ranks = match self.multicasts {
            true => 0..places.cluster_blocks() as usize,
            false => own..own + 1,
        };
        for rank in ranks {
            let piece = Piece {
                from: None,
                to: Target::Shared(rank, at),
                bytes: data.len(),
                data: data.clone(),
            };
            let completion = Completion::Mbarrier { rank, offset };
            issue(step, lane, Issue::bulk(vec![piece], completion, None));
        }
        Ok(())
    }
}
