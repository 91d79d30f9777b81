//! Fragments of `wmma`, which are the fragments of the `mma.sync` that an H200 executes in its place.

use crate::{
    inst::mma::{
        Element, Format, Sum,
        fragment::{self, Place},
    },
    value::Lanes,
};

/// Rows, columns and depth of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FragmentMatrix {
    A,
    B,
    /// C or D.
    C,
}

/// The elements of a matrix that the lanes hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    shape: Shape,
    matrix: FragmentMatrix,
    bits: u32,
    /// True for f16: some of the eight registers contain the same elements.
    repeats: bool,
}

impl Fragment {
    /// Returns the fragment of A or B.
    pub(super) fn factor(shape: Shape, matrix: FragmentMatrix, element: Element) -> Self {
        Self {
            shape,
            matrix,
            bits: element.bits(),
            repeats: element == Element::Float(Format::F16),
        }
    }

    /// Returns the fragment of C or D.
    pub(super) const fn sums(shape: Shape, sum: Sum) -> Self {
        Self {
            shape,
            matrix: FragmentMatrix::C,
            bits: sum.bits(),
            repeats: false,
        }
    }

    pub(super) const fn matrix(&self) -> FragmentMatrix {
        self.matrix
    }

    /// Returns the bits of an element.
    pub(super) const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the numbers of rows and columns.
    pub(super) const fn extent(&self) -> (usize, usize) {
        let Shape { m, n, k } = self.shape;
        match self.matrix {
            FragmentMatrix::A => (m, k),
            FragmentMatrix::B => (k, n),
            FragmentMatrix::C => (m, n),
        }
    }

    /// Rows of A and C or columns of B, and the length of one.
    const fn lines(&self) -> (usize, usize) {
        let Shape { m, n, k } = self.shape;
        match self.matrix {
            FragmentMatrix::A => (m, k),
            FragmentMatrix::B => (n, k),
            FragmentMatrix::C => (m, n),
        }
    }

    /// Returns the number of distinct elements in a lane.
    const fn elements(&self) -> usize {
        let (lines, length) = self.lines();
        lines * length / 32
    }

    /// Returns the number of registers per lane.
    pub(super) const fn registers(&self) -> usize {
        let per = match self.bits {
            64 | 32 => 1,
            bits => 32 / bits as usize,
        };
        match self.repeats {
            true => 8,
            false => self.elements() / per,
        }
    }

    /// Returns the line, and the place in it, of an element of a lane.
    pub(super) fn place(&self, lane: usize, index: usize) -> Place {
        let index = index % self.elements();
        let per = (32 / self.bits.min(32)) as usize;
        let Shape { m, n, k } = self.shape;
        // The product with 8 rows is computed on the transposed matrices.
        let is_transposed = m == 8 && n == 32;
        let is_tall = matches!(
            (self.matrix, is_transposed),
            (FragmentMatrix::A, false) | (FragmentMatrix::B, true)
        );
        let tall = if m == 8 && n == 8 { 8 } else { 16 };
        match self.matrix {
            FragmentMatrix::C => {
                let (block, e) = (index / (tall / 4), index % (tall / 4));
                let (line, column) = fragment::c(tall, lane, e);
                // Blocks follow each other along the side with several of them.
                match (is_transposed, m) {
                    (true, _) => (column, line + block * 16),
                    (false, 32) => (line + block * 16, column),
                    (false, _) => (line, column + block * 8),
                }
            }
            _ if is_tall => {
                let of_block = tall * k / 32;
                let (block, index) = (index / of_block, index % of_block);
                let (line, at) = fragment::a(tall, lane, index / per, index % per, per);
                (line + block * tall, at)
            }
            _ => {
                let of_block = 8 * k / 32;
                let (block, index) = (index / of_block, index % of_block);
                let (line, at) = fragment::b(lane, index / per, index % per, per);
                (line + block * 8, at)
            }
        }
    }

    /// Returns the matrix, line by line.
    pub(super) fn gather(&self, registers: &[&Lanes]) -> Vec<u64> {
        let (lines, length) = self.lines();
        let per = (32 / self.bits.min(32)) as usize;
        let mut matrix = vec![0; lines * length];
        let used = &registers[..self.elements() / per];
        let place = |lane, r, i| self.place(lane, r * per + i);
        fragment::gather(used, self.bits, length, &mut matrix, |_| true, place);
        matrix
    }

    /// Returns register `r` of the fragment.
    pub(super) fn spread(&self, matrix: &[u64], r: usize) -> Lanes {
        let per = (32 / self.bits.min(32)) as usize;
        let place = |lane, r, i| self.place(lane, r * per + i);
        fragment::spread(matrix, self.bits, self.lines().1, r, place)
    }
}
