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

    /// `-0` is less than `+0`; a NaN gives way to a number.
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

    /// The negative, of numbers alone.
    fn neg_number(self) -> Self {
        if self.is_nan() { self } else { self.neg() }
    }

    /// Subnormal numbers become zero.
    fn flush(self) -> Self;

    /// Into the range from 0 to 1; a NaN becomes 0.
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
        self.mul_add(b, c).canonical()
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
    fn flush(self) -> Self {
        if self.is_subnormal() {
            Self::from_bits(self.to_bits() & 1 << 31)
        } else {
            self
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

/// `a * b + c` of numbers with few enough bits that the product is exact, rounded to odd, so that a
/// second rounding gives what one alone would.
fn fma_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() || sum == 0.0 {
        return sum;
    }
    // Knuth's two-sum: what the addition lost.
    let other = sum - product;
    let lost = (product - (sum - other)) + (c - other);
    if lost == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if away {
        sum.to_bits() + 1
    } else {
        sum.to_bits() - 1
    })
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
