//! One value for each lane of a warp, and functions that work on all lanes at once.

use half::{bf16, f16};

/// Number of threads in a warp.
pub(crate) const LANES: usize = 32;

/// The value of a register, lane by lane. Narrow values are in the low bits, with zeros above.
pub(crate) type Lanes = [u64; LANES];

/// `d = f(a)` in every lane. Inactive lanes are computed too and then dropped, so these functions are total.
pub(crate) type Unary = fn(&Lanes) -> Lanes;
/// `d = f(a, b)` in every lane.
pub(crate) type Binary = fn(&Lanes, &Lanes) -> Lanes;
/// `d = f(a, b, c)` in every lane.
pub(crate) type Ternary = fn(&Lanes, &Lanes, &Lanes) -> Lanes;

/// Returns the lanes of a mask, lowest first.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < LANES as u32).then_some(lane as usize)
    })
}

/// Names the lanes of a mask.
pub(crate) fn lane_names(mask: u32) -> String {
    if mask == u32::MAX {
        return "all lanes".to_owned();
    }
    // Lanes that follow one another are one range.
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for lane in lanes_of(mask) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => ranges.push((lane, lane)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first} to {last}"),
        })
        .collect();
    let plural = if mask.count_ones() == 1 { "" } else { "s" };
    format!("lane{plural} {}", ranges.join(", "))
}

/// Writes the lanes of `mask`.
pub(crate) fn blend(to: &mut Lanes, from: &Lanes, mask: u32) {
    if mask == u32::MAX {
        *to = *from;
    } else {
        for lane in lanes_of(mask) {
            to[lane] = from[lane];
        }
    }
}

/// A type that registers hold.
pub(crate) trait Bits: Copy {
    /// Returns the value in the low bits of a register.
    fn of(bits: u64) -> Self;
    /// Returns the value as a register holds it.
    fn bits(self) -> u64;
}

macro_rules! integers {
    ($($unsigned:ident $signed:ident)*) => {$(
        impl Bits for $unsigned {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self)
            }
        }
        impl Bits for $signed {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
        }
    )*};
}
integers! { u8 i8 u16 i16 u32 i32 u64 i64 }

macro_rules! floats {
    ($($float:ident $bits:ident)*) => {$(
        impl Bits for $float {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
        }
    )*};
}
floats! { f16 u16 bf16 u16 f32 u32 f64 u64 }

impl Bits for bool {
    #[inline(always)]
    fn of(bits: u64) -> Self {
        bits & 1 != 0
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

/// A function of one to three lanes as one of whole registers: `lift!(|a: u32, b: u32| a & b)`.
macro_rules! lift {
    (|$a:ident: $ta:ty| $body:expr) => {
        (|a: &$crate::value::Lanes| {
            let mut d = [0; $crate::value::LANES];
            for (d, a) in d.iter_mut().zip(a) {
                let $a = <$ta as $crate::value::Bits>::of(*a);
                *d = $crate::value::Bits::bits($body);
            }
            d
        }) as $crate::value::Unary
    };
    (|$a:ident: $ta:ty, $b:ident: $tb:ty| $body:expr) => {
        (|a: &$crate::value::Lanes, b: &$crate::value::Lanes| {
            let mut d = [0; $crate::value::LANES];
            for (d, (a, b)) in d.iter_mut().zip(a.iter().zip(b)) {
                let $a = <$ta as $crate::value::Bits>::of(*a);
                let $b = <$tb as $crate::value::Bits>::of(*b);
                *d = $crate::value::Bits::bits($body);
            }
            d
        }) as $crate::value::Binary
    };
    (|$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| $body:expr) => {
        (|a: &$crate::value::Lanes, b: &$crate::value::Lanes, c: &$crate::value::Lanes| {
            let mut d = [0; $crate::value::LANES];
            for (d, (a, (b, c))) in d.iter_mut().zip(a.iter().zip(b.iter().zip(c))) {
                let $a = <$ta as $crate::value::Bits>::of(*a);
                let $b = <$tb as $crate::value::Bits>::of(*b);
                let $c = <$tc as $crate::value::Bits>::of(*c);
                *d = $crate::value::Bits::bits($body);
            }
            d
        }) as $crate::value::Ternary
    };
}
pub(crate) use lift;

/// The instance of a lifted function for a PTX type, out of those listed:
/// `for_type!(ty, T in [u32, s32 => i32], lift!(|a: T, b: T| ...))` is `Some` for these types.
macro_rules! for_type {
    ($ty:expr, $t:ident in [$($variant:ident => $rust:ty),+ $(,)?], $body:expr) => {
        match $ty {
            $(ptx::Type::$variant => {
                type $t = $rust;
                Some($body)
            })+
            _ => None,
        }
    };
}
pub(crate) use for_type;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_come_lowest_first() {
        assert_eq!(lanes_of(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes_of(0).count(), 0);
        assert_eq!(lanes_of(u32::MAX).count(), 32);
    }

    #[test]
    fn narrow_values_leave_no_bits_above() {
        let f = lift!(|a: i16, b: i16| a.wrapping_sub(b));
        assert_eq!(f(&[0; LANES], &[1; LANES]), [0xffff; LANES]);
    }
}
