//! `elect.sync`: one lane of several. PTX ISA 9.7.13.14.

use ptx::{Instruction, Type};
use ptx_isa::{Form, elect_sync::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
    value::{LANES, Lanes},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Elect = op;
    let [d, members] = operands(instruction)?;
    let (d, p) = decoder.pair(d)?;
    let p = p.ok_or("its result has no predicate")?;
    let members = decoder.source(members, Type::B32)?;
    decoder.emit(Action::Collective(Box::new(Collective {
        kind: CollectiveKind::Elect,
        d: Some(d.slot),
        p: Some(p.slot),
        sources: [members; 3],
        members: Some(members),
    })));
    Ok(())
}

/// Elects the lowest lane. The hardware may choose any, but always the same one.
pub(crate) fn compute(there: u32) -> (Lanes, Lanes) {
    let leader = there.trailing_zeros();
    let mut p = [0; LANES];
    p[leader as usize % LANES] = 1;
    ([u64::from(leader); LANES], p)
}
