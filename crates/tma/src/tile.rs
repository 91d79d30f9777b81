//! Tiles in shared memory, with their shape as a type.

pub(crate) mod counts;
mod load;
pub(crate) mod outputs;
pub(crate) mod own_elements;
pub(crate) mod shared_buffer;
pub(crate) mod shared_tile;
pub(crate) mod stores;

use core::marker::PhantomData;

use tensor_map::{Swizzle, TensorMap};

pub use crate::number::Element;
use crate::ptx::operand::SharedPtr;

/// The shape of a box: an array of one to five dimensions, outermost first as in C.
///
/// `[[f32; 64]; 32]` has 32 rows of 64 columns; the box of its tensor map is 64 by 32, and its coordinates
/// are a column and a row.
///
/// ```
/// use tma::TileArray;
///
/// type Rows = [[f32; 64]; 32];
/// assert_eq!(Rows::BOX, [64, 32]);
/// assert_eq!((Rows::ELEMS, Rows::BYTES), (2048, 8192));
/// ```
pub trait TileArray: sealed::Sealed {
    /// The type of an element of the tile.
    type Element: Element;
    /// Elements along each dimension, innermost first.
    const BOX: &'static [u32];
    /// The number of elements of a box.
    const ELEMS: u32;
    /// The number of bytes of a box.
    const BYTES: u32 = Self::ELEMS * size_of::<Self::Element>() as u32;
}

/// A shape of `RANK` dimensions.
pub trait Rank<const RANK: usize>: TileArray {}

macro_rules! shapes {
    ($($rank:literal: $array:ty, $($extent:ident)+;)*) => {$(
        impl<T: Element, $(const $extent: usize),+> sealed::Sealed for $array {}
        impl<T: Element, $(const $extent: usize),+> TileArray for $array {
            type Element = T;
            const BOX: &'static [u32] = &[$($extent as u32),+];
            const ELEMS: u32 = (1 $(* $extent)+) as u32;
        }
        impl<T: Element, $(const $extent: usize),+> Rank<$rank> for $array {}
    )*};
}

shapes! {
    1: [T; X], X;
    2: [[T; X]; Y], X Y;
    3: [[[T; X]; Y]; Z], X Y Z;
    4: [[[[T; X]; Y]; Z]; W], X Y Z W;
    5: [[[[[T; X]; Y]; Z]; W]; V], X Y Z W V;
}

/// A pattern in which a tensor copy lays out a tile in shared memory. PTX ISA 5.5.7, "Swizzling Modes".
pub trait Mode: sealed::Sealed {
    /// The swizzle of the tile's pattern.
    const SWIZZLE: Swizzle;
    /// A type with the alignment that the swizzle requires of a tile.
    #[doc(hidden)]
    type Align;
}

macro_rules! modes {
    ($($(#[$attribute:meta])* $name:ident = $swizzle:ident, $align:literal $aligned:ident;)*) => {$(
        $(#[$attribute])*
        pub enum $name {}

        #[doc(hidden)]
        #[repr(align($align))]
        pub struct $aligned;

        impl sealed::Sealed for $name {}
        impl Mode for $name {
            const SWIZZLE: Swizzle = Swizzle::$swizzle;
            type Align = $aligned;
        }
    )*};
}

modes! {
    /// Row by row; a tile is a multiple of 128 bytes.
    Unswizzled = None, 128 Align128;
    /// `CU_TENSOR_MAP_SWIZZLE_32B`; a tile is a multiple of 256 bytes.
    Swizzle32 = B32, 256 Align256;
    /// `CU_TENSOR_MAP_SWIZZLE_64B`; a tile is a multiple of 512 bytes.
    Swizzle64 = B64, 512 Align512;
    /// `CU_TENSOR_MAP_SWIZZLE_128B`; a tile is a multiple of 1024 bytes.
    Swizzle128 = B128, 1024 Align1024;
}

/// A tile in shared memory, as a tensor copy with a box of this shape and swizzle lays it out.
///
/// The type has the bytes and the alignment that the copy needs. A tile that is declared with
/// [`shared!`](macro@crate::shared) has a [`SharedPtr`]; its [`at`](SharedPtr::at) follows the swizzle:
///
/// ```
/// use tma::{Swizzle128, Tile, shared};
///
/// type Rows = Tile<[[u32; 32]; 8], Swizzle128>;
/// assert_eq!((size_of::<Rows>(), align_of::<Rows>()), (1024, 1024));
///
/// shared! { static ROWS: Rows; }
/// # fn example() -> tma::SharedPtr<u32> {
/// let fifth_of_row_3 = ROWS::ptr().at([5, 3]);
/// # fifth_of_row_3 }
/// ```
#[repr(C)]
pub struct Tile<S, M: Mode = Unswizzled> {
    align: [M::Align; 0],
    elements: S,
    mode: PhantomData<M>,
}

impl<S: TileArray, M: Mode> SharedPtr<Tile<S, M>> {
    /// Returns the element at these coordinates, innermost first; not checked.
    #[inline(always)]
    pub fn at<const RANK: usize>(self, coords: [u32; RANK]) -> SharedPtr<S::Element>
    where
        S: Rank<RANK>,
    {
        // Indexed by constants alone, so that the array stays in registers.
        let inward = |dim: usize, outer: u32| {
            if dim < RANK {
                outer * S::BOX[dim] + coords[dim]
            } else {
                outer
            }
        };
        self.element(inward(0, inward(1, inward(2, inward(3, inward(4, 0))))))
    }

    /// Returns the 16 bytes at these coordinates, innermost first; the first counts vectors of 16 bytes. Not
    /// checked.
    #[doc(alias("float4", "reinterpret_cast"))]
    #[inline(always)]
    pub fn vector<const RANK: usize>(
        self,
        mut coords: [u32; RANK],
    ) -> SharedPtr<<S::Element as Element>::Vector>
    where
        S: Rank<RANK>,
    {
        const {
            let row_bytes = S::BOX[0] as usize * size_of::<S::Element>();
            assert!(
                row_bytes.is_multiple_of(16),
                "rows of a tile that is used by vectors are multiples of 16 bytes"
            );
        }
        // A swizzle moves 16 bytes as a whole.
        coords[0] *= 16 / size_of::<S::Element>() as u32;
        self.at(coords).cast()
    }

    /// Returns the element with this number, counted row by row; not checked.
    #[inline(always)]
    pub fn element(self, index: u32) -> SharedPtr<S::Element> {
        const {
            let row_bytes = S::BOX[0] as u64 * size_of::<S::Element>() as u64;
            if let Some(span_bytes) = M::SWIZZLE.span_bytes() {
                assert!(
                    row_bytes == span_bytes,
                    "a row of a swizzled tile is as long as the swizzle's span"
                );
            }
        }
        let offset = index * size_of::<S::Element>() as u32;
        // The tile is aligned so that the swizzle pattern of its addresses equals the pattern of its offsets.
        self.cast().byte_add(M::SWIZZLE.apply(offset))
    }
}

/// Tiles of a kind, one after the other.
pub trait Tiles: crate::sealed::Sealed {
    /// The array type of each tile.
    type Shape: TileArray;
    /// The swizzle mode of each tile.
    type Mode: Mode;
    /// The number of tiles, one after the other.
    const COUNT: u32;
}

impl<S, M: Mode, const COUNT: usize> crate::sealed::Sealed for [Tile<S, M>; COUNT] {}
impl<S: TileArray, M: Mode, const COUNT: usize> Tiles for [Tile<S, M>; COUNT] {
    type Shape = S;
    type Mode = M;
    const COUNT: u32 = COUNT as u32;
}

/// Tiles of two kinds, one after the other, such as A and B of a product.
#[repr(C)]
pub struct Pair<A, B> {
    first: A,
    second: B,
}

impl<A, B> SharedPtr<Pair<A, B>> {
    /// Returns the address of the first part.
    #[inline(always)]
    pub fn first(self) -> SharedPtr<A> {
        self.cast()
    }

    /// Returns the address of the second part.
    #[inline(always)]
    pub fn second(self) -> SharedPtr<B> {
        self.byte_add(core::mem::offset_of!(Pair<A, B>, second) as u32)
            .cast()
    }
}

/// A tensor map with a box of this shape and swizzle: a kernel parameter, as
/// `#[grid_constant] map: &TileMap<[[f32; 64]; 32]>`.
///
/// A load through it takes a [`Tile`] of the same type, and anything else does not compile. On the host
/// the launch refuses a map with another element type, box or swizzle, and names both:
///
/// ```
/// use tensor_map::DataType;
/// use tma::{TensorMap, TileMap, kernel};
/// use tma_launch::{MapRef, Shape};
///
/// # /// # Safety
/// # /// 1. None: the kernel is empty.
/// #[kernel]
/// unsafe fn add_one(#[grid_constant] map: &TileMap<[[i32; 64]; 16]>) { /* … */ }
///
/// let map = TensorMap::tiled(DataType::I32, &[100, 50]).box_dims(&[64, 16]);
/// let launch = |map| add_one(MapRef::new(map, 0)).launch(Shape::new(1, 128));
/// assert!(launch(map).is_ok());
/// let refused = launch(map.box_dims(&[64, 8])).unwrap_err().to_string();
/// assert!(refused.contains("encode the map with a box of 64 x 16 elements of i32"), "{refused}");
/// ```
#[doc(alias = "CUtensorMap")]
#[repr(transparent)]
pub struct TileMap<S, M: Mode = Unswizzled> {
    map: TensorMap,
    /// There is no tile here, so that a map is `Sync` for any tiles.
    tile: PhantomData<fn() -> Tile<S, M>>,
}

impl<S: TileArray, M: Mode> TileMap<S, M> {
    /// Returns the map at this address.
    ///
    /// # Safety
    /// 1. `map` points to a tensor map with this element type, box and swizzle, for `'a`.
    #[inline(always)]
    pub unsafe fn from_ptr<'a>(map: *const TensorMap) -> &'a Self {
        // SAFETY: the types are laid out alike, and the map exists (1).
        unsafe { &*map.cast() }
    }

    /// Returns the map without its type.
    #[inline(always)]
    pub fn as_ptr(&self) -> *const TensorMap {
        &raw const self.map
    }
}

/// Shapes and swizzles that no other crate can add.
mod sealed {
    pub trait Sealed {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_has_the_bytes_and_the_box_of_its_shape() {
        type Image = [[[u16; 32]; 2]; 3];
        assert_eq!(Image::BOX, [32, 2, 3]);
        assert_eq!((Image::ELEMS, Image::BYTES), (192, 384));
        assert_eq!(size_of::<Tile<Image>>(), 384);
        // A tile fills up to its alignment.
        assert_eq!(size_of::<Tile<[u32; 3]>>(), 128);
    }

    #[test]
    fn elements_lie_where_the_walk_puts_them() {
        let tile = SharedPtr::<Tile<[[u32; 32]; 16], Swizzle128>>::from_address(4096);
        let mut seen = std::collections::BTreeSet::new();
        for row in 0..16 {
            for column in 0..32 {
                // The 16-byte chunk of a row is exchanged with the chunk at its number XOR the row's
                // number modulo 8.
                let chunk = (column / 4) ^ (row % 8);
                let expected = 4096 + row * 128 + chunk * 16 + column % 4 * 4;
                let address = tile.at([column, row]).address();
                assert_eq!(address, expected, "{column}, {row}");
                seen.insert(address);
            }
        }
        assert_eq!(seen.len(), 512);
    }

    /// The CUDA guide's formula: of the 16-byte chunks of 1024, 512 or 256 bytes, `chunk ^ row % 8`, for rows of
    /// 128, 64 or 32 bytes. The guide counts their rows and chunks in rows of 128 bytes.
    #[test]
    fn vectors_lie_where_the_guide_puts_them() {
        fn check<M: Mode, const WIDTH: usize>(mask: u32)
        where
            [[u16; WIDTH]; 24]: Rank<2>,
        {
            let base = 2048;
            let tile = SharedPtr::<Tile<[[u16; WIDTH]; 24], M>>::from_address(base);
            let chunks = WIDTH as u32 * 2 / 16;
            for row in 0..24 {
                for chunk in 0..chunks {
                    let plain = row * chunks + chunk;
                    let (line, column) = (plain / 8, plain % 8);
                    let expected = base + line * 128 + (column ^ (line & mask)) * 16;
                    let address = tile.vector([chunk, row]).address();
                    assert_eq!(address, expected, "{chunk}, {row}");
                }
            }
        }
        check::<Swizzle128, 64>(7);
        check::<Swizzle64, 32>(3);
        check::<Swizzle32, 16>(1);
        check::<Unswizzled, 40>(0);
    }
}
