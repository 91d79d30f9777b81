//! `cp.reduce.async.bulk`: copies that reduce into their destination. PTX ISA 9.7.9.25.5.2 and 9.7.9.27.1.3.

use ptx::Instruction;

use crate::{
    cp_async_bulk, cp_async_bulk_tensor,
    decode::{Decoder, Refusal, Words},
    reduce::{Operator, Reduction},
};

const OPERATORS: [(&str, Operator); 8] = [
    ("add", Operator::Add),
    ("min", Operator::Min),
    ("max", Operator::Max),
    ("and", Operator::And),
    ("or", Operator::Or),
    ("xor", Operator::Xor),
    ("inc", Operator::Inc),
    ("dec", Operator::Dec),
];

pub(crate) fn linear(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let operator = words.one_of(&OPERATORS).ok_or("its operator")?;
    words.take("noftz");
    let reduction = Reduction::new(operator, words.ty()?)?;
    cp_async_bulk::decode_copy(decoder, instruction, words, Some(reduction))
}

pub(crate) fn tensor(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let operator = words.one_of(&OPERATORS).ok_or("its operator")?;
    cp_async_bulk_tensor::decode_copy(decoder, instruction, words, Some(operator))
}
