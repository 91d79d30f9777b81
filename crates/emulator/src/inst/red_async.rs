//! `red.async`: reductions that complete on an mbarrier of another block. PTX ISA 9.7.13.7.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Decoder, cp_reduce_async_bulk::OPERATORS, st_async::Place},
    value::{Operator, Reduction},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    use Type::*;
    let place = Place::take(modifiers)?;
    let operator = modifiers
        .one_of(&OPERATORS)
        .ok_or(NotSupported::Part("operator"))?;
    let ty = modifiers.ty()?;
    let types: &[Type] = match (operator, place.to_global) {
        (Operator::Add, true) => &[U32, S32, U64, S64],
        (_, true) => &[],
        (Operator::Add, false) => &[U32, S32, U64],
        (Operator::Min | Operator::Max, false) => &[U32, S32],
        (Operator::Inc | Operator::Dec, false) => &[U32],
        (Operator::And | Operator::Or | Operator::Xor, false) => &[B32],
        (Operator::Exch, false) => &[],
    };
    if !types.contains(&ty) {
        return Err(NotSupported::Part("operator for its type and destination"));
    }
    let reduction = Reduction::new(operator, ty)?;
    place.decode(decoder, instruction, ty, 1, Some(reduction))
}
