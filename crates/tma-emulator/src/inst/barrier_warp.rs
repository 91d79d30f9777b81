//! `bar.warp.sync`: the barrier of lanes of a warp. PTX ISA 9.7.13.2.

use ptx::{Instruction, Type};
use ptx_isa::{Form, barrier_warp::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Sync = op;
    let [members] = operands(instruction)?;
    let members = decoder.source(members, Type::B32)?;
    let (kind, sources) = (CollectiveKind::Meet, [members; 3]);
    decoder.emit(Action::Collective(Box::new(Collective {
        kind,
        d: None,
        p: None,
        sources,
        members: Some(members),
    })));
    Ok(())
}
