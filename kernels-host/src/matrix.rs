use bytemuck::Pod;
use tma_host::{Buffer, Slice};
use tma_launch::Conditions;

use crate::operand::Operand;

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

/// The memory of a matrix's elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The distance of rows, in elements.
    pub(crate) stride: usize,
    /// The offset of the first element.
    pub(crate) offset: usize,
    /// Matrices.
    pub(crate) batches: usize,
    /// The distance of matrices, in elements; 0 if there is one.
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

/// Returns an extent of a product, as kernels count it.
pub(crate) fn extent(conditions: &mut Conditions, name: &str, extent: usize) -> u32 {
    let most = i32::MAX as usize;
    conditions.within(name, extent, 0..=most, "coordinates have 31 bits");
    extent.min(most) as u32
}

/// Refuses an extent that differs from the one that another matrix needs.
pub(crate) fn equal(
    conditions: &mut Conditions,
    extent: &str,
    matrix: &str,
    value: usize,
    needed: usize,
    because: &str,
) {
    if value != needed {
        let limit = format!("must be {needed} ({because})");
        let fix = format!("use {needed}");
        conditions.refuse(&format!("{extent} of {matrix}"), value, limit, fix);
    }
}

/// The memory of a matrix, from its first element on.
pub(crate) fn elements<T>(
    conditions: &mut Conditions,
    name: &'static str,
    elements: Slice<'_, T>,
    Layout { offset, .. }: Layout,
) -> Operand {
    let parameter = format!("offset of {name}");
    let reason = "matrices start at multiples of 16 bytes";
    conditions.multiple(
        &parameter,
        offset as u64,
        16 / size_of::<T>() as u64,
        reason,
    );
    let len = elements.len_elems();
    conditions.within(&parameter, offset, 0..=len, "the length of its buffer");
    let offset = offset.min(len);
    Operand::new(name, elements.at(offset))
}
