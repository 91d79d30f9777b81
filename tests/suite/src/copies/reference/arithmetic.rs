//! The arithmetic on one element.

use super::super::{Number, Operator};

/// Reduces an element in place; none if the reduction is not defined here.
pub(crate) fn reduce(operator: Operator, number: Number, old: &mut [u8], new: &[u8]) -> Option<()> {
    let result = match number {
        Number::Unsigned(_) => unsigned(operator, read(old), read(new), 8 * old.len() as u32)?,
        Number::Signed(_) => {
            let unused = 64 - 8 * old.len() as u32;
            let signed = |bytes: &[u8]| (read(bytes) << unused) as i64 >> unused;
            signed_numbers(operator, signed(old), signed(new))? as u64
        }
        Number::F32 | Number::F32Ftz => {
            let flush = |x: f32| match number == Number::F32Ftz && x.is_subnormal() {
                true => 0.0_f32.copysign(x),
                false => x,
            };
            let of = |bytes| flush(f32::from_bits(read(bytes) as u32));
            u64::from(flush(sum(operator, of(old) + of(new), f32::is_nan)?).to_bits())
        }
        Number::F64 => {
            let of = |bytes| f64::from_bits(read(bytes));
            sum(operator, of(old) + of(new), f64::is_nan)?.to_bits()
        }
        Number::F16 | Number::Bf16 => return None,
    };
    old.copy_from_slice(&result.to_le_bytes()[..old.len()]);
    Some(())
}

fn read(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

fn sum<T: Copy>(operator: Operator, sum: T, is_nan: impl Fn(T) -> bool) -> Option<T> {
    (operator == Operator::Add && !is_nan(sum)).then_some(sum)
}

fn unsigned(operator: Operator, old: u64, new: u64, bits: u32) -> Option<u64> {
    Some(match operator {
        Operator::Add => old.wrapping_add(new),
        Operator::Min => old.min(new),
        Operator::Max => old.max(new),
        Operator::And => old & new,
        Operator::Or => old | new,
        Operator::Xor => old ^ new,
        Operator::Inc if bits == 32 => match old >= new {
            true => 0,
            false => old + 1,
        },
        Operator::Dec if bits == 32 => match old == 0 || old > new {
            true => new,
            false => old - 1,
        },
        Operator::Inc | Operator::Dec => return None,
    })
}

fn signed_numbers(operator: Operator, old: i64, new: i64) -> Option<i64> {
    Some(match operator {
        Operator::Add => old.wrapping_add(new),
        Operator::Min => old.min(new),
        Operator::Max => old.max(new),
        Operator::And => old & new,
        Operator::Or => old | new,
        Operator::Xor => old ^ new,
        Operator::Inc | Operator::Dec => return None,
    })
}

/// Rounds to the nearest number with 10 bits of fraction, ties to even.
pub(super) fn to_tf32(element: &mut [u8]) {
    let bits = read(element) as u32;
    let float = f32::from_bits(bits);
    let rounded = if float.is_nan() {
        0x7fff_e000
    } else {
        let (below, rest) = (bits >> 13, bits & 0x1fff);
        let goes_up = rest > 0x1000 || rest == 0x1000 && below % 2 == 1;
        (below + u32::from(goes_up)) << 13
    };
    element.copy_from_slice(&rounded.to_le_bytes());
}
