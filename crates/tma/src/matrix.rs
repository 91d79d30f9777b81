//! Matrices in shared memory, as tensor cores read them.

pub(crate) mod accumulator;
pub(crate) mod fragment;
pub(crate) mod rows;
pub(crate) mod split_sums;
mod store_sums;
pub(crate) mod warp_sums;

use core::marker::PhantomData;

use tensor_map::MatrixDescriptor;

use crate::{
    number::{
        Element,
        float8::E4m3,
        halves::{Bf16, F16},
    },
    ptx::{
        self, Modifier,
        operand::SharedPtr,
        wgmma::{Registers, Sums},
    },
    tile::{Mode, Tile, TileArray},
};

/// An element of a matrix that `wgmma` multiplies.
pub trait MatrixElement: Element {
    /// The type in the instruction.
    #[doc(hidden)]
    type Ptx: Modifier;
}

macro_rules! elements {
    ($($type:ty = $ptx:ident)*) => {$(
        impl MatrixElement for $type {
            type Ptx = ptx::$ptx;
        }
    )*};
}

elements! { F16 = F16 Bf16 = Bf16 f32 = Tf32 E4m3 = E4m3 i8 = S8 u8 = U8 }

#[cfg(feature = "half")]
elements! { half::f16 = F16 half::bf16 = Bf16 }

/// The layout of the elements of a [`Matrix`]: [`Boxes`], a [`Part`] of them, or [`Deep`] ones.
pub trait Layout: crate::sealed::Sealed {
    /// The type of a matrix element.
    type Element: MatrixElement;
    /// The type of the tiles in shared memory.
    type Tiles;
    /// The number of rows of A, or columns of B.
    const MN: usize;
    /// The number of elements along the dimension over which products are added up.
    const K: usize;
    /// True if elements along K are contiguous.
    const K_MAJOR: bool;
    /// The descriptor of a matrix at address 0.
    #[doc(hidden)]
    const DESCRIPTOR: MatrixDescriptor;
    /// The number of bytes along K from the start of one instruction's operand to the next.
    #[doc(hidden)]
    const STEP_BYTES: u32;
    /// Rows or columns of a unit, and the bytes from one unit to the next.
    #[doc(hidden)]
    const UNIT: (usize, u32);
    /// The number of instructions along K of a tile, and the bytes from there to the first of the next tile along K.
    #[doc(hidden)]
    const ALONG_K: (u64, u32) = (u64::MAX, 0);
}

/// Returns the distance, in units of a descriptor, from the first operand along K to the one with this number.
#[inline(always)]
const fn step_offset<L: Layout>(step: u64) -> u64 {
    let (steps, bytes) = L::ALONG_K;
    (step / steps * bytes as u64 + step % steps * L::STEP_BYTES as u64) >> 4
}

/// Returns the number of elements along K of one instruction.
const fn step_elems<T>() -> usize {
    32 / size_of::<T>()
}

/// Returns the number of bytes of a line of the swizzle, which a row of a tile fills.
const fn span_bytes<T, M: Mode>(row: usize) -> u32 {
    let Some(span) = M::SWIZZLE.span_bytes() else {
        panic!("tensor cores read tiles that are swizzled")
    };
    assert!(
        row * size_of::<T>() == span as usize,
        "a row of the tile is as long as the swizzle's span"
    );
    span as u32
}

/// The layout of a matrix in `TILES` tiles, one after the other.
///
/// Where it is `K_MAJOR`, elements along K are contiguous: a row of a tile is a row of A, or a column of B. Otherwise
/// rows of A, or columns of B, are contiguous: a row of a tile is at one position of K.
pub struct Boxes<S, M, const TILES: usize, const K_MAJOR: bool>(PhantomData<(S, M)>);

/// The layout of `MN` of the rows of A, or of the columns of B, of a matrix.
pub struct Part<L, const MN: usize>(PhantomData<L>);

/// The layout of a matrix in `TILES` tiles that follow each other along K, where elements along K are contiguous: a row of
/// A, or a column of B, is a row of each tile.
pub struct Deep<S, M, const TILES: usize>(PhantomData<(S, M)>);

/// A box of one matrix: of two dimensions, or of three, in a tensor of several matrices.
pub trait MatrixBox: TileArray {
    /// The number of elements of a row.
    const WIDTH: usize;
    /// The number of rows of the matrix in shared memory.
    const HEIGHT: usize;
}

impl<T: Element, const WIDTH: usize, const HEIGHT: usize> MatrixBox for [[T; WIDTH]; HEIGHT] {
    const WIDTH: usize = WIDTH;
    const HEIGHT: usize = HEIGHT;
}

impl<T: Element, const WIDTH: usize, const HEIGHT: usize> MatrixBox for [[[T; WIDTH]; HEIGHT]; 1] {
    const WIDTH: usize = WIDTH;
    const HEIGHT: usize = HEIGHT;
}

impl<S, M, const TILES: usize, const K_MAJOR: bool> crate::sealed::Sealed
    for Boxes<S, M, TILES, K_MAJOR>
{
}
impl<S, M, const TILES: usize, const K_MAJOR: bool> Layout for Boxes<S, M, TILES, K_MAJOR>
where
    S: MatrixBox<Element: MatrixElement>,
    M: Mode,
{
    type Element = S::Element;
    type Tiles = [Tile<S, M>; TILES];
    const MN: usize = TILES * if K_MAJOR { S::HEIGHT } else { S::WIDTH };
    const K: usize = if K_MAJOR { S::WIDTH } else { S::HEIGHT };
    const K_MAJOR: bool = K_MAJOR;
    const DESCRIPTOR: MatrixDescriptor = {
        assert!(
            K_MAJOR || size_of::<S::Element>() == 2,
            "elements along K must be contiguous, unless they have 16 bits"
        );
        assert!(
            S::HEIGHT.is_multiple_of(8),
            "a tile has a multiple of 8 rows"
        );
        let span_bytes = span_bytes::<S::Element, M>(S::WIDTH);
        MatrixDescriptor {
            start_bytes: 0,
            // The hardware does not read it where K is contiguous.
            leading_bytes: S::HEIGHT as u32 * span_bytes,
            stride_bytes: 8 * span_bytes,
            base_offset: 0,
            swizzle: M::SWIZZLE,
        }
    };
    const STEP_BYTES: u32 = if K_MAJOR {
        32
    } else {
        step_elems::<S::Element>() as u32 / 8 * Self::DESCRIPTOR.stride_bytes
    };
    const UNIT: (usize, u32) = if K_MAJOR {
        (8, Self::DESCRIPTOR.stride_bytes)
    } else {
        (S::WIDTH, Self::DESCRIPTOR.leading_bytes)
    };
}

impl<S, M, const TILES: usize> crate::sealed::Sealed for Deep<S, M, TILES> {}
impl<S, M, const TILES: usize> Layout for Deep<S, M, TILES>
where
    S: MatrixBox<Element: MatrixElement>,
    M: Mode,
{
    type Element = S::Element;
    type Tiles = [Tile<S, M>; TILES];
    const MN: usize = S::HEIGHT;
    const K: usize = TILES * S::WIDTH;
    const K_MAJOR: bool = true;
    const DESCRIPTOR: MatrixDescriptor = Boxes::<S, M, 1, true>::DESCRIPTOR;
    const STEP_BYTES: u32 = Boxes::<S, M, 1, true>::STEP_BYTES;
    const UNIT: (usize, u32) = Boxes::<S, M, 1, true>::UNIT;
    const ALONG_K: (u64, u32) = (
        (S::WIDTH / step_elems::<S::Element>()) as u64,
        Self::DESCRIPTOR.leading_bytes,
    );
}

impl<L, const MN: usize> crate::sealed::Sealed for Part<L, MN> {}
impl<L: Layout, const MN: usize> Layout for Part<L, MN> {
    type Element = L::Element;
    type Tiles = L::Tiles;
    const MN: usize = {
        let whole = L::MN.is_multiple_of(MN) && MN.is_multiple_of(L::UNIT.0);
        assert!(
            whole,
            "the parts of a matrix are equal, of whole tiles or of 8 of their rows"
        );
        MN
    };
    const K: usize = L::K;
    const K_MAJOR: bool = L::K_MAJOR;
    const DESCRIPTOR: MatrixDescriptor = L::DESCRIPTOR;
    const STEP_BYTES: u32 = L::STEP_BYTES;
    const UNIT: (usize, u32) = L::UNIT;
    const ALONG_K: (u64, u32) = L::ALONG_K;
}

/// A matrix in shared memory: A or B of a product, for as long as `'stage`.
///
/// A matrix is made from the tile that a tensor copy fills, so that its descriptor for the tensor cores has the
/// swizzle and the extents of the tensor map.
///
/// Source: PTX ISA 9.7.15.5.1, "wgmma: Register Fragments and Shared Memory Matrix Layouts".
#[doc(alias = "GmmaDescriptor")]
pub struct Matrix<'stage, L> {
    descriptor: u64,
    tiles: PhantomData<&'stage L>,
}

impl<L> Clone for Matrix<'_, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Matrix<'_, L> {}

impl<'stage, L: Layout> Matrix<'stage, L> {
    /// Returns the matrix in these tiles.
    ///
    /// # Safety
    /// 1. The tiles are in this block's shared memory for `'stage`, and no thread writes them.
    /// 2. Earlier writes to them happen before; a `fence.proxy.async` is between where that was not a copy
    ///    of the async proxy.
    #[inline(always)]
    pub unsafe fn from_ptr(tiles: SharedPtr<L::Tiles>) -> Self {
        // Above these bits is the block's rank in its cluster, for which the field has no room (PTX ISA 9.7.15.5.1.2.2,
        // "matrix-descriptor-encode").
        let start = u64::from((tiles.address() & 0x3_ffff) >> 4);
        Self {
            descriptor: const { L::DESCRIPTOR.encode() } | start,
            tiles: PhantomData,
        }
    }

    /// Returns the same matrix, known from this point on: in a loop the compiler computes the operands of its
    /// instructions again, which saves the registers that they would be kept in.
    #[inline(always)]
    pub fn pinned(self) -> Self {
        let [low, ..] = [f32::from_bits(self.descriptor as u32), 0.0, 0.0, 0.0].pinned();
        let high = self.descriptor >> 32 << 32;
        Self {
            descriptor: high | u64::from(low.to_bits()),
            tiles: PhantomData,
        }
    }

    /// Returns one of the equal parts of `MN` rows or columns; `index` wraps around.
    #[inline(always)]
    pub fn part<const MN: usize>(self, index: u32) -> Matrix<'stage, Part<L, MN>> {
        let (unit, bytes) = const { L::UNIT };
        let index = index % const { L::MN / Part::<L, MN>::MN } as u32;
        Matrix {
            descriptor: self.descriptor + u64::from(index * (MN / unit) as u32 * (bytes >> 4)),
            tiles: PhantomData,
        }
    }
}

/// Refuses a B that does not fit the sums, and an A with another number of elements along K.
pub(crate) const fn assert_extents<D: Registers, B: Layout>(k: usize) {
    assert!(
        B::MN == D::COLUMNS,
        "B has a column for each column of the sums"
    );
    assert!(k == B::K, "A and B have the same extent along K");
}

/// Adds to `sums` the product of two matrices, by an instruction for each 32 bytes along K; or, where it does not
/// `ADD`, writes only that product.
///
/// # Safety
/// 1. (1) of [`mma_async`](crate::ptx::wgmma::mma_async) holds, and so do (4) and (5) for `sums`.
/// 2. No thread writes the matrices before a `wait_group` that covers this.
#[inline(always)]
pub(crate) unsafe fn multiply<const ADD: bool, D, A: Layout, B: Layout>(
    mut sums: D,
    a: Matrix<'_, A>,
    b: Matrix<'_, B>,
) -> D
where
    D: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
{
    const {
        assert!(A::MN == 64, "a warpgroup multiplies 64 rows of A");
        assert_extents::<D, B>(A::K);
        assert!(
            A::K.is_multiple_of(step_elems::<A::Element>())
                && size_of::<A::Element>() == size_of::<B::Element>(),
            "an instruction takes 32 bytes along K"
        );
    }
    let mut step = 0;
    while step < const { (A::K / step_elems::<A::Element>()) as u64 } {
        let a = a.descriptor + step_offset::<A>(step);
        let b = b.descriptor + step_offset::<B>(step);
        let scale_d = ADD || step > 0;
        // If K is not contiguous, the instruction transposes.
        #[expect(
            clippy::multiple_unsafe_ops_per_block,
            reason = "the match executes one of them"
        )]
        // SAFETY: the matrices are in memory and stay (2), their writes went before (2 of `from_ptr`); the rest is (1).
        let with_step = unsafe {
            match (A::K_MAJOR, B::K_MAJOR) {
                (true, true) => sums.multiply::<1, 1, 0, 0>(a, b, scale_d),
                (true, false) => sums.multiply::<1, 1, 0, 1>(a, b, scale_d),
                (false, true) => sums.multiply::<1, 1, 1, 0>(a, b, scale_d),
                (false, false) => sums.multiply::<1, 1, 1, 1>(a, b, scale_d),
            }
        };
        sums = with_step;
        step += 1;
    }
    sums
}

/// Adds to `sums` the product of registers of A and the rows of B with this number, of those that one instruction takes.
///
/// # Safety
/// 1. (1) of [`mma_async`](crate::ptx::wgmma::mma_async) holds, and so do (4) and (5) for `sums` and `a`.
/// 2. No thread writes the matrix before a `wait_group` that covers this.
#[inline(always)]
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the match executes one of them"
)]
pub(crate) unsafe fn multiply_step<D: Sums<T, T>, T, B: Layout>(
    sums: D,
    a: [u32; 4],
    b: Matrix<'_, B>,
    step: u64,
) -> D {
    let b = b.descriptor + step_offset::<B>(step);
    // SAFETY: the matrix is in memory and stays (2), its writes went before (2 of `from_ptr`); the rest is (1).
    unsafe {
        if B::K_MAJOR {
            sums.multiply::<1, 1, 0, 0>(a, b, true)
        } else {
            sums.multiply::<1, 1, 0, 1>(a, b, true)
        }
    }
}
