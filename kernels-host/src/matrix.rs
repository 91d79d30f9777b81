use bytemuck::Pod;
use tma_host::{Buffer, Slice};

/// A matrix that is read, or several: rows of elements in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'buffer, T> {
    pub(crate) elements: Slice<'buffer, T>,
    pub(crate) layout: Layout,
}

/// A matrix that is written, or several: rows of elements in a buffer.
#[derive(Debug)]
pub struct MatrixMut<'buffer, T> {
    pub(crate) elements: Slice<'buffer, T>,
    pub(crate) layout: Layout,
}

/// Where the elements of a matrix are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// From row to row.
    pub(crate) stride: usize,
    /// The offset of the first element.
    pub(crate) offset: usize,
    /// Matrices.
    pub(crate) batches: usize,
    /// From matrix to matrix; 0 where there is one.
    pub(crate) batch_stride: usize,
}

impl Layout {
    const fn new([rows, columns]: [usize; 2]) -> Self {
        Self {
            rows,
            columns,
            stride: columns,
            offset: 0,
            batches: 1,
            batch_stride: 0,
        }
    }
}

impl<'buffer, T: Pod> Matrix<'buffer, T> {
    /// Takes these rows and columns at the start of a buffer, the rows one after the other.
    pub fn new(buffer: &'buffer Buffer<T>, [rows, columns]: [usize; 2]) -> Self {
        Self {
            elements: buffer.at(0),
            layout: Layout::new([rows, columns]),
        }
    }
}

impl<'buffer, T: Pod> MatrixMut<'buffer, T> {
    /// Takes these rows and columns at the start of a buffer, the rows one after the other.
    pub fn new(buffer: &'buffer mut Buffer<T>, [rows, columns]: [usize; 2]) -> Self {
        let buffer: &'buffer Buffer<T> = buffer;
        Self {
            elements: buffer.at(0),
            layout: Layout::new([rows, columns]),
        }
    }
}

macro_rules! layouts {
    ($($name:ident)*) => {$(
        impl<T> $name<'_, T> {
            /// Sets the distance of rows in elements: a multiple of 16 bytes, at least the number of columns.
            #[must_use]
            #[doc(alias("lda", "ldb", "ldc", "leading dimension"))]
            pub const fn stride(mut self, elems: usize) -> Self {
                self.layout.stride = elems;
                self
            }

            /// Makes `count` matrices of one, `stride_elems` elements apart: a multiple of 16 bytes.
            #[must_use]
            pub const fn batches(mut self, count: usize, stride_elems: usize) -> Self {
                self.layout.batches = count;
                self.layout.batch_stride = if count == 1 { 0 } else { stride_elems };
                self
            }

            /// Sets the distance of the first element from the start of the buffer in elements: a multiple of 16 bytes.
            #[must_use]
            pub const fn offset(mut self, elems: usize) -> Self {
                self.layout.offset = elems;
                self
            }
        }
    )*};
}

layouts! { Matrix MatrixMut }
