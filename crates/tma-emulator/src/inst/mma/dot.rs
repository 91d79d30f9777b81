//! The fused dot product: the products of one group and the accumulator are cut to a common exponent,
//! added exactly and rounded once.

use super::format::{Class, Format, Number, shifted};

/// The elements of a row or column together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineValues {
    /// All are zeros, as past the end of a matrix.
    Zeros,
    Finite,
    /// There is an infinity or a NaN.
    Special,
}

/// A finite factor.
#[derive(Clone, Copy, Debug)]
struct Factor {
    significand: i32,
    exponent: i32,
}

/// Factors of one operand, grouped by row of A or column of B.
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    factors: Vec<Factor>,
    /// The data needed before the products of each row.
    rows: Vec<LineValues>,
    classes: Vec<(Class, bool)>,
    depth: usize,
}

impl Factors {
    /// Decodes rows of `depth` elements each, with the sign flipped if `negated`.
    pub(super) fn new(format: Format, elements: &[u64], depth: usize, negated: bool) -> Self {
        let numbers: Vec<_> = elements.iter().map(|bits| format.decode(*bits)).collect();
        let sign = if negated { -1 } else { 1 };
        let row = |numbers: &[Number]| match numbers {
            row if row.iter().any(|number| number.class != Class::Finite) => LineValues::Special,
            row if row.iter().all(|number| number.significand == 0) => LineValues::Zeros,
            _ => LineValues::Finite,
        };
        let rows: Vec<_> = numbers.chunks_exact(depth).map(row).collect();
        let is_plain = !rows.contains(&LineValues::Special);
        let classes = numbers
            .iter()
            .map(|number| (number.class, number.negative != negated));
        let factors = numbers.iter().map(|number| Factor {
            significand: sign * number.significand,
            exponent: number.exponent,
        });
        Self {
            factors: factors.collect(),
            rows,
            classes: if is_plain {
                Vec::new()
            } else {
                classes.collect()
            },
            depth,
        }
    }

    /// Returns, for each column, the elements that a row's kept elements multiply.
    pub(super) fn picked(&self, kept: &[u8]) -> Self {
        let indices = |of: usize| kept.iter().map(move |k| of * self.depth + usize::from(*k));
        let columns = 0..self.rows.len();
        let all = || columns.clone().flat_map(indices);
        let is_plain = self.classes.is_empty();
        Self {
            factors: all().map(|at| self.factors[at]).collect(),
            rows: self.rows.clone(),
            classes: match is_plain {
                true => Vec::new(),
                false => all().map(|at| self.classes[at]).collect(),
            },
            depth: kept.len(),
        }
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    fn class(&self, at: usize) -> (Class, bool) {
        let finite = (Class::Finite, self.factors[at].significand < 0);
        self.classes.get(at).copied().unwrap_or(finite)
    }
}

/// The way in which a group of products is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Bits of fraction of a product.
    product_bits: i32,
    accumulator: Format,
    /// Bits that stay below the largest exponent.
    aligned_bits: i32,
    /// Bits of fraction of a result in single precision.
    kept_bits: i32,
}

impl Unit {
    /// Returns the unit for these factors; the unit for 8-bit formats keeps fewer bits.
    pub(super) fn new(a: Format, b: Format, accumulator: Format) -> Self {
        let is_small = matches!(a, Format::E4m3 | Format::E5m2);
        Self {
            product_bits: a.fraction_bits() + b.fraction_bits(),
            accumulator,
            aligned_bits: if is_small { 13 } else { 25 },
            kept_bits: if is_small { 13 } else { 23 },
        }
    }

    /// Returns the least exponent if the accumulator is zero.
    const fn least_exponent(self) -> i32 {
        match self.accumulator {
            Format::F16 => -21,
            _ => -133,
        }
    }

    /// Computes row `i` of A times column `j` of B, plus the accumulator.
    pub(super) fn dot(self, (a, i): (&Factors, usize), (b, j): (&Factors, usize), c: u64) -> u64 {
        let addend = self.accumulator.decode(c);
        let kinds = [a.rows[i], b.rows[j]];
        if kinds.contains(&LineValues::Special) || addend.class != Class::Finite {
            let special = self.special((a, i), (b, j), (addend.class, addend.negative));
            if let Some(bits) = special {
                return bits;
            }
        }
        let (rows, columns) = match kinds.contains(&LineValues::Zeros) {
            true => (0..0, 0..0),
            false => (
                i * a.depth..(i + 1) * a.depth,
                j * b.depth..(j + 1) * b.depth,
            ),
        };
        let pairs = a.factors[rows].iter().zip(&b.factors[columns]);
        let least = match addend.significand {
            0 => self.least_exponent(),
            _ => addend.exponent,
        };
        let exponents = pairs.clone().map(|(a, b)| a.exponent + b.exponent);
        let top = exponents.fold(least, i32::max);
        let up = self.aligned_bits - self.product_bits;
        let mut sum = 0_i64;
        for (a, b) in pairs {
            let product = a.significand * b.significand;
            // A product has at most 27 bits here.
            let cut = ((product.unsigned_abs() << up) >> (top - (a.exponent + b.exponent)).min(31))
                as i32;
            sum += i64::from(if product < 0 { -cut } else { cut });
        }
        let by = addend.exponent - top + self.aligned_bits - self.accumulator.fraction_bits();
        let cut = shifted(addend.significand.unsigned_abs().into(), by) as i64;
        sum += if addend.significand < 0 { -cut } else { cut };
        self.accumulator
            .encode(sum, top - self.aligned_bits, self.kept_bits)
    }

    /// Returns the result if an infinity or a NaN is among the operands.
    #[cold]
    fn special(
        self,
        (a, i): (&Factors, usize),
        (b, j): (&Factors, usize),
        (class, negative): (Class, bool),
    ) -> Option<u64> {
        let mut infinities = [false; 2];
        let mut is_nan = class == Class::Nan;
        if class == Class::Infinite {
            infinities[usize::from(negative)] = true;
        }
        for k in 0..a.depth {
            let (at, bt) = (i * a.depth + k, j * b.depth + k);
            let ((ca, na), (cb, nb)) = (a.class(at), b.class(bt));
            is_nan |= ca == Class::Nan || cb == Class::Nan;
            is_nan |= ca == Class::Infinite && b.factors[bt].significand == 0;
            is_nan |= cb == Class::Infinite && a.factors[at].significand == 0;
            if ca == Class::Infinite || cb == Class::Infinite {
                infinities[usize::from(na != nb)] = true;
            }
        }
        match infinities {
            _ if is_nan => Some(self.accumulator.nan()),
            [true, true] => Some(self.accumulator.nan()),
            [true, false] => Some(self.accumulator.infinity(false)),
            [false, true] => Some(self.accumulator.infinity(true)),
            [false, false] => None,
        }
    }
}
