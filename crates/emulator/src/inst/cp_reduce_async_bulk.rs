//! `cp.reduce.async.bulk`: copies that reduce into their destination. PTX ISA 9.7.9.25.4.2.
//!
//! Sums of `f32` keep subnormal numbers, as an H100 does, where the manual says that they are lost.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Decoder, cp_async_bulk},
    value::{Operator, Reduction},
};

pub(crate) const OPERATORS: [(&str, Operator); 8] = [
    ("add", Operator::Add),
    ("min", Operator::Min),
    ("max", Operator::Max),
    ("and", Operator::And),
    ("or", Operator::Or),
    ("xor", Operator::Xor),
    ("inc", Operator::Inc),
    ("dec", Operator::Dec),
];

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let operator = modifiers
        .one_of(&OPERATORS)
        .ok_or(NotSupported::Part("operator"))?;
    let keeps_subnormal = modifiers.take("noftz");
    let ty = modifiers.ty()?;
    let is_half_sum = operator == Operator::Add && matches!(ty, Type::F16 | Type::Bf16);
    if keeps_subnormal != is_half_sum {
        return Err("sums of half precision have `.noftz`, and others have not".into());
    }
    if !is_known(operator, ty, instruction.opcode.has("global")) {
        return Err(NotSupported::Part("operator for its type and destination"));
    }
    let reduction = Reduction::new(operator, ty)?;
    cp_async_bulk::decode_copy(decoder, instruction, modifiers, Some(reduction))
}

/// The table of operators and types of the section.
fn is_known(operator: Operator, ty: Type, to_global: bool) -> bool {
    use Type::*;
    let types: &[Type] = match (operator, to_global) {
        (Operator::Add, false) => &[U32, S32, U64],
        (Operator::Add, true) => &[U32, S32, U64, F32, F64, F16, Bf16],
        (Operator::Min | Operator::Max, false) => &[U32, S32],
        (Operator::Min | Operator::Max, true) => &[U32, S32, U64, S64, F16, Bf16],
        (Operator::Inc | Operator::Dec, _) => &[U32],
        (Operator::And | Operator::Or | Operator::Xor, false) => &[B32],
        (Operator::And | Operator::Or | Operator::Xor, true) => &[B32, B64],
        (Operator::Exch, _) => &[],
    };
    types.contains(&ty)
}
