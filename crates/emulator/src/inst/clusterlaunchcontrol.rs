//! `clusterlaunchcontrol`: taking over the work of a cluster that has not begun. PTX ISA 9.7.13.17
//! and 9.7.13.18.
//!
//! What a response holds is the hardware's business. Here it is the first block of the cluster that
//! will not begin, as three words, and whether there is one.

use ptx::{Instruction, OperandKind};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step, each_lane},
    machine::{
        Address, Alu, Completion, Flow, Issue, Piece, Slot, Space, Target, Trap, Trapped, issue,
        observer::Watch, target, unflatten,
    },
    value::lift,
};

/// Asks for a cluster that has not begun.
#[derive(Clone, Debug)]
pub(crate) struct TryCancel {
    response: Address,
    mbarrier: Address,
    /// Whether all blocks of the cluster get the response.
    multicasts: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    if modifiers.take("query_cancel") {
        return query(decoder, instruction, modifiers);
    }
    for word in [
        "try_cancel",
        "async",
        "mbarrier::complete_tx::bytes",
        "b128",
    ] {
        if !modifiers.take(word) {
            return Err(format!("it has no `.{word}`").into());
        }
    }
    let multicasts = modifiers.take("multicast::cluster::all");
    let space = match modifiers.take("shared::cta") {
        true => Space::SharedCta,
        false => Space::Generic,
    };
    let [response, mbarrier] = operands(instruction)?;
    let request = TryCancel {
        response: decoder.address(response, space)?,
        mbarrier: decoder.address(mbarrier, space)?,
        multicasts,
    };
    decoder.emit(Action::TryCancel(request));
    Ok(())
}

fn query(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let questions = [
        ("is_canceled", 3),
        ("get_first_ctaid", 4),
        ("get_first_ctaid::x", 0),
        ("get_first_ctaid::y", 1),
        ("get_first_ctaid::z", 2),
    ];
    let question = modifiers
        .one_of(&questions)
        .ok_or(NotSupported::Part("question"))?;
    let ty = if question == 3 { "pred" } else { "b32" };
    if !modifiers.take(ty) || !modifiers.take("b128") || modifiers.take("v4") != (question == 4) {
        return Err(NotSupported::Part("type"));
    }
    let [d, response] = operands(instruction)?;
    let [low, high] = decoder.wide_register(response)?;
    if question == 3 {
        let d = decoder.destination(d)?.slot;
        let f = lift!(|high: u64| high >> 32 & 1 != 0);
        decoder.emit(Action::Alu(Alu::Unary { f, d, a: high }));
        return Ok(());
    }
    let unpacked = |parts: [Slot; 2], a| Alu::Unpack {
        parts: parts.into(),
        a,
        bits: 32,
    };
    let [x, y, z, rest] = [(); 4].map(|()| decoder.scope.slot());
    decoder.emit_hidden(Action::Alu(unpacked([x, y], low)));
    decoder.emit_hidden(Action::Alu(unpacked([z, rest], high)));
    let words = [x, y, z, rest];
    let copies: Box<[(Slot, Slot)]> = match (&d.kind, question) {
        (OperandKind::Vector(parts), 4) if parts.len() == 4 => {
            let copies = parts.iter().zip(words);
            let copies = copies.map(|(part, word)| Ok((decoder.destination(part)?.slot, word)));
            copies.collect::<Result<_, NotSupported>>()?
        }
        (_, 0..=2) => [(decoder.destination(d)?.slot, words[question])].into(),
        _ => return Err("its vector has a size that is not known".into()),
    };
    decoder.emit(Action::Alu(Alu::Copy(copies)));
    Ok(())
}

impl Execute for TryCancel {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl TryCancel {
    fn issue<O: Watch>(&self, step: &mut Step<'_, O>, lane: usize) -> Result<(), Trapped> {
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
