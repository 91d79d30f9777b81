//! `prefetch` and `prefetchu`: hints to fetch into a cache. PTX ISA 9.7.9.15.

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
    let is_uniform = instruction.opcode.stem() == "prefetchu";
    let is_map = modifiers.take("tensormap");
    let spaces: &[(&str, Space)] = match (is_uniform, is_map) {
        (true, _) => &[],
        (false, true) => &[("const", Space::Const), ("param", Space::Param)],
        (false, false) => &[("global", Space::Global), ("local", Space::Local)],
    };
    let space = modifiers.one_of(spaces).unwrap_or(Space::Generic);
    let priority = space == Space::Global
        && (modifiers.take("L2::evict_last") || modifiers.take("L2::evict_normal"));
    if !is_map && !priority {
        let has_level = modifiers.take("L1") || !is_uniform && modifiers.take("L2");
        has_level.then_some(()).ok_or(NotSupported::Part("cache"))?;
    }
    let [address] = operands(instruction)?;
    decoder.address(address, space)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
