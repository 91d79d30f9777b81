//! Values that lanes of a warp exchange.

use crate::number::halves::{Bf16, Bf16x2, F16, F16x2};

/// A plain value that shuffles move between lanes, in words of 32 bits: a number, a `bool`, an array or a pair
/// of such.
///
/// A user's type names its words by the words of its fields:
///
/// ```
/// use tma::{Lanes, Warp};
///
/// #[derive(Clone, Copy)]
/// struct Best {
///     score: f64,
///     index: u32,
/// }
///
/// // SAFETY: the words are the words of a pair (1).
/// unsafe impl Lanes for Best {
///     const WORDS: usize = <(f64, u32)>::WORDS;
///
///     fn map_words(self, exchange: impl FnMut(u32) -> u32) -> Self {
///         let (score, index) = (self.score, self.index).map_words(exchange);
///         Self { score, index }
///     }
/// }
///
/// fn best(warp: Warp, own: Best) -> Best {
///     warp.reduce(own, |a, b| if a.score < b.score { b } else { a })
/// }
/// ```
///
/// ```compile_fail,E0200
/// # #[derive(Clone, Copy)]
/// # struct Some(u32);
/// // The lanes of a warp exchange words together, and some of these would be missing.
/// impl tma::Lanes for Some {
///     const WORDS: usize = 1;
///
///     fn map_words(self, mut exchange: impl FnMut(u32) -> u32) -> Self {
///         if self.0 == 0 { self } else { Self(exchange(self.0)) }
///     }
/// }
/// ```
///
/// # Safety
/// 1. [`map_words`](Self::map_words) calls `exchange` [`WORDS`](Self::WORDS) times, for any value: all lanes
///    of a warp exchange each word together.
pub unsafe trait Lanes: Copy {
    /// The number of words of 32 bits.
    const WORDS: usize;

    /// Returns the value made of this one's words, each changed by `exchange`, from the first on.
    #[must_use]
    fn map_words(self, exchange: impl FnMut(u32) -> u32) -> Self;
}

macro_rules! words {
    ($($type:ty: $value:ident => $word:expr, $bits:ident => $back:expr;)*) => {$(
        // SAFETY: `exchange` is called once, for the one word (1).
        unsafe impl Lanes for $type {
            const WORDS: usize = 1;

            #[inline(always)]
            fn map_words(self, mut exchange: impl FnMut(u32) -> u32) -> Self {
                let $value = self;
                let $bits = exchange($word);
                $back
            }
        }
    )*};
}

words! {
    u8: value => value.into(), bits => bits as u8;
    u16: value => value.into(), bits => bits as u16;
    u32: value => value, bits => bits;
    i8: value => value as u32, bits => bits as i8;
    i16: value => value as u32, bits => bits as i16;
    i32: value => value as u32, bits => bits as i32;
    f32: value => value.to_bits(), bits => f32::from_bits(bits);
    bool: value => value.into(), bits => bits != 0;
}

words! {
    F16: value => value.to_bits().into(), bits => Self::from_bits(bits as u16);
    Bf16: value => value.to_bits().into(), bits => Self::from_bits(bits as u16);
    F16x2: value => value.to_bits(), bits => Self::from_bits(bits);
    Bf16x2: value => value.to_bits(), bits => Self::from_bits(bits);
}

#[cfg(feature = "half")]
words! {
    half::f16: value => value.to_bits().into(), bits => Self::from_bits(bits as u16);
    half::bf16: value => value.to_bits().into(), bits => Self::from_bits(bits as u16);
}

macro_rules! double_words {
    ($($type:ty: $value:ident => $word:expr, $bits:ident => $back:expr;)*) => {$(
        // SAFETY: `exchange` is called twice, for the two words (1).
        unsafe impl Lanes for $type {
            const WORDS: usize = 2;

            #[inline(always)]
            fn map_words(self, mut exchange: impl FnMut(u32) -> u32) -> Self {
                let $value = self;
                let bits: u64 = $word;
                let low = exchange(bits as u32);
                let $bits = u64::from(low) | u64::from(exchange((bits >> 32) as u32)) << 32;
                $back
            }
        }
    )*};
}

double_words! {
    u64: value => value, bits => bits;
    i64: value => value as u64, bits => bits as i64;
    f64: value => value.to_bits(), bits => f64::from_bits(bits);
}

// SAFETY: each element calls `exchange` for its own words, N times in all (1).
unsafe impl<T: Lanes, const N: usize> Lanes for [T; N] {
    const WORDS: usize = N * T::WORDS;

    #[inline(always)]
    fn map_words(self, mut exchange: impl FnMut(u32) -> u32) -> Self {
        self.map(|value| value.map_words(&mut exchange))
    }
}

// SAFETY: each part calls `exchange` for its own words (1).
unsafe impl<A: Lanes, B: Lanes> Lanes for (A, B) {
    const WORDS: usize = A::WORDS + B::WORDS;

    #[inline(always)]
    fn map_words(self, mut exchange: impl FnMut(u32) -> u32) -> Self {
        (
            self.0.map_words(&mut exchange),
            self.1.map_words(&mut exchange),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<T: Lanes>(value: T) -> std::vec::Vec<u32> {
        let mut words = std::vec::Vec::new();
        let _ = value.map_words(|word| {
            words.push(word);
            word
        });
        assert_eq!(words.len(), T::WORDS);
        words
    }

    #[test]
    fn a_value_is_its_words_from_the_low_one_on() {
        assert_eq!(words(0x1_0000_0002_u64), [2, 1]);
        assert_eq!(
            words((-1_i8, [1.0_f32, 2.0])),
            [u32::MAX, 0x3f80_0000, 0x4000_0000]
        );
        assert_eq!(words(true), [1]);
        let halves = (F16::from_bits(0xbc00), F16x2::from_bits(0x1234_5678));
        assert_eq!(words(halves), [0xbc00, 0x1234_5678]);
    }

    #[test]
    fn words_that_are_exchanged_make_the_value_of_the_other_lane() {
        let mut other = words((-2.5_f64, [7_u16, 9])).into_iter();
        let mine = (0.0_f64, [1_u16, 1]).map_words(|_| other.next().unwrap());
        assert_eq!(mine, (-2.5, [7, 9]));
        let (half, pair) = (Bf16::from_bits(0x8001), Bf16x2::from_bits(0xfedc_ba98));
        let mut other = words((half, pair)).into_iter();
        let mine = <(Bf16, Bf16x2)>::default().map_words(|_| other.next().unwrap());
        assert_eq!(mine, (half, pair));
    }
}
