//! Tiles of each rank, type of element and swizzle.

use tma::{
    Block, KernelArg, Rank, SharedTile, Swizzle32, Swizzle64, Swizzle128, Tile, TileArray, TileMap,
    Unswizzled, kernel,
    ptx::mbarrier::Mbarrier,
    shared,
    tile::{Element, Mode},
};

/// The coordinates of a tile's load and store, innermost first; a tensor uses as many as it
/// has.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Placement {
    /// The first element that is loaded.
    pub load: [i32; 3],
    /// The first element that is stored.
    pub store: [i32; 3],
}

/// An element and how the kernels change it.
trait Changed: Element {
    fn changed(self, index: u32) -> Self;
}

macro_rules! changed {
    ($($integer:ty)*; $($float:ty)*) => {
        $(impl Changed for $integer {
            #[inline(always)]
            fn changed(self, index: u32) -> Self {
                self.wrapping_mul(3).wrapping_add(index as $integer)
            }
        })*
        $(impl Changed for $float {
            #[inline(always)]
            fn changed(self, index: u32) -> Self {
                2.0 * self + index as $float
            }
        })*
    };
}

changed! { u8 u16 i32; f32 f64 }

/// Coordinates of the element with this number, counted row by row.
#[inline(always)]
fn coords_of<S: Rank<RANK>, const RANK: usize>(index: u32) -> [u32; RANK] {
    let mut rest = index;
    core::array::from_fn(|dim| {
        let coord = rest % S::BOX[dim];
        rest /= S::BOX[dim];
        coord
    })
}

/// Writes the elements of a tile row by row: by their numbers, and after those by their coordinates. Each
/// thread writes the elements that it also updates.
///
/// # Safety
/// 1. There is room for the tile twice at `elements`.
#[inline(always)]
unsafe fn show<S, M, const RANK: usize>(
    block: Block,
    tile: &SharedTile<S, M>,
    elements: *mut S::Element,
) where
    S: Rank<RANK>,
    M: Mode,
{
    let mut index = block.thread();
    while index < S::ELEMS {
        let other = tile.as_ptr().at(coords_of::<S, RANK>(index));
        // SAFETY: the element exists, in the tile and in the output (1).
        unsafe {
            *elements.add(index as usize) = tile.get(index);
            *elements.add((S::ELEMS + index) as usize) = other.read();
        }
        index += block.threads();
    }
}

macro_rules! tiles {
    ($($(#[$attribute:meta])* $name:ident: $shape:ty, $mode:ty, $coords:expr;)*) => {$(
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. There is one block, one-dimensional, of whole warps. No other code uses the tensors; the first
        ///    coordinates are multiples of 16 bytes, and the store's are not negative.
        /// 2. There is room for the tile twice at `elements`.
        #[kernel(max_threads = 128)]
        pub unsafe fn $name(
            #[grid_constant] source: &TileMap<$shape, $mode>,
            #[grid_constant] target: &TileMap<$shape, $mode>,
            elements: *mut <$shape as TileArray>::Element,
            placement: Placement,
        ) {
            shared! {
                static TILE: Tile<$shape, $mode>;
                static BAR: Mbarrier;
            }
            // SAFETY: every thread gets here, and the tensors are this kernel's (1).
            let block = unsafe { Block::converged() };
            let coords = $coords;
            let load = coords(placement.load);
            let tile = block.load_tile(TILE::ptr(), BAR::ptr(), source, load).wait();
            // SAFETY: there is room (2).
            unsafe { show(block, &tile, elements) };
            tile.update(block, |index, element| element.changed(index))
                .store(block, target, coords(placement.store));
        }
    )*};
}

tiles! {
    /// Changes a tile of bytes.
    tile_of_u8_1d: [u8; 64], Unswizzled, |[x, _, _]: [i32; 3]| [x];
    /// Changes a tile that has fewer bytes than its alignment.
    tile_of_f64_1d: [f64; 6], Unswizzled, |[x, _, _]: [i32; 3]| [x];
    /// Changes a tile of rows.
    tile_of_f32_2d: [[f32; 12]; 7], Unswizzled, |[x, y, _]: [i32; 3]| [x, y];
    /// Changes a tile of layers.
    tile_of_u16_3d: [[[u16; 8]; 5]; 3], Unswizzled, |[x, y, z]: [i32; 3]| [x, y, z];
    /// Changes a tile with the shortest span.
    tile_of_i32_2d_32: [[i32; 8]; 19], Swizzle32, |[x, y, _]: [i32; 3]| [x, y];
    /// Changes a tile of one row.
    tile_of_u16_1d_32: [u16; 16], Swizzle32, |[x, _, _]: [i32; 3]| [x];
    /// Changes a tile with layers that are not multiples of the pattern.
    tile_of_f32_3d_64: [[[f32; 16]; 5]; 3], Swizzle64, |[x, y, z]: [i32; 3]| [x, y, z];
    /// Changes a tile of doubles.
    tile_of_f64_2d_64: [[f64; 8]; 9], Swizzle64, |[x, y, _]: [i32; 3]| [x, y];
    /// Changes a tile with the longest span.
    tile_of_u8_2d_128: [[u8; 128]; 11], Swizzle128, |[x, y, _]: [i32; 3]| [x, y];
    /// Changes a tile with layers.
    tile_of_f64_3d_128: [[[f64; 16]; 3]; 4], Swizzle128, |[x, y, z]: [i32; 3]| [x, y, z];
}

/// Rows of a tile that a kernel writes.
pub type Written = [[i32; 32]; 6];

/// Stores a tile that the block writes element by element, and after it one whose elements it writes by
/// hand and updates with the numbers of other threads.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps. No other code uses the tensor, which has two tiles,
///    one below the other.
/// 2. `sums` has a number for each thread that no other code uses.
#[kernel(max_threads = 128)]
pub unsafe fn tiles_written(
    #[grid_constant] target: &TileMap<Written, Swizzle128>,
    sums: *mut i32,
) {
    shared! {
        static FIRST: Tile<Written, Swizzle128>;
        static SECOND: Tile<Written, Swizzle128>;
    }
    // SAFETY: every thread gets here, and the tensor is this kernel's (1).
    let block = unsafe { Block::converged() };
    let first = block.write_tile(FIRST::ptr(), |index| index as i32 * index as i32);
    first.store(block, target, [0, 0]);
    let mut index = block.thread();
    while index < Written::ELEMS {
        // SAFETY: the element exists, and is this thread's.
        unsafe {
            SECOND::ptr()
                .at([index % 32, index / 32])
                .write(-(index as i32))
        };
        index += block.threads();
    }
    // SAFETY: all elements are written.
    let second = unsafe { block.written_tile(SECOND::ptr()) };
    // Numbers that other threads wrote and will change.
    let last = second.get(Written::ELEMS - 1 - block.thread());
    let sum = block.warp().reduce(last, |a, b| a + b);
    second
        .update(block, |_, element| element * 2)
        .store(block, target, [0, 6]);
    // SAFETY: there is a number for each thread (2).
    unsafe { *sums.add(block.thread() as usize) = sum };
}

/// Reads an element of a tile that does not exist.
///
/// # Panics
/// There is no such element.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps.
/// 2. `output` has a number that no other code uses.
#[kernel(max_threads = 32)]
pub unsafe fn element_beyond(output: *mut i32, index: u32) {
    shared! {
        static TILE: Tile<Written>;
    }
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let tile = block.write_tile(TILE::ptr(), |index| index as i32);
    let element = tile.get(index);
    if block.elect() {
        // SAFETY: there is one (2).
        unsafe { *output = element };
    }
}
