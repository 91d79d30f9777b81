//! `cp.async.bulk.prefetch.tensor`: a hint to fetch a box into the L2 cache. PTX ISA 9.7.9.27.1.4.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{
        Action, Decoder,
        cp_async_bulk_tensor::{Mode, box_of, mode, numbers, rank},
        nothing::Nothing,
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let rank = rank(modifiers)?;
    if !modifiers.take("L2") || !modifiers.take("global") {
        return Err(NotSupported::Part("cache or source"));
    }
    let mode = mode(modifiers, rank)?;
    let has_hint = modifiers.take("L2::cache_hint");
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or(NotSupported::Operands);
    match mode {
        Mode::Scatter4 | Mode::Im2colNoOffs => return Err(NotSupported::Part("mode")),
        _ => box_of(decoder, next()?, mode, rank)?,
    };
    if let Some(offsets) = mode.offsets(rank) {
        numbers(decoder, next()?, Type::U16, offsets)?;
    }
    if has_hint {
        decoder.source(next()?, Type::B64)?;
    }
    if rest.next().is_some() {
        return Err(NotSupported::Operands);
    }
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
