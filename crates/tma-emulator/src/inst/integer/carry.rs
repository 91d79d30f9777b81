//! Arithmetic with the carry flag. PTX ISA 9.7.2.

use ptx::{Instruction, Type};

use super::no_type;
use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::{Alu, WithCarry},
    value::{LANES, Lanes},
};

/// Returns whether the type has 32 bits.
fn is_narrow(ty: Type) -> Result<bool, NotSupported> {
    match ty {
        Type::U32 | Type::S32 | Type::B32 => Ok(true),
        Type::U64 | Type::S64 | Type::B64 => Ok(false),
        _ => Err(no_type(ty)),
    }
}

/// Decodes `add.cc`, `addc`, `sub.cc` and `subc`.
pub(crate) fn sum(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let stem = instruction.opcode.stem();
    // For `add` and `sub`, the caller has taken the `.cc`.
    let writes = modifiers.take("cc") || matches!(stem, "add" | "sub");
    let ty = modifiers.ty()?;
    let f: WithCarry = match (stem, is_narrow(ty)?) {
        ("add", true) => |a, b, _, _| chain(a, b, None, 32, false),
        ("add", false) => |a, b, _, _| chain(a, b, None, 64, false),
        ("addc", true) => |a, b, _, carry| chain(a, b, Some(carry), 32, false),
        ("addc", false) => |a, b, _, carry| chain(a, b, Some(carry), 64, false),
        ("sub", true) => |a, b, _, _| chain(a, b, None, 32, true),
        ("sub", false) => |a, b, _, _| chain(a, b, None, 64, true),
        ("subc", true) => |a, b, _, carry| chain(a, b, Some(carry), 32, true),
        _ => |a, b, _, carry| chain(a, b, Some(carry), 64, true),
    };
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let d = decoder.destination(d)?.slot;
    let carry = decoder.carry();
    decoder.emit(Action::Alu(Alu::Carry {
        f,
        d,
        a,
        b,
        c: a,
        carry,
        writes,
    }));
    Ok(())
}

/// Decodes `madc`.
pub(crate) fn with_carry(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let high = modifiers
        .one_of(&[("lo", false), ("hi", true)])
        .ok_or("it has neither `.lo` nor `.hi`")?;
    product(decoder, instruction, modifiers, high)
}

/// Decodes `mad.cc` and `madc`: a half of a product, and a sum with carry.
pub(super) fn product(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
    high: bool,
) -> Result<(), NotSupported> {
    let reads = match instruction.opcode.stem() {
        "mad" => false,
        "madc" => true,
        _ => return Err("it has no form with carry".into()),
    };
    // For `mad`, the caller has taken the `.cc`.
    let writes = modifiers.take("cc") || !reads;
    let ty = modifiers.ty()?;
    let signed = matches!(ty, Type::S32 | Type::S64);
    macro_rules! of {
        ($half:expr, $bits:literal) => {
            match reads {
                true => |a, b, c, carry| chain(&half_of(a, b, $half), c, Some(carry), $bits, false),
                false => |a, b, c, _| chain(&half_of(a, b, $half), c, None, $bits, false),
            }
        };
    }
    let f: WithCarry = match (is_narrow(ty)?, high, signed) {
        (true, false, _) => of!(|a, b| u64::from((a as u32).wrapping_mul(b as u32)), 32),
        (true, true, false) => of!(|a, b| (a * b) >> 32, 32),
        (true, true, true) => {
            of!(
                |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64 >> 32,
                32
            )
        }
        (false, false, _) => of!(|a: u64, b| a.wrapping_mul(b), 64),
        (false, true, false) => of!(|a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64, 64),
        (false, true, true) => of!(
            |a, b| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
            64
        ),
    };
    let [d, a, b, c] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let c = decoder.source(c, ty)?;
    let d = decoder.destination(d)?.slot;
    let carry = decoder.carry();
    decoder.emit(Action::Alu(Alu::Carry {
        f,
        d,
        a,
        b,
        c,
        carry,
        writes,
    }));
    Ok(())
}

fn half_of(a: &Lanes, b: &Lanes, half: fn(u64, u64) -> u64) -> Lanes {
    let mut d = [0; LANES];
    for (d, (a, b)) in d.iter_mut().zip(a.iter().zip(b)) {
        *d = half(*a, *b);
    }
    d
}

/// Adds or subtracts with carry. A subtraction adds the complement and one: its carry is set if it does not
/// borrow, as `addc` after a `sub.cc` shows on an H200. 9.7.2 calls this bit the borrow.
fn chain(a: &Lanes, b: &Lanes, carry: Option<&Lanes>, bits: u32, subtract: bool) -> (Lanes, Lanes) {
    let mask = u64::MAX >> (64 - bits);
    let (mut d, mut out) = ([0; LANES], [0; LANES]);
    for lane in 0..LANES {
        let carry = carry.map_or(u64::from(subtract), |carry| carry[lane] & 1);
        let b = if subtract { !b[lane] & mask } else { b[lane] };
        let sum = u128::from(a[lane]) + u128::from(b) + u128::from(carry);
        d[lane] = sum as u64 & mask;
        out[lane] = (sum >> bits) as u64 & 1;
    }
    (d, out)
}
