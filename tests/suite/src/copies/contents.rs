//! The contents of memory before a copy.

use super::Number;
use crate::maps::generate::Random;

/// The contents of memory before a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Any bits.
    Bits,
    /// Numbers near one another, and the finite ones at the edges: zeros, subnormal ones, the largest.
    Finite,
    /// Finite numbers, infinities and NaNs.
    Special,
}

/// Sign, exponent and fraction of a floating-point type: how many bits they have.
struct Parts {
    exponent: u32,
    fraction: u32,
}

impl Contents {
    /// All contents.
    pub const ALL: [Self; 3] = [Self::Bits, Self::Finite, Self::Special];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Finite => "finite",
            Self::Special => "special",
        }
    }

    /// Fills bytes with such numbers.
    pub fn fill(self, number: Number, random: &mut Random, bytes: &mut [u8]) {
        if self == Self::Bits {
            for chunk in bytes.chunks_mut(8) {
                chunk.copy_from_slice(&random.bits().to_le_bytes()[..chunk.len()]);
            }
            return;
        }
        for chunk in bytes.chunks_mut(number.bytes()) {
            let bits = match parts(number) {
                None => integer(random),
                Some(parts) => parts.float(random, self == Self::Special),
            };
            chunk.copy_from_slice(&bits.to_le_bytes()[..chunk.len()]);
        }
    }
}

fn parts(number: Number) -> Option<Parts> {
    let (exponent, fraction) = match number {
        Number::F16 => (5, 10),
        Number::Bf16 => (8, 7),
        Number::F32 | Number::F32Ftz => (8, 23),
        Number::F64 => (11, 52),
        Number::Unsigned(_) | Number::Signed(_) => return None,
    };
    Some(Parts { exponent, fraction })
}

/// Mostly small, of either sign, sometimes at the ends of the range; cut to its size later.
fn integer(random: &mut Random) -> u64 {
    match random.below(16) {
        0 => 1 << 31,
        1 => u64::MAX >> random.pick(&[0, 1, 32, 33]),
        2 => 1 << 63 | 1 << 31,
        _ => random.within(-4, 4) as u64,
    }
}

impl Parts {
    fn float(&self, random: &mut Random, special: bool) -> u64 {
        let any = random.bits();
        let sign = (any >> 63) << (self.exponent + self.fraction);
        let fractions = (1 << self.fraction) - 1;
        let (bias, most) = ((1 << (self.exponent - 1)) - 1, (1 << self.exponent) - 1);
        let (exponent, fraction) = match random.below(16) {
            0 => (0, 0),
            1 => (0, any & fractions),
            2 => (0, random.pick(&[1, fractions])),
            3 => (1, random.pick(&[0, 1])),
            4 => (most - 1, fractions),
            5 if special => (most, 0),
            6 if special => (most, random.pick(&[1, 1 << (self.fraction - 1), fractions])),
            7 if special => (most, any & fractions),
            _ => (bias - 3 + random.below(6), any & fractions),
        };
        sign | exponent << self.fraction | fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_special_contents_have_nans() {
        let count = |contents: Contents| {
            let mut bytes = [0; 4096];
            contents.fill(Number::F32, &mut Random::new(1), &mut bytes);
            let floats = bytes.chunks(4).map(|bytes| {
                let bytes = bytes.try_into().unwrap_or_default();
                f32::from_le_bytes(bytes)
            });
            floats.filter(|float| !float.is_finite()).count()
        };
        assert_eq!(count(Contents::Finite), 0);
        assert!(count(Contents::Special) > 100);
    }
}
