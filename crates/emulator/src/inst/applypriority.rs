//! `applypriority`: a hint how long caches keep bytes. PTX ISA 9.7.9.16.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, nothing::Nothing},
    machine::Space,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let space = match modifiers.take("global") {
        true => Space::Global,
        false => Space::Generic,
    };
    modifiers
        .take("L2::evict_normal")
        .then_some(())
        .ok_or(NotSupported::Part("priority"))?;
    let [address, bytes] = operands(instruction)?;
    if bytes.as_integer() != Some(128) {
        return Err("its size is not 128 bytes".into());
    }
    decoder.address(address, space)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
