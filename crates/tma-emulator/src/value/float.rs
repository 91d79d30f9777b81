//! Floating-point arithmetic in every precision, as the hardware does it.

use half::{bf16, f16};
use ptx::Type;

/// Operations of all floating-point types, with the hardware's NaN.
pub(crate) trait Float: Copy {
    fn wide(self) -> f64;
    /// Rounds to nearest even.
    fn narrow(value: f64) -> Self;
    fn canonical(self) -> Self;

    fn is_nan(self) -> bool {
        self.wide().is_nan()
    }

    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;

    fn sub(self, other: Self) -> Self {
        self.add(other.neg())
    }
    fn neg(self) -> Self;

    /// Returns the smaller value. `-0` is less than `+0`; a NaN yields to a number.
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.wide(), other.wide());
        match (a.is_nan(), b.is_nan()) {
            (true, true) => self.canonical(),
            (true, false) => other,
            (false, true) => self,
            _ if a < b || (a == b && a.is_sign_negative()) => self,
            _ => other,
        }
    }

    fn max(self, other: Self) -> Self {
        self.neg_number().min(other.neg_number()).neg_number()
    }

    /// Negates a number; a NaN is unchanged.
    fn neg_number(self) -> Self {
        if self.is_nan() { self } else { self.neg() }
    }

    /// Flushes subnormal numbers to zero.
    fn flush(self) -> Self;

    /// Clamps to the range from 0 to 1; a NaN becomes 0.
    fn saturate(self) -> Self {
        let wide = self.wide();
        if wide > 0.0 {
            if wide >= 1.0 { Self::narrow(1.0) } else { self }
        } else {
            Self::narrow(0.0)
        }
    }
}

impl Float for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn narrow(value: f64) -> Self {
        (value as f32).canonical()
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if self.is_nan() {
            Self::from_bits(0x7fff_ffff)
        } else {
            self
        }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        f32::is_nan(self)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        (self + other).canonical()
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        (self - other).canonical()
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        (self * other).canonical()
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        // `mul_add` is a call where the target has no such instruction.
        (fma_to_odd(self.into(), b.into(), c.into()) as f32).canonical()
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
    #[inline(always)]
    fn flush(self) -> Self {
        let bits = self.to_bits();
        match bits & 0x7f80_0000 {
            0 => Self::from_bits(bits & 1 << 31),
            _ => self,
        }
    }
}

impl Float for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn narrow(value: f64) -> Self {
        value
    }
    fn canonical(self) -> Self {
        self
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
    fn flush(self) -> Self {
        self
    }
}

/// Returns `a * b + c` for numbers with an exact product, rounded to odd, so that a second rounding has the
/// effect of a single one.
#[inline(always)]
fn fma_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    // Knuth's two-sum: the error of the addition; 0 if the sum is zero, a NaN if it is not finite.
    let other = sum - product;
    let lost = (product - (sum - other)) + (c - other);
    // Without branches, so that lanes go on together.
    let bits = sum.to_bits();
    let is_inexact = u64::from(lost.abs() > 0.0);
    let step = is_inexact & !bits & 1;
    let is_away = u64::from((lost > 0.0) == (sum > 0.0));
    f64::from_bits((bits + (step & is_away)).wrapping_sub(step & !is_away))
}

macro_rules! half_floats {
    ($($ty:ident $ptx:ident)*) => {$(
        impl Float for $ty {
            fn wide(self) -> f64 {
                self.to_f64()
            }
            fn narrow(value: f64) -> Self {
                Self::from_bits(super::nearest(value, Type::$ptx))
            }
            fn canonical(self) -> Self {
                if $ty::is_nan(self) { Self::from_bits(0x7fff) } else { self }
            }
            fn add(self, other: Self) -> Self {
                Self::narrow(fma_to_odd(self.to_f64(), 1.0, other.to_f64()))
            }
            fn mul(self, other: Self) -> Self {
                Self::narrow(self.to_f64() * other.to_f64())
            }
            fn fma(self, b: Self, c: Self) -> Self {
                Self::narrow(fma_to_odd(self.to_f64(), b.to_f64(), c.to_f64()))
            }
            fn neg(self) -> Self {
                Self::from_bits(self.to_bits() ^ 0x8000)
            }
            fn flush(self) -> Self {
                let subnormal = self.classify() == std::num::FpCategory::Subnormal;
                if subnormal { Self::from_bits(self.to_bits() & 0x8000) } else { self }
            }
        }
    )*};
}
half_floats! { f16 F16 bf16 Bf16 }

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the standard library's function, which rounds once.
    #[test]
    fn a_fused_product_is_rounded_once() {
        let special = [
            0_u32,
            1,
            2,
            0x7f_ffff,
            0x80_0000,
            0x80_0001,
            0x3f80_0000,
            0x3f80_0001,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
            0x4b80_0000,
            0x0c00_0001,
            0x3380_0000,
            0x3300_0001,
        ];
        let special: Vec<f32> = special
            .into_iter()
            .flat_map(|bits| [bits, bits | 1 << 31])
            .map(f32::from_bits)
            .collect();
        let check = |a: f32, b: f32, c: f32| {
            let expected = a.mul_add(b, c);
            let expected = if expected.is_nan() {
                0x7fff_ffff
            } else {
                expected.to_bits()
            };
            assert_eq!(
                Float::fma(a, b, c).to_bits(),
                expected,
                "{a:e} * {b:e} + {c:e}"
            );
        };
        for a in &special {
            for b in &special {
                special.iter().for_each(|c| check(*a, *b, *c));
            }
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 32) as u32
        };
        for _ in 0..200_000 {
            let (a, b, c) = (random(), random(), random());
            let of = f32::from_bits;
            check(of(a), of(b), of(c));
            // The sum is of the product's size, just above or far below it.
            let (a, b) = (
                of(a & 0x83ff_ffff | 0x3c00_0000),
                of(b & 0x83ff_ffff | 0x3c00_0000),
            );
            check(a, b, -(a * b));
            check(a, b, of((a * b).to_bits() ^ (c & 3)));
            check(a, b, (a * b) * of(c & 0x9fff_ffff | 0x2000_0000));
        }
    }
}
