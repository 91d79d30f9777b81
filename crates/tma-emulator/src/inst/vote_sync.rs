//! `vote.sync`: combinations of the predicates of all lanes. PTX ISA 9.7.13.9.

use ptx::{Instruction, Type};
use ptx_isa::{Form, vote_sync::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
    value::{LANES, Lanes, lanes_of},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    mode: Op,
) -> Result<(), NotSupported> {
    let [d, a, members] = operands(instruction)?;
    let a = decoder.source(a, Type::Pred)?;
    let members = decoder.source(members, Type::B32)?;
    let d = Some(decoder.destination(d)?.slot);
    let kind = CollectiveKind::Vote(mode);
    decoder.emit(Action::Collective(Box::new(Collective {
        kind,
        d,
        p: None,
        sources: [a; 3],
        members: Some(members),
    })));
    Ok(())
}

pub(crate) fn compute(mode: Op, there: u32, a: &Lanes) -> (Lanes, Lanes) {
    let set = lanes_of(there)
        .filter(|lane| a[*lane] & 1 != 0)
        .fold(0, |mask, lane| mask | 1 << lane);
    let answer = match mode {
        Op::All => u64::from(set == there),
        Op::Any => u64::from(set != 0),
        Op::Uni => u64::from(set == there || set == 0),
        Op::Ballot => u64::from(set),
    };
    ([answer; LANES], [0; LANES])
}
