//! `bar.warp.sync`: the meeting of lanes of a warp. PTX ISA 9.7.13.2.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, Refusal},
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
) -> Result<(), Refusal> {
    modifiers.take("sync").then_some(()).ok_or("its kind")?;
    let members = match instruction.operands.as_slice() {
        [] => decoder.constant(Constant::Value(u32::MAX.into())),
        [members] => decoder.source(members, Type::B32)?,
        _ => return Err("the number of its operands".into()),
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
