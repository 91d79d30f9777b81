//! `vote.sync`: what predicates of all lanes say. PTX ISA 9.7.13.9.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, Kind},
    },
    value::{LANES, Lanes, lanes_of},
};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    All,
    Any,
    Uni,
    Ballot,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let modes = [
        ("all", Mode::All),
        ("any", Mode::Any),
        ("uni", Mode::Uni),
        ("ballot", Mode::Ballot),
    ];
    let mode = modifiers.one_of(&modes).ok_or(NotSupported::Part("mode"))?;
    let ty = if mode == Mode::Ballot { "b32" } else { "pred" };
    modifiers
        .take(ty)
        .then_some(())
        .ok_or(NotSupported::Part("type"))?;
    let [d, a, members] = operands(instruction)?;
    let a = decoder.source(a, Type::Pred)?;
    let members = decoder.source(members, Type::B32)?;
    let d = Some(decoder.destination(d)?.slot);
    let kind = Kind::Vote(mode);
    decoder.emit(Action::Collective(Box::new(Collective {
        kind,
        d,
        p: None,
        sources: [a; 3],
        members,
    })));
    Ok(())
}

pub(crate) fn compute(mode: Mode, there: u32, a: &Lanes) -> (Lanes, Lanes) {
    let set = lanes_of(there)
        .filter(|lane| a[*lane] & 1 != 0)
        .fold(0, |mask, lane| mask | 1 << lane);
    let answer = match mode {
        Mode::All => u64::from(set == there),
        Mode::Any => u64::from(set != 0),
        Mode::Uni => u64::from(set == there || set == 0),
        Mode::Ballot => u64::from(set),
    };
    ([answer; LANES], [0; LANES])
}
