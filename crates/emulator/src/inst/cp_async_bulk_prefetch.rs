//! `cp.async.bulk.prefetch`: a hint to fetch bytes into the L2 cache. PTX ISA 9.7.9.25.4.3.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, nothing::Nothing},
    machine::Space,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    if !modifiers.take("L2") || !modifiers.take("global") {
        return Err(NotSupported::Part("cache or source"));
    }
    let [address, bytes] = decoder.without_policy(instruction, modifiers)? else {
        return Err(NotSupported::Operands);
    };
    decoder.address(address, Space::Global)?;
    decoder.source(bytes, Type::U32)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
