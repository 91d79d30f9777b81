//! `bar.warp.sync`: the meeting of lanes of a warp. PTX ISA 9.7.13.2.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{
        Action, Decoder,
        collective::{Collective, Kind},
    },
    machine::Constant,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers
        .take("sync")
        .then_some(())
        .ok_or(NotSupported::Part("kind"))?;
    let members = match instruction.operands.as_slice() {
        [] => decoder.constant(Constant::Value(u32::MAX.into())),
        [members] => decoder.source(members, Type::B32)?,
        _ => return Err(NotSupported::Operands),
    };
    let (kind, sources) = (Kind::Meet, [members; 3]);
    decoder.emit(Action::Collective(Box::new(Collective {
        kind,
        d: None,
        p: None,
        sources,
        members,
    })));
    Ok(())
}
