//! `cp.async.bulk.prefetch`: a hint to fetch bytes into the L2 cache. PTX ISA 9.7.9.25.4.3.

use ptx::{Instruction, Type};

use crate::{
    decode::{Refusal, Words},
    inst::{Action, Decoder, nothing::Nothing},
    machine::Space,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    if !words.take("L2") || !words.take("global") {
        return Err("its cache or its source".into());
    }
    let [address, bytes] = decoder.without_policy(instruction, words)? else {
        return Err("the number of its operands".into());
    };
    decoder.address(address, Space::Global)?;
    decoder.source(bytes, Type::U32)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
