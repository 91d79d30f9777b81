//! Integers in packs of two of 16 bits or four of 8, and `.relu` of integers. PTX ISA 9.7.1.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::Alu,
    value::{Binary, lift},
};

const PACKS: [&str; 4] = ["s16x2", "u16x2", "s8x4", "u8x4"];

/// Returns whether the instruction is one of these.
pub(crate) fn is_one(instruction: &Instruction) -> bool {
    let opcode = &instruction.opcode;
    PACKS.iter().any(|pack| opcode.has(pack)) || opcode.has("relu") && opcode.has("s32")
}

/// Applies `f` to each pair of packed integers and keeps the lower bits of its results.
fn each<const BITS: u32, const SIGNED: bool>(a: u32, b: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
    let number = |pack: u32, shift: u32| {
        let above = pack << (32 - BITS - shift);
        match SIGNED {
            true => above as i32 >> (32 - BITS),
            false => (above >> (32 - BITS)) as i32,
        }
    };
    let of = |shift: u32| {
        let result = f(number(a, shift), number(b, shift)) as u32;
        (result & ((1 << BITS) - 1)) << shift
    };
    (0..32).step_by(BITS as usize).map(of).sum()
}

/// Returns the nearest integer that fits in a pack.
fn saturate<const BITS: u32, const SIGNED: bool>(number: i32) -> i32 {
    match SIGNED {
        true => number.clamp(-1 << (BITS - 1), (1 << (BITS - 1)) - 1),
        false => number.clamp(0, (1 << BITS) - 1),
    }
}

/// Returns the packed operation with this mnemonic, if there is one.
fn packed<const BITS: u32, const SIGNED: bool>(
    stem: &str,
    saturates: bool,
    relu: bool,
) -> Option<Binary> {
    macro_rules! each {
        (|$a:ident, $b:ident| $body:expr) => {
            lift!(|a: u32, b: u32| each::<BITS, SIGNED>(a, b, |$a, $b| $body))
        };
    }
    Some(match (stem, saturates, relu) {
        ("add", false, false) => each!(|a, b| a + b),
        ("sub", false, false) if BITS == 8 => each!(|a, b| a - b),
        ("add", true, false) => each!(|a, b| saturate::<BITS, SIGNED>(a + b)),
        ("sub", true, false) if BITS == 8 => each!(|a, b| saturate::<BITS, SIGNED>(a - b)),
        ("min", false, false) => each!(|a, b| a.min(b)),
        ("max", false, false) => each!(|a, b| a.max(b)),
        ("min", false, true) if SIGNED => each!(|a, b| a.min(b).max(0)),
        ("max", false, true) if SIGNED => each!(|a, b| a.max(b).max(0)),
        _ => return None,
    })
}

/// Returns the 32-bit operation with `.relu`, which replaces negative results by zero.
fn word(stem: &str) -> Option<Binary> {
    Some(match stem {
        "min" => lift!(|a: i32, b: i32| a.min(b).max(0)),
        "max" => lift!(|a: i32, b: i32| a.max(b).max(0)),
        _ => return None,
    })
}

/// Decodes `add`, `sub`, `min` and `max`.
pub(crate) fn binary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let (saturates, relu) = (modifiers.take("sat"), modifiers.take("relu"));
    let stem = instruction.opcode.stem();
    let packs = PACKS.map(|pack| (pack, pack));
    let f = match modifiers.one_of(&packs) {
        Some("s16x2") => packed::<16, true>(stem, saturates, relu),
        Some("u16x2") => packed::<16, false>(stem, saturates, relu),
        Some("s8x4") => packed::<8, true>(stem, saturates, relu),
        Some(_) => packed::<8, false>(stem, saturates, relu),
        None if relu && !saturates && modifiers.take("s32") => word(stem),
        None => return Err(NotSupported::Part("type")),
    };
    let f = f.ok_or(NotSupported::Part("combination of modifiers"))?;
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, Type::B32)?, decoder.source(b, Type::B32)?);
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Binary { f, d, a, b }));
    Ok(())
}
