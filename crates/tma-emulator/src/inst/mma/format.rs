//! Floating-point formats, as the tensor cores decode and encode them.
//!
//! PTX ISA 9.7.14 leaves the arithmetic open; this matches an H200 bit for bit.

/// The format of a factor or an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    F16,
    Bf16,
    /// A word with its low 13 bits ignored.
    Tf32,
    E4m3,
    E5m2,
    F32,
}

pub(super) const NAN_F32: u64 = 0x7fff_ffff;
pub(super) const NAN_F16: u64 = 0x7fff;
const INFINITY_F32: u64 = 0x7f80_0000;
const INFINITY_F16: u64 = 0x7c00;

/// Exponent of zero: less than the exponent of any product.
const ABSENT: i32 = -10_000;

/// The classes of floating-point values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Finite,
    Infinite,
    Nan,
}

/// `significand * 2^(exponent - fraction bits of the format)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// The mantissa with the sign. A subnormal number is not normalised.
    pub(super) significand: i32,
    pub(super) exponent: i32,
    pub(super) negative: bool,
    pub(super) class: Class,
}

impl Format {
    /// Returns the bits of the exponent and of the fraction.
    const fn widths(self) -> (u32, u32) {
        match self {
            Self::F16 => (5, 10),
            Self::Bf16 => (8, 7),
            Self::Tf32 => (8, 10),
            Self::E4m3 => (4, 3),
            Self::E5m2 => (5, 2),
            Self::F32 => (8, 23),
        }
    }

    pub(super) const fn fraction_bits(self) -> i32 {
        self.widths().1 as i32
    }

    #[inline]
    pub(super) fn decode(self, bits: u64) -> Number {
        let (exponent_bits, fraction_bits) = self.widths();
        let bits = match self {
            Self::Tf32 => bits as u32 >> 13,
            _ => bits as u32,
        };
        let negative = bits >> (exponent_bits + fraction_bits) & 1 != 0;
        let top = (1 << exponent_bits) - 1;
        let field = bits >> fraction_bits & top;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let class = match (self, fraction) {
            _ if field != top => Class::Finite,
            // The format has no infinity, and one NaN of each sign.
            (Self::E4m3, 7) => Class::Nan,
            (Self::E4m3, _) => Class::Finite,
            (_, 0) => Class::Infinite,
            _ => Class::Nan,
        };
        let magnitude = match field {
            0 => fraction,
            _ => fraction | 1 << fraction_bits,
        } as i32;
        let bias = (1 << (exponent_bits - 1)) - 1;
        Number {
            significand: if negative { -magnitude } else { magnitude },
            exponent: match magnitude {
                0 => ABSENT,
                _ => field.max(1) as i32 - bias,
            },
            negative,
            class,
        }
    }

    /// Encodes a sum of terms, as a multiple of `2^last`, in the format of the accumulator: single precision
    /// with `kept` bits of fraction toward zero, half precision to the nearest. Zero is positive.
    #[inline]
    pub(super) fn encode(self, sum: i64, last: i32, kept: i32) -> u64 {
        if sum == 0 {
            return 0;
        }
        let magnitude = sum.unsigned_abs();
        let exponent = 63 - magnitude.leading_zeros() as i32 + last;
        let bits = match self {
            Self::F16 => half(magnitude, exponent, last),
            _ => single(magnitude, exponent, last, kept),
        };
        let sign = match self {
            Self::F16 => 1 << 15,
            _ => 1 << 31,
        };
        match bits {
            0 => 0,
            _ if sum < 0 => bits | sign,
            _ => bits,
        }
    }

    pub(super) const fn nan(self) -> u64 {
        match self {
            Self::F16 => NAN_F16,
            _ => NAN_F32,
        }
    }

    pub(super) const fn infinity(self, negative: bool) -> u64 {
        match self {
            Self::F16 => INFINITY_F16 | (negative as u64) << 15,
            _ => INFINITY_F32 | (negative as u64) << 31,
        }
    }

    /// Converts to half precision, which represents all numbers of the 8-bit formats.
    pub(super) fn widen(self, bits: u64) -> u64 {
        let number = self.decode(bits);
        let sign = u64::from(number.negative) << 15;
        match number.class {
            Class::Nan => NAN_F16,
            Class::Infinite => INFINITY_F16 | sign,
            Class::Finite => {
                let last = number.exponent - self.fraction_bits();
                Self::F16.encode(number.significand.abs().into(), last, 0) | sign
            }
        }
    }
}

/// Returns `magnitude * 2^by`, rounded toward zero.
pub(super) fn shifted(magnitude: u64, by: i32) -> u64 {
    match by {
        0.. => magnitude << by.min(63),
        -63.. => magnitude >> -by,
        _ => 0,
    }
}

fn single(magnitude: u64, exponent: i32, last: i32, kept: i32) -> u64 {
    if exponent >= 128 {
        return INFINITY_F32;
    }
    let scale = exponent.max(-126);
    let significand = shifted(magnitude, last - (scale - kept));
    // The leading one of a normal number raises the exponent by one.
    let field = (scale + 126) as u64;
    (field << 23) + (significand << (23 - kept))
}

fn half(magnitude: u64, exponent: i32, last: i32) -> u64 {
    let scale = exponent.max(-14);
    let by = last - (scale - 10);
    let significand = shifted(magnitude, by);
    let rest = match by {
        0.. => 0,
        -63.. => magnitude & ((1 << -by) - 1),
        _ => return 0,
    };
    let middle = 1_u64 << (-by - 1).max(0);
    let is_up = rest > middle || rest == middle && rest != 0 && significand & 1 == 1;
    let field = (scale + 14) as u64;
    ((field << 10) + significand + u64::from(is_up)).min(INFINITY_F16)
}
