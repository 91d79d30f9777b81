//! The product of two matrices and a sum, for each combination of types, as an H200 computes it.

use super::{
    dot::{Factors, Unit},
    double,
    format::{Class, Format, NAN_F32},
};
use crate::value::{Bits, Float, Rounding};
use half::f16;

/// The type of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Float(Format),
    Integer {
        bits: u32,
        signed: bool,
    },
    /// Single bits; 32 of them are one element.
    Bit,
    Double,
}

impl Element {
    /// Returns the bits of an element in registers and memory.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Float(Format::F16 | Format::Bf16) => 16,
            Self::Float(Format::Tf32 | Format::F32) | Self::Bit => 32,
            Self::Float(Format::E4m3 | Format::E5m2) => 8,
            Self::Integer { bits, .. } => bits,
            Self::Double => 64,
        }
    }

    fn integer(self, bits: u64) -> i64 {
        match self {
            Self::Integer {
                bits: width,
                signed: true,
            } => (bits << (64 - width)) as i64 >> (64 - width),
            _ => bits as i64,
        }
    }
}

/// The accumulator type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    F16,
    F32,
    S32,
    F64,
}

impl Sum {
    /// Returns the width of an element in its registers.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::F16 => 16,
            Self::F32 | Self::S32 => 32,
            Self::F64 => 64,
        }
    }

    const fn format(self) -> Format {
        match self {
            Self::F16 => Format::F16,
            _ => Format::F32,
        }
    }
}

/// The instruction's way of grouping products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProductGrouping {
    /// The whole of K at once.
    Whole,
    /// Two products in half precision, then C, as in `mma.sync` for formats of 8 bits.
    Widened,
    /// Four of K, then the other four, as in `wmma` for tf32.
    Fours,
    /// Fused multiply-adds in single precision, as in `mma.sync.m8n8k4`.
    Scalar,
}

/// A matrix product: its types, and how it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) a: Element,
    pub(crate) b: Element,
    pub(crate) c: Sum,
    pub(crate) d: Sum,
    pub(crate) way: ProductGrouping,
    /// `.satfinite` of integers.
    pub(crate) clamps: bool,
    /// `.xor` of bits; else `.and`.
    pub(crate) xor: bool,
    /// Rounding of double precision.
    pub(crate) rounding: Rounding,
}

impl Product {
    /// Computes `sums += a * b`, with `a` and `sums` by rows and `b` by columns. For a sparse A, `kept` has the
    /// index in K of each element.
    pub(crate) fn add(
        &self,
        a: &[u64],
        b: &[u64],
        depth: usize,
        sums: &mut [u64],
        kept: Option<&[u8]>,
    ) {
        self.add_negated([false; 2], (a, b), depth, sums, kept);
    }

    /// Computes the same with A or B negated. `depth` is K.
    pub(crate) fn add_negated(
        &self,
        [negates_a, negates_b]: [bool; 2],
        (a, b): (&[u64], &[u64]),
        depth: usize,
        sums: &mut [u64],
        kept: Option<&[u8]>,
    ) {
        match (self.a, self.b, self.way) {
            (Element::Float(x), Element::Float(y), ProductGrouping::Whole) => {
                let b = Factors::new(y, b, depth, negates_b);
                let a_depth = if kept.is_some() { depth / 2 } else { depth };
                let a = Factors::new(x, a, a_depth, negates_a);
                self.fused(Unit::new(x, y, self.unit()), &a, &b, sums, kept);
            }
            (Element::Float(x), Element::Float(y), ProductGrouping::Widened) => {
                self.widened((x, a), (y, b), depth, sums, kept);
            }
            (Element::Float(x), Element::Float(y), ProductGrouping::Fours) => {
                for start in (0..depth).step_by(4) {
                    let four = |elements: &[u64]| {
                        let rows = elements.chunks_exact(depth);
                        rows.flat_map(|row| row[start..start + 4].to_vec())
                            .collect::<Vec<_>>()
                    };
                    let (a, b) = (
                        Factors::new(x, &four(a), 4, false),
                        Factors::new(y, &four(b), 4, false),
                    );
                    self.fused(Unit::new(x, y, Format::F32), &a, &b, sums, None);
                }
            }
            (Element::Double, ..) => each(a, b, depth, kept, sums, |c, pairs| {
                pairs.fold(c, |c, (a, b)| double::fma(a, b, c, self.rounding))
            }),
            (_, _, ProductGrouping::Scalar) => each(a, b, depth, kept, sums, |c, pairs| {
                self.scalar(c, &pairs.collect::<Vec<_>>())
            }),
            (Element::Bit, ..) => each(a, b, depth, kept, sums, |c, pairs| {
                let count =
                    |(a, b): (u64, u64)| (if self.xor { a ^ b } else { a & b }).count_ones();
                u64::from(pairs.map(count).fold(c as u32, u32::wrapping_add))
            }),
            _ => each(a, b, depth, kept, sums, |c, pairs| {
                let products = pairs.map(|(a, b)| self.a.integer(a) * self.b.integer(b));
                let sum = i64::from(c as u32 as i32) + products.sum::<i64>();
                let sum = match self.clamps {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                    false => sum,
                };
                u64::from(sum as u32)
            }),
        }
    }

    /// Returns the format of the accumulation unit: single precision unless C and D are both half precision.
    const fn unit(&self) -> Format {
        match (self.c, self.d) {
            (Sum::F16, Sum::F16) => Format::F16,
            _ => Format::F32,
        }
    }

    /// Computes each sum by one fused dot product.
    fn fused(&self, unit: Unit, a: &Factors, b: &Factors, sums: &mut [u64], kept: Option<&[u8]>) {
        let columns = b.len();
        for (i, row) in sums.chunks_exact_mut(columns).enumerate() {
            let picked;
            let b = match kept {
                None => b,
                Some(kept) => {
                    let depth = kept.len() / a.len();
                    picked = b.picked(&kept[i * depth..(i + 1) * depth]);
                    &picked
                }
            };
            for (j, sum) in row.iter_mut().enumerate() {
                *sum = self.narrowed(unit.dot((a, i), (b, j), self.widened_sum(*sum)));
            }
        }
    }

    /// Widens C to the format of the unit.
    fn widened_sum(&self, c: u64) -> u64 {
        if self.unit() == self.c.format() {
            return c;
        }
        let number = Format::F16.decode(c);
        match number.class {
            Class::Nan => NAN_F32,
            Class::Infinite => Format::F32.infinity(number.negative),
            Class::Finite => u64::from(f16::of(c).to_f32().to_bits()),
        }
    }

    /// Narrows D to the stored format.
    fn narrowed(&self, d: u64) -> u64 {
        if self.unit() == self.d.format() {
            return d;
        }
        f16::narrow(f32::of(d).into()).bits()
    }

    /// Computes two products in half precision, then adds C. The first takes the K with the last two bits 0 or
    /// 1, the second the others.
    fn widened(
        &self,
        (x, a): (Format, &[u64]),
        (y, b): (Format, &[u64]),
        depth: usize,
        sums: &mut [u64],
        kept: Option<&[u8]>,
    ) {
        let format = self.d.format();
        let unit = Unit::new(Format::F16, Format::F16, format);
        let a_depth = if kept.is_some() { depth / 2 } else { depth };
        let mut products = vec![0; sums.len()];
        for late in [false, true] {
            let is_in = |at: usize| (at % 4 >= 2) == late;
            let half_of = |of: Format, elements: &[u64], depth: usize| {
                let all = elements.iter().enumerate();
                let taken = all.filter(|(at, _)| is_in(at % depth));
                taken.map(|(_, bits)| of.widen(*bits)).collect::<Vec<_>>()
            };
            let a = Factors::new(Format::F16, &half_of(x, a, a_depth), a_depth / 2, false);
            match kept {
                None => {
                    let b = Factors::new(Format::F16, &half_of(y, b, depth), depth / 2, false);
                    self.fused(unit, &a, &b, &mut products, None);
                }
                Some(kept) => {
                    let b: Vec<u64> = b.iter().map(|bits| y.widen(*bits)).collect();
                    let b = Factors::new(Format::F16, &b, depth, false);
                    let all = kept.iter().enumerate();
                    let taken = all.filter(|(at, _)| is_in(at % a_depth));
                    let kept: Vec<u8> = taken.map(|(_, k)| *k).collect();
                    self.fused(unit, &a, &b, &mut products, Some(&kept));
                }
            }
        }
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum = match format {
                Format::F16 => f16::of(*sum).add(f16::of(product)).canonical().bits(),
                _ => f32::of(*sum).add(f32::of(product)).bits(),
            };
        }
    }

    /// Computes `mma.sync.m8n8k4`: fused multiply-adds in single precision, in an order that depends on D.
    fn scalar(&self, c: u64, pairs: &[(u64, u64)]) -> u64 {
        let product = |at: usize, sum: f32| {
            let (a, b) = pairs[at];
            f16::of(a).to_f32().mul_add(f16::of(b).to_f32(), sum)
        };
        let first = f16::of(pairs[0].0).to_f32() * f16::of(pairs[0].1).to_f32();
        let c = match self.c {
            Sum::F16 => f16::of(c).to_f32(),
            _ => f32::of(c),
        };
        match self.d {
            Sum::F16 => {
                let third = f16::of(pairs[2].0).to_f32() * f16::of(pairs[2].1).to_f32();
                let sum = (c + product(1, first)) + product(3, third);
                f16::narrow(sum.into()).bits()
            }
            _ => {
                let chain = (0..4).fold(0.0, |sum, at| product(at, sum));
                (c + chain).canonical().bits()
            }
        }
    }
}

/// Computes each sum by itself: the function gets it and the pairs of factors.
fn each(
    a: &[u64],
    b: &[u64],
    depth: usize,
    kept: Option<&[u8]>,
    sums: &mut [u64],
    f: impl Fn(u64, &mut dyn Iterator<Item = (u64, u64)>) -> u64,
) {
    let a_depth = if kept.is_some() { depth / 2 } else { depth };
    let columns = b.len() / depth;
    for (i, row) in sums.chunks_exact_mut(columns).enumerate() {
        let mine = &a[i * a_depth..(i + 1) * a_depth];
        for (column, sum) in b.chunks_exact(depth).zip(row) {
            *sum = match kept {
                None => f(*sum, &mut mine.iter().copied().zip(column.iter().copied())),
                Some(kept) => {
                    let kept = &kept[i * a_depth..(i + 1) * a_depth];
                    let picked = kept.iter().map(|k| column[usize::from(*k)]);
                    f(*sum, &mut mine.iter().copied().zip(picked))
                }
            };
        }
    }
}
