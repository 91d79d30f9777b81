//! The products and the attention that kernels shall compute, by plain loops in `f64`.

mod attention;
mod scaled;

pub use attention::Attention;
pub use scaled::{bits_of_e4m3, e4m3, scaled};

/// A matrix within a slice.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// The elements.
    pub elements: &'a [f64],
    /// Elements from a row to the next, and from a column to the next.
    pub strides: [usize; 2],
}

impl Matrix<'_> {
    /// The matrix with rows for columns.
    #[must_use]
    pub const fn transposed(self) -> Self {
        let [row, column] = self.strides;
        Self {
            strides: [column, row],
            ..self
        }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.elements[row * self.strides[0] + column * self.strides[1]]
    }
}

/// The product of matrices of M by K and of K by N elements, row by row without gaps.
pub fn product([m, n, k]: [usize; 3], a: Matrix<'_>, b: Matrix<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; m * n];
    for at in 0..k {
        let of_b: Vec<f64> = (0..n).map(|column| b.at(at, column)).collect();
        for (row, sums) in sums.chunks_exact_mut(n.max(1)).enumerate() {
            let of_a = a.at(row, at);
            for (sum, of_b) in sums.iter_mut().zip(&of_b) {
                *sum += of_a * of_b;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_one_of_rows_and_columns() {
        let a = Matrix {
            elements: &[1.0, 2.0, 3.0, -1.0, 4.0, 5.0, 6.0],
            strides: [4, 1],
        };
        let b = Matrix {
            elements: &[1.0, 0.0, 2.0, 0.0, 1.0, -1.0],
            strides: [1, 3],
        };
        assert_eq!(product([2, 2, 3], a, b), [7.0, -1.0, 16.0, -1.0]);
        assert_eq!(product([1, 2, 2], b.transposed(), a), [1.0, 2.0]);
        assert_eq!(product([2, 1, 0], a, b), [0.0, 0.0]);
    }
}
