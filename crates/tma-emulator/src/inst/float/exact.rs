//! Arithmetic without rounding, and one rounding at its end in any direction.

use ptx::Type;

use crate::value::{Rounding, decompose, encode};

/// `m * 2^e` with a sign; the last bit of `m` is sticky, so it also represents smaller non-zero bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exact {
    negative: bool,
    m: u128,
    e: i32,
}

/// The highest bit that sums begin with, so that a carry has room.
const TOP: i32 = 125;

impl Exact {
    fn of(value: f64) -> Self {
        let (m, e) = decompose(value.abs());
        Self {
            negative: value.is_sign_negative(),
            m,
            e,
        }
    }

    /// Returns the product; both factors have at most 53 bits.
    fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            m: self.m * other.m,
            e: self.e + other.e,
        }
    }

    /// Normalises with the highest bit at [`TOP`].
    fn normal(self) -> Self {
        let by = self.m.leading_zeros() as i32 - (127 - TOP);
        Self {
            m: if by >= 0 { self.m << by } else { self.m },
            e: if by >= 0 { self.e - by } else { self.e },
            ..self
        }
    }

    fn plus(self, other: Self) -> Self {
        if self.m == 0 || other.m == 0 {
            return if self.m == 0 { other } else { self };
        }
        let (a, b) = (self.normal(), other.normal());
        let (large, small) = if (a.e, a.m) >= (b.e, b.m) {
            (a, b)
        } else {
            (b, a)
        };
        let by = (large.e - small.e) as u32;
        let shifted = match by {
            0 => small.m,
            1..=127 => small.m >> by | u128::from(small.m << (128 - by) != 0),
            _ => 1,
        };
        let m = match large.negative == small.negative {
            true => large.m + shifted,
            false => large.m - shifted,
        };
        Self { m, ..large }
    }

    /// Returns the quotient, to far more bits than any format has.
    fn over(self, other: Self) -> Self {
        let numerator = self.m << 70;
        Self {
            negative: self.negative != other.negative,
            m: (numerator / other.m) | u128::from(!numerator.is_multiple_of(other.m)),
            e: self.e - other.e - 70,
        }
    }

    /// Returns the square root, exact or with a sticky bit.
    fn root(self) -> Self {
        let value = self.normal();
        let odd = value.e & 1;
        let (m, e) = (value.m << odd, value.e - odd);
        let root = m.isqrt();
        Self {
            m: root << 1 | u128::from(root * root != m),
            e: e / 2 - 1,
            ..self
        }
    }

    fn round(self, ty: Type, mode: Rounding) -> u64 {
        let width = ty.size_bytes().unwrap_or(8) * 8;
        let bits = encode((self.m, self.e), self.negative, ty, mode);
        bits | u64::from(self.negative) << (width - 1)
    }
}

/// Returns `a * b + c` as the bits of a number of type `ty`, which all operands have.
///
/// Returns `None` if an operand is a NaN or infinite, since there is no rounding then.
pub(crate) fn multiply_add(a: f64, b: f64, c: f64, ty: Type, mode: Rounding) -> Option<u64> {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return None;
    }
    let product = Exact::of(a).times(Exact::of(b));
    let mut sum = product.plus(Exact::of(c));
    // A zero sum of equal signs keeps the sign; of different signs, the rounding mode decides (IEEE 754, 6.3).
    if sum.m == 0 {
        let signs = (product.negative, c.is_sign_negative());
        let both_zero = product.m == 0 && c == 0.0;
        sum.negative = match signs {
            (a, b) if both_zero && a == b => a,
            _ => mode == Rounding::Down,
        };
    }
    Some(sum.round(ty, mode))
}

/// Returns `a / b` in the same way; `None` for a zero divisor too.
pub(super) fn divide(a: f64, b: f64, ty: Type, mode: Rounding) -> Option<u64> {
    if !(a.is_finite() && b.is_finite()) || b == 0.0 || a == 0.0 {
        return None;
    }
    Some(Exact::of(a).over(Exact::of(b)).round(ty, mode))
}

/// Returns the square root of a positive number.
pub(super) fn root(a: f64, ty: Type, mode: Rounding) -> Option<u64> {
    (a.is_finite() && a > 0.0).then(|| Exact::of(a).root().round(ty, mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Rng;

    /// Returns numbers of all sizes, some of them near each other.
    fn number(rng: &mut Rng) -> f64 {
        let bits = rng.next();
        let near = (bits & 0x800f_ffff_ffff_ffff) | (0x3fa + (rng.next() & 7)) << 52;
        let value = f64::from_bits(if rng.one_in(3) { bits } else { near });
        if value.is_finite() { value } else { 1.0 }
    }

    #[test]
    fn to_nearest_it_is_what_the_processor_computes() {
        let mut rng = Rng::new(5);
        for _ in 0..40_000 {
            let [a, b, c] = [(); 3].map(|()| number(&mut rng));
            let nearest = |bits: Option<u64>| f64::from_bits(bits.unwrap());
            let got = multiply_add(a, b, c, Type::F64, Rounding::Nearest);
            assert_eq!(
                nearest(got).to_bits(),
                a.mul_add(b, c).to_bits(),
                "{a:e} {b:e} {c:e}"
            );
            let got = divide(a, b, Type::F64, Rounding::Nearest);
            assert_eq!(nearest(got).to_bits(), (a / b).to_bits(), "{a:e} / {b:e}");
            let got = root(a.abs(), Type::F64, Rounding::Nearest);
            assert_eq!(nearest(got).to_bits(), a.abs().sqrt().to_bits(), "{a:e}");
            let [x, y, z] = [a, b, c].map(|value| (value as f32).clamp(-1e30, 1e30));
            let wide = [x, y, z].map(f64::from);
            let got = multiply_add(wide[0], wide[1], wide[2], Type::F32, Rounding::Nearest);
            assert_eq!(
                got.unwrap() as u32,
                x.mul_add(y, z).to_bits(),
                "{x:e} {y:e} {z:e}"
            );
        }
    }

    #[test]
    fn directions_are_next_to_each_other() {
        let mut rng = Rng::new(6);
        for _ in 0..20_000 {
            let (a, b) = (number(&mut rng), number(&mut rng));
            let of = |mode| f64::from_bits(divide(a, b, Type::F64, mode).unwrap());
            let (down, up, nearest) = (of(Rounding::Down), of(Rounding::Up), a / b);
            assert!(down <= nearest && nearest <= up);
            assert!(down == up || down.next_up() == up, "{a:e} / {b:e}");
            let towards = if nearest.is_sign_negative() { up } else { down };
            assert_eq!(of(Rounding::Zero).to_bits(), towards.to_bits());
        }
    }
}
