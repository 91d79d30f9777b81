//! `createpolicy`: what caches are to keep. PTX ISA 9.7.9.18.
//!
//! The emulator has no caches: a policy is a number that copies take and nobody asks for.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::{Alu, Constant, Space},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let kinds = [("range", 0), ("fractional", 1), ("cvt", 2)];
    let kind = modifiers.one_of(&kinds).ok_or(NotSupported::Part("kind"))?;
    if kind == 2 {
        modifiers
            .take("L2")
            .then_some(())
            .ok_or(NotSupported::Part("cache"))?;
    } else {
        let primary = [
            ("L2::evict_last", ()),
            ("L2::evict_normal", ()),
            ("L2::evict_first", ()),
            ("L2::evict_unchanged", ()),
        ];
        modifiers
            .one_of(&primary)
            .ok_or(NotSupported::Part("priority"))?;
        modifiers.one_of(&[("L2::evict_first", ()), ("L2::evict_unchanged", ())]);
    }
    let is_global = kind == 0 && modifiers.take("global");
    modifiers
        .take("b64")
        .then_some(())
        .ok_or(NotSupported::Part("type"))?;
    let policy = decoder.constant(Constant::Value(0));
    let (d, policy) = match (kind, instruction.operands.as_slice()) {
        (0, [d, address, primary, total]) => {
            let space = if is_global {
                Space::Global
            } else {
                Space::Generic
            };
            decoder.address(address, space)?;
            decoder.source(primary, Type::U32)?;
            decoder.source(total, Type::U32)?;
            (d, policy)
        }
        (1, [d]) => (d, policy),
        (1, [d, fraction]) => {
            decoder.source(fraction, Type::F32)?;
            (d, policy)
        }
        (2, _) => {
            let [d, property] = operands(instruction)?;
            (d, decoder.source(property, Type::B64)?)
        }
        _ => return Err(NotSupported::Operands),
    };
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Copy([(d, policy)].into())));
    Ok(())
}
