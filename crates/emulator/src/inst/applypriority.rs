//! `applypriority`: a hint how long caches keep bytes. PTX ISA 9.7.9.16.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, Refusal, operands},
    inst::{Action, Decoder, nothing::Nothing},
    machine::Space,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), Refusal> {
    let space = match modifiers.take("global") {
        true => Space::Global,
        false => Space::Generic,
    };
    modifiers
        .take("L2::evict_normal")
        .then_some(())
        .ok_or("its priority")?;
    let [address, bytes] = operands(instruction)?;
    if bytes.as_integer() != Some(128) {
        return Err("a size other than 128".into());
    }
    decoder.address(address, space)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
