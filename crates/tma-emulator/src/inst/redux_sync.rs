//! `redux.sync`: one number of all lanes' numbers. PTX ISA 9.7.13.12.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
    value::{LANES, Lanes, Operator, Reduction, lanes_of},
};

pub(crate) type Mode = Reduction;

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    use Operator::*;
    let operators = [
        ("add", Add),
        ("min", Min),
        ("max", Max),
        ("and", And),
        ("or", Or),
        ("xor", Xor),
    ];
    let operator = modifiers
        .one_of(&operators)
        .ok_or(NotSupported::Part("operator"))?;
    let ty = modifiers.ty()?;
    if !matches!(ty, Type::U32 | Type::S32 | Type::B32) {
        return Err(NotSupported::Part("type"));
    }
    let kind = CollectiveKind::Redux(Reduction::new(operator, ty)?);
    let [d, a, members] = operands(instruction)?;
    let a = decoder.source(a, ty)?;
    let members = decoder.source(members, Type::B32)?;
    let d = Some(decoder.destination(d)?.slot);
    decoder.emit(Action::Collective(Box::new(Collective {
        kind,
        d,
        p: None,
        sources: [a; 3],
        members: Some(members),
    })));
    Ok(())
}

pub(crate) fn compute(mode: Mode, there: u32, a: &Lanes) -> (Lanes, Lanes) {
    let values = lanes_of(there).map(|lane| a[lane]);
    let result = values.reduce(|x, y| mode.apply(x, y)).unwrap_or(0);
    ([result; LANES], [0; LANES])
}
