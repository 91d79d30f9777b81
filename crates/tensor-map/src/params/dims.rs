use core::{fmt, ops::Deref};

/// The most dimensions a tensor can have.
pub const MAX_RANK: usize = 5;

/// A value for each dimension, innermost first.
///
/// Values beyond [`MAX_RANK`] are counted but not kept; the rules report their number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Dims<T> {
    values: [T; MAX_RANK],
    given: usize,
}

macro_rules! dims {
    ($($number:ty),*) => {$(
        impl Dims<$number> {
            /// Returns a list of the given values, at most five.
            pub const fn new(given: &[$number]) -> Self {
                let mut values = [0; MAX_RANK];
                let mut i = 0;
                while i < given.len() && i < MAX_RANK {
                    values[i] = given[i];
                    i += 1;
                }
                Self { values, given: given.len() }
            }

            /// Returns these values, given outermost first.
            pub const fn reversed(given: &[$number]) -> Self {
                let mut values = [0; MAX_RANK];
                let mut i = 0;
                while i < given.len() && i < MAX_RANK {
                    values[i] = given[given.len() - 1 - i];
                    i += 1;
                }
                Self { values, given: given.len() }
            }

            /// Returns the same value in each dimension.
            pub const fn filled(value: $number, given: usize) -> Self {
                let mut values = [0; MAX_RANK];
                let mut i = 0;
                while i < given && i < MAX_RANK {
                    values[i] = value;
                    i += 1;
                }
                Self { values, given }
            }

            /// Returns the value of a dimension; 0 if there is none.
            pub const fn at(&self, dim: usize) -> $number {
                if dim < MAX_RANK { self.values[dim] } else { 0 }
            }

            /// Sets the value of a dimension, if the dimension exists.
            pub(crate) const fn put(&mut self, dim: usize, value: $number) {
                if dim < MAX_RANK {
                    self.values[dim] = value;
                }
            }
        }
    )*};
}

dims!(u64, u32, i32);

impl<T> Dims<T> {
    /// Returns the number of values given, even if it exceeds five.
    pub const fn given(&self) -> usize {
        self.given
    }

    /// Returns the values that were kept: those given, at most [`MAX_RANK`].
    pub const fn as_slice(&self) -> &[T] {
        let kept = if self.given < MAX_RANK {
            self.given
        } else {
            MAX_RANK
        };
        self.values.split_at(kept).0
    }
}

impl<T> Deref for Dims<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: fmt::Debug> fmt::Debug for Dims<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_given_is_kept() {
        let dims = Dims::<u64>::new(&[1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((dims.given(), &*dims), (7, &[1, 2, 3, 4, 5][..]));
        assert_eq!(&*Dims::<u32>::new(&[]), &[]);
    }

    #[test]
    fn outermost_first_is_turned_round() {
        assert_eq!(&*Dims::<u64>::reversed(&[94, 162, 32]), &[32, 162, 94]);
    }
}
