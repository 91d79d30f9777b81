//! Products whose A is in registers: the result of another product, or a tile.

use core::mem::offset_of;

use half::{bf16, f16};
use tma::{
    Accumulator, Block, Epilogue, Fragment, Matrix, SharedPtr, Swizzle32, Swizzle64, Swizzle128,
    Tile, TileMap,
    halves::Half,
    kernel,
    matrix::{Boxes, MatrixElement},
    ptx::{mbarrier::Mbarrier, wgmma::Sums},
    shared,
};

/// Rows of A: 64 for each of two warpgroups.
pub const ROWS: usize = 128;
/// The number of matrices B, each with a matrix C, that fit in memory.
pub const LINKS: usize = 3;

/// Adds the row to each sum, and subtracts the column.
struct Slanted;

impl Epilogue for Slanted {
    #[inline(always)]
    fn apply(&self, column: u32, row: u32, sums: [f32; 2]) -> [f32; 2] {
        let slant = row as f32 - column as f32;
        [sums[0] + slant, sums[1] + slant - 1.0]
    }
}

#[repr(C)]
struct Memory<A, B, C, const TILES: usize> {
    a: A,
    b: [[B; 1]; LINKS],
    c: [[C; TILES]; LINKS],
    barriers: [Mbarrier; 2],
}

/// The extents of the boxes of A and B, and of C; columns of B become `$between` sums and `$steps` steps of their
/// results, columns of C become `$sums` sums.
macro_rules! chains {
    ($($name:ident $from_registers:ident: $k:literal $k_mode:ident [$k_steps:literal], $n:literal [$between:literal $steps:literal],
        $c_width:literal x $c_height:literal $c_mode:ident $tiles:literal $is_k_major:literal [$sums:literal];)+) => {$(
        chains! { @kernel $name
            "Adds `round(A * transpose(B) + row - column) * C` of so many matrices B and C, and writes the sums of each \
             thread. The next B is multiplied while C is."
            [$k $k_mode, $n $between $steps, $c_width $c_height $c_mode $tiles $is_k_major $sums]
            |a, b, warpgroup| {
                // SAFETY: the matrices have been loaded, and no thread writes them.
                let (a, b) = unsafe {
                    (
                        Matrix::<Boxes<[[T; $k]; ROWS], $k_mode, 1, true>>::from_ptr(a.as_ptr().cast()),
                        Matrix::<Boxes<[[T; $k]; $n], $k_mode, 1, true>>::from_ptr(b),
                    )
                };
                let sums = Accumulator::<[f32; $between]>::zero().begin(warpgroup);
                // SAFETY: as above.
                unsafe { sums.multiply(a.part::<64>(warpgroup.index()), b) }.commit()
            }
            |in_flight| in_flight.wait() }
        chains! { @kernel $from_registers
            "As the other one, with A from registers."
            [$k $k_mode, $n $between $steps, $c_width $c_height $c_mode $tiles $is_k_major $sums]
            |a, b, warpgroup| {
                let a = a.fragment::<$k_steps>(warpgroup, warpgroup.index());
                // SAFETY: the matrix has been loaded, and no thread writes it.
                let b = unsafe { Matrix::<Boxes<[[T; $k]; $n], $k_mode, 1, true>>::from_ptr(b) };
                let sums = Accumulator::<[f32; $between]>::zero().begin_with(a, warpgroup);
                // SAFETY: as above.
                unsafe { sums.multiply_fragment(b) }.commit()
            }
            |in_flight| in_flight.wait().0 }
    )+};
    (@kernel $name:ident $doc:literal
        [$k:literal $k_mode:ident, $n:literal $between:literal $steps:literal,
            $c_width:literal $c_height:literal $c_mode:ident $tiles:literal $is_k_major:literal $sums:literal]
        |$a:ident, $b:ident, $warpgroup:ident| $start:block |$in_flight:ident| $wait:expr) => {
        #[doc = $doc]
        ///
        /// # Safety
        /// 1. There is one block of 384 threads.
        /// 2. The tensors have 128 rows of A and `links` times the rows and columns of B and C, all read-only; there
        ///    are 1 to 3 links.
        /// 3. `output` has the sums of 256 threads, and no other code uses it.
        #[kernel(
            max_threads = 384,
            min_blocks = 1,
            instances(T = bf16, f16),
            shared_bytes = size_of::<Memory<
                Tile<[[T; $k]; ROWS], $k_mode>, Tile<[[T; $k]; $n], $k_mode>, Tile<[[T; $c_width]; $c_height], $c_mode>, $tiles,
            >>() as u64
        )]
        pub unsafe fn $name<T: MatrixElement + Half>(
            output: *mut f32,
            #[grid_constant] a: &TileMap<[[T; $k]; ROWS], $k_mode>,
            #[grid_constant] b: &TileMap<[[T; $k]; $n], $k_mode>,
            #[grid_constant] c: &TileMap<[[T; $c_width]; $c_height], $c_mode>,
            links: u32,
        ) where
            [f32; $between]: Sums<T::Ptx, T::Ptx>,
            [f32; $sums]: Sums<T::Ptx, T::Ptx>,
        {
            type All<T> = Memory<
                Tile<[[T; $k]; ROWS], $k_mode>, Tile<[[T; $k]; $n], $k_mode>, Tile<[[T; $c_width]; $c_height], $c_mode>, $tiles,
            >;
            // SAFETY: every thread gets here (1), and the tensors may be read (2).
            let block = unsafe { Block::converged() };
            let memory = shared::dynamic::<All<T>, 1024>();
            let a_tile: SharedPtr<Tile<[[T; $k]; ROWS], $k_mode>> = memory.cast();
            let b_tile = |link: u32| -> SharedPtr<[Tile<[[T; $k]; $n], $k_mode>; 1]> {
                memory.byte_add(offset_of!(All<T>, b) as u32).cast().add(link)
            };
            let c_tile = |link: u32| -> SharedPtr<[Tile<[[T; $c_width]; $c_height], $c_mode>; $tiles]> {
                memory.byte_add(offset_of!(All<T>, c) as u32).cast().add(link)
            };
            let barriers: SharedPtr<Mbarrier> = memory.byte_add(offset_of!(All<T>, barriers) as u32).cast();
            let a_tile = block.load_tile(a_tile, barriers, a, [0, 0]).wait();
            // SAFETY: there is memory for these tiles, which no thread uses before, and the tensors have them (2).
            let loading = block.load(barriers.add(1), |loads| unsafe {
                let mut link = 0;
                while link < links {
                    loads.tile(b_tile(link).cast(), b, [0, (link * $n) as i32]);
                    let mut tile = 0;
                    while tile < $tiles {
                        let at = [tile * $c_width, link * $c_height];
                        loads.tile(c_tile(link).cast().add(tile), c, at.map(|coord| coord as i32));
                        tile += 1;
                    }
                    link += 1;
                }
            });
            loading.wait();
            let multiply = |warps: tma::Warps| {
                // They are whole ones.
                let Some($warpgroup) = warps.warpgroup() else {
                    return;
                };
                let start = |link: u32| {
                    let ($a, $b) = (&a_tile, b_tile(link));
                    $start
                };
                let round = |sums: Accumulator<[f32; $between]>| {
                    Fragment::<T, $steps>::of(&sums, $warpgroup, &Slanted)
                };
                let add = |sums: Accumulator<[f32; $sums]>, fragment, link: u32| {
                    // SAFETY: the matrix has been loaded, and no thread writes it.
                    unsafe {
                        let c = Matrix::<Boxes<[[T; $c_width]; $c_height], $c_mode, $tiles, $is_k_major>>::from_ptr(c_tile(link));
                        sums.begin_with(fragment, $warpgroup).multiply_fragment(c).commit()
                    }
                };
                let mut sums = Accumulator::<[f32; $sums]>::zero();
                let $in_flight = start(0);
                let mut fragment = round($wait);
                let mut link = 1;
                while link < links {
                    let $in_flight = start(link);
                    let products = add(sums, fragment, link - 1);
                    (sums, _) = products.wait();
                    fragment = round($wait);
                    link += 1;
                }
                // The last one counts twice.
                let (sums, fragment) = add(sums, fragment, links - 1).wait();
                let (sums, _) = add(sums, fragment, links - 1).wait();
                let thread = 128 * $warpgroup.index() + $warpgroup.thread();
                // SAFETY: the sums of each thread have a place (3).
                unsafe { *output.cast::<[f32; $sums]>().add(thread as usize) = *sums.registers() };
            };
            // SAFETY: the attributes set them.
            unsafe { block.split_registers::<384, 40, 232>(|_| (), multiply) };
        }
    };
}

chains! {
    // C has rows of 64 columns, 48 along K.
    chained_wide chained_wide_from_registers:
        64 Swizzle128 [4], 48 [24 3], 64 x 48 Swizzle128 2 false [64];
    // C is transposed: 24 columns of 32 along K.
    chained_narrow chained_narrow_from_registers:
        32 Swizzle64 [2], 32 [16 2], 32 x 24 Swizzle64 1 true [12];
    // Ten steps, each one of K in the first product.
    chained_long chained_long_from_registers:
        16 Swizzle32 [1], 160 [80 10], 16 x 160 Swizzle32 1 false [8];
}
