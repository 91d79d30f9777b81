//! `cp.async.bulk.prefetch.tensor`: a hint to fetch a box into the L2 cache. PTX ISA 9.7.9.27.1.4.

use ptx::{Instruction, Type};

use crate::{
    decode::{Refusal, Words},
    inst::{
        Action, Decoder,
        cp_async_bulk_tensor::{Mode, box_of, mode, numbers, rank},
        nothing::Nothing,
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let rank = rank(words)?;
    if !words.take("L2") || !words.take("global") {
        return Err("its cache or its source".into());
    }
    let mode = mode(words, rank)?;
    let has_hint = words.take("L2::cache_hint");
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or("the number of its operands");
    match mode {
        Mode::Scatter4 | Mode::Im2colNoOffs => return Err("its mode".into()),
        _ => box_of(decoder, next()?, mode, rank)?,
    };
    if let Some(offsets) = mode.offsets(rank) {
        numbers(decoder, next()?, Type::U16, offsets)?;
    }
    if has_hint {
        decoder.source(next()?, Type::B64)?;
    }
    if rest.next().is_some() {
        return Err("the number of its operands".into());
    }
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
