//! Matrices in shared memory, as tensor cores read them.

use core::marker::PhantomData;

use tensor_map::MatrixDescriptor;

use crate::{
    SharedPtr, Tile,
    halves::{Bf16, F16},
    modifier::{self, Modifier},
    ptx::wgmma::{self, Sums},
    tile::{Element, Mode},
};

/// An element of a matrix whose products `wgmma` adds up.
pub trait MatrixElement: Element {
    /// Its type in the instruction.
    #[doc(hidden)]
    type Ptx: Modifier;
}

macro_rules! elements {
    ($($type:ty = $ptx:ident)*) => {$(
        impl MatrixElement for $type {
            type Ptx = modifier::$ptx;
        }
    )*};
}

elements! { F16 = F16 Bf16 = Bf16 f32 = Tf32 i8 = S8 u8 = U8 }

/// How the elements of a [`Matrix`] lie: [`KMajor`], [`MnMajor`], or a [`Part`] of one.
pub trait Layout: crate::sealed::Sealed {
    /// An element.
    type Element: MatrixElement;
    /// What lies in shared memory.
    type Tiles;
    /// Rows of A, or columns of B.
    const MN: usize;
    /// Elements along the dimension over which products are added up.
    const K: usize;
    /// The dimension that lies together.
    #[doc(hidden)]
    type Major: Major;
    /// Of a matrix at address 0.
    #[doc(hidden)]
    const DESCRIPTOR: MatrixDescriptor;
    /// Bytes from what one instruction takes of K to what the next one takes.
    #[doc(hidden)]
    const STEP_BYTES: u32;
    /// Rows or columns that lie a multiple of bytes from the next so many, and these bytes.
    #[doc(hidden)]
    const UNIT: (usize, u32);
}

/// Elements along K of one instruction.
const fn step_elems<T>() -> usize {
    32 / size_of::<T>()
}

/// Bytes of a line of the swizzle, which a row of a tile fills.
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

const fn descriptor<M: Mode>(leading_bytes: u32, span_bytes: u32) -> MatrixDescriptor {
    MatrixDescriptor {
        start_bytes: 0,
        leading_bytes,
        stride_bytes: 8 * span_bytes,
        base_offset: 0,
        swizzle: M::SWIZZLE,
    }
}

/// The layout of a matrix whose elements along K lie together: a row of the tile is a row of A, or a column of B.
pub struct KMajor<S, M>(PhantomData<(S, M)>);

/// The layout of a matrix whose rows of A, or columns of B, lie together: a row of a tile is at one position of K,
/// and `TILES` tiles, one behind the other, have all rows or columns.
pub struct MnMajor<S, M, const TILES: usize>(PhantomData<(S, M)>);

/// The layout of `MN` of the rows of A, or of the columns of B, of a matrix.
pub struct Part<L, const MN: usize>(PhantomData<L>);

impl<S, M> crate::sealed::Sealed for KMajor<S, M> {}
impl<T: MatrixElement, M: Mode, const K: usize, const MN: usize> Layout
    for KMajor<[[T; K]; MN], M>
{
    type Element = T;
    type Tiles = Tile<[[T; K]; MN], M>;
    const MN: usize = MN;
    const K: usize = K;
    type Major = AlongK;
    // Where K lies together, the leading offset is not read.
    const DESCRIPTOR: MatrixDescriptor = descriptor::<M>(16, span_bytes::<T, M>(K));
    const STEP_BYTES: u32 = 32;
    const UNIT: (usize, u32) = (8, Self::DESCRIPTOR.stride_bytes);
}

impl<S, M, const TILES: usize> crate::sealed::Sealed for MnMajor<S, M, TILES> {}
impl<T: MatrixElement, M: Mode, const WIDTH: usize, const K: usize, const TILES: usize> Layout
    for MnMajor<[[T; WIDTH]; K], M, TILES>
{
    type Element = T;
    type Tiles = [Tile<[[T; WIDTH]; K], M>; TILES];
    const MN: usize = WIDTH * TILES;
    const K: usize = K;
    type Major = AcrossK;
    const DESCRIPTOR: MatrixDescriptor = {
        assert!(
            size_of::<T>() == 2,
            "only of elements of 16 bits K need not lie together"
        );
        let span_bytes = span_bytes::<T, M>(WIDTH);
        descriptor::<M>(K as u32 * span_bytes, span_bytes)
    };
    const STEP_BYTES: u32 = step_elems::<T>() as u32 / 8 * Self::DESCRIPTOR.stride_bytes;
    const UNIT: (usize, u32) = (WIDTH, Self::DESCRIPTOR.leading_bytes);
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
    type Major = L::Major;
    const DESCRIPTOR: MatrixDescriptor = L::DESCRIPTOR;
    const STEP_BYTES: u32 = L::STEP_BYTES;
    const UNIT: (usize, u32) = L::UNIT;
}

/// A matrix in shared memory: A or B of a product, for as long as `'stage`.
///
/// It is made from the tile that a tensor copy fills, so that the descriptor which tensor cores read it by has the
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
    /// The matrix that lies there.
    ///
    /// # Safety
    /// 1. The tiles are in this block's shared memory for `'stage`, and nobody writes them.
    /// 2. What has been written to them happens before; a `fence.proxy.async` is between where that was not a copy
    ///    of the async proxy.
    #[inline(always)]
    pub unsafe fn from_ptr(tiles: SharedPtr<L::Tiles>) -> Self {
        // Shared memory ends below 2^18: the field has room for the address.
        let start = u64::from(tiles.address() >> 4);
        Self {
            descriptor: const { L::DESCRIPTOR.encode() } | start,
            tiles: PhantomData,
        }
    }

    /// Of equal parts of `MN` rows or columns that with this number, which is counted around.
    #[inline(always)]
    pub fn part<const MN: usize>(self, index: u32) -> Matrix<'stage, Part<L, MN>> {
        let (unit, bytes) = const { L::UNIT };
        let index = index % const { L::MN / Part::<L, MN>::MN } as u32;
        Matrix {
            descriptor: self.descriptor + u64::from(index * ((MN / unit) as u32 * bytes >> 4)),
            tiles: PhantomData,
        }
    }
}

/// Adds to `sums` the product of two matrices, by an instruction for each 32 bytes along K.
///
/// # Safety
/// 1. As (1) of [`wgmma::mma_async`], and (4) and (5) of `sums`.
/// 2. Nobody writes the matrices before a `wait_group` that covers this.
#[inline(always)]
pub(crate) unsafe fn multiply<D, A: Layout, B: Layout>(
    mut sums: D,
    a: Matrix<'_, A>,
    b: Matrix<'_, B>,
) -> D
where
    D: wgmma::Registers
        + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
{
    const {
        assert!(A::MN == 64, "a warpgroup multiplies 64 rows of A");
        assert!(
            B::MN == D::COLUMNS,
            "B has a column for each column of the sums"
        );
        assert!(A::K == B::K, "A and B have the same extent along K");
        assert!(
            A::K.is_multiple_of(step_elems::<A::Element>())
                && size_of::<A::Element>() == size_of::<B::Element>(),
            "an instruction takes 32 bytes along K"
        );
    }
    let mut step = 0;
    while step < const { (A::K / step_elems::<A::Element>()) as u64 } {
        let a = a.descriptor + step * const { A::STEP_BYTES as u64 >> 4 };
        let b = b.descriptor + step * const { B::STEP_BYTES as u64 >> 4 };
        // SAFETY: the matrices are there and stay (2), their writes went before (2 of `from_ptr`); the rest
        // is (1).
        sums = unsafe { A::Major::of_a::<D, A::Element, B::Element, B::Major>(sums, a, b) };
        step += 1;
    }
    sums
}

/// The dimension that lies together: it is part of the instruction.
#[doc(hidden)]
pub trait Major {
    /// The product of an A that lies so.
    #[doc(hidden)]
    unsafe fn of_a<D, A: MatrixElement, B: MatrixElement, OfB: Major>(sums: D, a: u64, b: u64) -> D
    where
        D: Sums<A::Ptx, B::Ptx>;

    /// The product of a B that lies so.
    #[doc(hidden)]
    unsafe fn of_b<D, A: MatrixElement, B: MatrixElement, const TRANS_A: i32>(
        sums: D,
        a: u64,
        b: u64,
    ) -> D
    where
        D: Sums<A::Ptx, B::Ptx>;
}

/// K lies together.
#[doc(hidden)]
pub enum AlongK {}

/// Rows of A, or columns of B, lie together.
#[doc(hidden)]
pub enum AcrossK {}

macro_rules! majors {
    ($($name:ident = $trans:literal;)+) => {$(
        impl Major for $name {
            #[inline(always)]
            unsafe fn of_a<D, A: MatrixElement, B: MatrixElement, OfB: Major>(sums: D, a: u64, b: u64) -> D
            where
                D: Sums<A::Ptx, B::Ptx>,
            {
                // SAFETY: the conditions of `mma_async` are the caller's.
                unsafe { OfB::of_b::<D, A, B, $trans>(sums, a, b) }
            }

            #[inline(always)]
            unsafe fn of_b<D, A: MatrixElement, B: MatrixElement, const TRANS_A: i32>(
                sums: D,
                a: u64,
                b: u64,
            ) -> D
            where
                D: Sums<A::Ptx, B::Ptx>,
            {
                // SAFETY: the conditions are the caller's.
                unsafe { wgmma::mma_async::<D, A::Ptx, B::Ptx, 1, 1, TRANS_A, $trans>(sums, a, b, true) }
            }
        }
    )+};
}

majors! {
    AlongK = 0;
    AcrossK = 1;
}
