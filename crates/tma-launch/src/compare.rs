//! Compares expected with actual elements, and reports the first difference.
//!
//! ```
//! use tma_launch::compare;
//!
//! let expected = [1_u32, 2, 3, 4, 5, 6];
//! let got = [1_u32, 2, 3, 4, 9, 9];
//! let mismatch = compare::exact(&expected, &got).unwrap_err();
//! assert_eq!(
//!     mismatch.at(&[3, 2]).to_string(),
//!     "element 4 at [1, 1]: expected 5, got 9; 2 of 6 elements differ"
//! );
//! ```

use std::fmt::{self, Debug, Display, Formatter};

use bytemuck::NoUninit;

/// The difference between two slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The number of elements differs.
    Length {
        /// Expected number of elements.
        expected: usize,
        /// The number of elements of the actual result.
        got: usize,
    },
    /// Some elements are not within the tolerance.
    Elements {
        /// The index of the first different element.
        index: usize,
        /// The coordinates of the element, innermost first, if dimensions were given.
        coordinates: Option<Vec<usize>>,
        /// The expected value of the first different element.
        expected: String,
        /// The actual value of the first different element.
        got: String,
        /// Number of different elements.
        count: usize,
        /// The number of elements compared.
        total: usize,
    },
}

impl Mismatch {
    /// Adds the coordinates in an array of these dimensions, innermost first. The last coordinate continues past
    /// the end of the array.
    #[must_use]
    pub fn at(mut self, dims: &[usize]) -> Self {
        if let Self::Elements {
            index, coordinates, ..
        } = &mut self
        {
            let mut rest = *index;
            let last = dims.len().saturating_sub(1);
            let along = dims.iter().enumerate().map(|(axis, dim)| {
                let dim = if axis == last {
                    usize::MAX
                } else {
                    (*dim).max(1)
                };
                let coordinate = rest % dim;
                rest /= dim;
                coordinate
            });
            *coordinates = Some(along.collect());
        }
        self
    }
}

impl Display for Mismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, got } => write!(f, "expected {expected} elements, got {got}"),
            Self::Elements {
                index,
                coordinates,
                expected,
                got,
                count,
                total,
            } => {
                write!(f, "element {index}")?;
                if let Some(coordinates) = coordinates {
                    write!(f, " at {coordinates:?}")?;
                }
                write!(f, ": expected {expected}, got {got}; ")?;
                write!(f, "{count} of {total} elements differ")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

/// Compares elements bit by bit: `-0.0` differs from `0.0`, and a NaN equals itself.
pub fn exact<T: NoUninit + Debug>(expected: &[T], got: &[T]) -> Result<(), Mismatch> {
    by(
        expected,
        got,
        |a, b| bytemuck::bytes_of(a) == bytemuck::bytes_of(b),
        show_bits,
    )
}

/// Compares elements within a tolerance. A NaN is close to every NaN.
pub fn close<T: Float>(expected: &[T], got: &[T], tolerance: Tolerance) -> Result<(), Mismatch> {
    let distance = |a: T, b: T| format!("{b:?} ({} ULPs away)", T::ulps(a, b));
    by(
        expected,
        got,
        |a, b| tolerance.allows(*a, *b),
        |a, b| (format!("{a:?}"), distance(*a, *b)),
    )
}

/// The allowed difference of floating-point numbers: it suffices to meet one of the two limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Number of steps between adjacent numbers of the type (units in the last place).
    pub ulps: u64,
    /// The largest absolute difference that is accepted.
    pub absolute: f64,
}

impl Tolerance {
    /// Allows `ulps` steps and no absolute difference.
    pub const fn ulps(ulps: u64) -> Self {
        Self {
            ulps,
            absolute: 0.0,
        }
    }

    /// Allows this absolute difference and no steps.
    pub const fn absolute(absolute: f64) -> Self {
        Self { ulps: 0, absolute }
    }

    /// Returns whether `b` is close enough to the expected `a`.
    pub fn allows<T: Float>(self, a: T, b: T) -> bool {
        let (wide_a, wide_b) = (a.into(), b.into());
        if wide_a.is_nan() || wide_b.is_nan() {
            return wide_a.is_nan() && wide_b.is_nan();
        }
        (wide_a - wide_b).abs() <= self.absolute || T::ulps(a, b) <= self.ulps
    }
}

/// Floating-point types with countable numbers: `f32` and `f64`.
pub trait Float: Copy + Debug + Into<f64> {
    /// Returns the number of steps from one number to the other; 0 from `-0.0` to `0.0`.
    fn ulps(a: Self, b: Self) -> u64;
}

macro_rules! float {
    ($float:ident, $signed:ident) => {
        impl Float for $float {
            fn ulps(a: Self, b: Self) -> u64 {
                let ordered = |value: Self| {
                    let bits = value.to_bits() as $signed;
                    i128::from(if bits < 0 { $signed::MIN - bits } else { bits })
                };
                u64::try_from((ordered(a) - ordered(b)).abs()).unwrap_or(u64::MAX)
            }
        }
    };
}

float!(f32, i32);
float!(f64, i64);

/// Formats the two elements, with their bytes if they would look the same.
fn show_bits<T: NoUninit + Debug>(a: &T, b: &T) -> (String, String) {
    let (expected, got) = (format!("{a:?}"), format!("{b:?}"));
    if expected != got {
        return (expected, got);
    }
    let bytes = |value| format!("{value:?} (bytes {:02x?})", bytemuck::bytes_of(value));
    (bytes(a), bytes(b))
}

/// Compares with `same`, and formats the first different pair with `show`.
fn by<T>(
    expected: &[T],
    got: &[T],
    same: impl Fn(&T, &T) -> bool,
    show: impl Fn(&T, &T) -> (String, String),
) -> Result<(), Mismatch> {
    if expected.len() != got.len() {
        return Err(Mismatch::Length {
            expected: expected.len(),
            got: got.len(),
        });
    }
    let pairs = expected.iter().zip(got).enumerate();
    let mut different = pairs.filter(|(_, (a, b))| !same(a, b));
    let Some((index, (a, b))) = different.next() else {
        return Ok(());
    };
    let (total, count) = (expected.len(), 1 + different.count());
    let (expected, got) = show(a, b);
    Err(Mismatch::Elements {
        index,
        coordinates: None,
        expected,
        got,
        count,
        total,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let error = exact(&[1_u8, 2, 3], &[1, 0, 0]).unwrap_err();
        let text = "element 1: expected 2, got 0; 2 of 3 elements differ";
        assert_eq!(error.to_string(), text);
        assert_eq!(exact(&[1_u8, 2], &[1, 2]), Ok(()));
        let error = exact(&[1_u8, 2], &[1]).unwrap_err();
        assert_eq!(error.to_string(), "expected 2 elements, got 1");
    }

    #[test]
    fn coordinates_are_innermost_first() {
        let mut got = vec![0_i32; 4 * 3 * 2];
        got[2 + 4 + 4 * 3] = 1;
        let error = exact(&[0; 24], &got).unwrap_err().at(&[4, 3, 2]);
        let text = "element 18 at [2, 1, 1]: expected 0, got 1; 1 of 24 elements differ";
        assert_eq!(error.to_string(), text);
        let error = exact(&[0; 24], &got).unwrap_err().at(&[]);
        assert!(error.to_string().starts_with("element 18 at []"), "{error}");
    }

    #[test]
    fn bits_count() {
        assert_eq!(exact(&[f32::NAN], &[f32::NAN]), Ok(()));
        assert!(exact(&[0.0_f32], &[-0.0]).is_err());
        let other = f32::from_bits(f32::NAN.to_bits() | 1);
        let error = exact(&[f32::NAN], &[other]).unwrap_err();
        let text = "element 0: expected NaN (bytes [00, 00, c0, 7f]), \
                    got NaN (bytes [01, 00, c0, 7f]); 1 of 1 elements differ";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn steps_are_counted_across_zero() {
        let tiny = f32::from_bits(1);
        assert_eq!(f32::ulps(-tiny, tiny), 2);
        assert_eq!(f32::ulps(-0.0, 0.0), 0);
        assert_eq!(f64::ulps(1.0, 1.0 + f64::EPSILON), 1);
        assert_eq!(f64::ulps(f64::MAX, f64::INFINITY), 1);
    }

    #[test]
    fn one_tolerance_is_enough() {
        let next = f32::from_bits(1.0_f32.to_bits() + 2);
        assert_eq!(close(&[1.0_f32], &[next], Tolerance::ulps(2)), Ok(()));
        assert_eq!(
            close(&[1.0_f32], &[1.25], Tolerance::absolute(0.25)),
            Ok(())
        );
        assert_eq!(
            close(&[f32::NAN], &[f32::NAN], Tolerance::default()),
            Ok(())
        );
        assert!(close(&[f32::NAN], &[1.0], Tolerance::absolute(f64::INFINITY)).is_err());
        let error = close(&[1.0_f32], &[next], Tolerance::ulps(1)).unwrap_err();
        let text = "element 0: expected 1.0, got 1.0000002 (2 ULPs away); 1 of 1 elements differ";
        assert_eq!(error.to_string(), text);
    }
}
