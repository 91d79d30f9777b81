//! `cp.async.bulk.prefetch`: a hint to fetch bytes into the L2 cache. PTX ISA 9.7.9.25.4.3.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, Refusal},
    inst::{Action, Decoder, nothing::Nothing},
    machine::Space,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), Refusal> {
    if !modifiers.take("L2") || !modifiers.take("global") {
        return Err("its cache or its source".into());
    }
    let [address, bytes] = decoder.without_policy(instruction, modifiers)? else {
        return Err("the number of its operands".into());
    };
    decoder.address(address, Space::Global)?;
    decoder.source(bytes, Type::U32)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
