use core::array;

use tma::{
    halves::{Bf16, Bf16x2},
    tile::Element,
};

use super::row::Vector;

/// A type of elements, computed with as `f32`.
pub trait Number: Element {
    /// The numbers of 16 bytes.
    type Floats: Floats;
    /// True if the sum of as many equal elements as a row has at most is exact, unless it overflows.
    const EXACT_MULTIPLES: bool;

    /// Returns the values of 16 bytes.
    fn floats(vector: Vector) -> Self::Floats;

    /// Returns the nearest elements, ties to even.
    fn vector(floats: Self::Floats) -> Vector;
}

impl Number for f32 {
    type Floats = [Self; 4];
    const EXACT_MULTIPLES: bool = false;

    #[inline(always)]
    fn floats(vector: Vector) -> [Self; 4] {
        vector.map(Self::from_bits)
    }

    #[inline(always)]
    fn vector(floats: [Self; 4]) -> Vector {
        floats.map(Self::to_bits)
    }
}

impl Number for Bf16 {
    type Floats = [f32; 8];
    /// `bf16` has 8 bits, and a row 2^16 elements.
    const EXACT_MULTIPLES: bool = true;

    #[inline(always)]
    fn floats(vector: Vector) -> [f32; 8] {
        let [a, b, c, d] = vector.map(|word| Bf16x2::from_bits(word).to_f32s());
        [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
    }

    #[inline(always)]
    fn vector([a, b, c, d, e, f, g, h]: [f32; 8]) -> Vector {
        [[a, b], [c, d], [e, f], [g, h]].map(|pair| Bf16x2::from_f32s(pair).to_bits())
    }
}

/// Some numbers.
pub trait Floats: Copy {
    /// Fills all elements with the same value.
    fn splat(value: f32) -> Self;

    /// Returns the first one.
    fn first(&self) -> f32;

    /// Each becomes `change` of it and of those at its place among `others`.
    #[must_use]
    fn map_with<const P: usize>(
        self,
        others: [Self; P],
        change: impl Fn(f32, [f32; P]) -> f32,
    ) -> Self;

    /// Reduces all numbers by `combine`.
    fn reduce(self, combine: impl Fn(f32, f32) -> f32) -> f32;
}

impl<const N: usize> Floats for [f32; N] {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        [value; N]
    }

    #[inline(always)]
    fn first(&self) -> f32 {
        self[0]
    }

    #[inline(always)]
    fn map_with<const P: usize>(
        self,
        others: [Self; P],
        change: impl Fn(f32, [f32; P]) -> f32,
    ) -> Self {
        array::from_fn(|index| change(self[index], others.map(|other| other[index])))
    }

    #[inline(always)]
    fn reduce(self, combine: impl Fn(f32, f32) -> f32) -> f32 {
        let [first, rest @ ..] = self.as_slice() else {
            return f32::NAN;
        };
        rest.iter()
            .fold(*first, |all, number| combine(all, *number))
    }
}
