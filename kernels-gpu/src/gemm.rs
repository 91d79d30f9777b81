//! Products of matrices by tensor cores: tiles by tensor copies, sums in registers, results by tensor copies.
//!
//! [`batched`] has those of many matrices, with other results.

pub mod batched;

use core::hint::assert_unchecked;

use tma::{
    Accumulator, Block, Columns, Finish, KernelArg, Outputs, Rows, Swizzle128, Tile, TileMap,
    Warpgroup,
    halves::{Bf16, F16, Half},
    kernel, math,
    matrix::{Boxes, Layout, MatrixBox, MatrixElement},
    pipeline::{self, Fill, Products},
    ptx::wgmma::Sums,
    shared,
    tile::{Pair, TileArray, Tiles},
};

/// Rows of the product that a block computes at a time.
pub const ROWS: u32 = 128;
/// Elements along K of a stage, and rows and columns of the boxes of all maps.
pub const BOX: u32 = 64;
/// Threads: a warpgroup loads, two multiply.
pub const THREADS: u32 = 384;
/// Stages of wide tiles in shared memory.
const WIDE_STAGES: u32 = 4;
/// Stages of narrow tiles in shared memory.
const NARROW_STAGES: u32 = 8;
/// Tiles in which a warpgroup leaves results.
const OUTPUTS: u32 = 2;

type Box64<T> = [[T; BOX as usize]; BOX as usize];
type Boxes64<T, const BOXES: usize> = [Tile<Box64<T>, Swizzle128>; BOXES];
type Stage<S, W> = Pair<[Tile<S, Swizzle128>; 2], <W as Width<S>>::Boxes>;
type Ptx<S> = <<S as TileArray>::Element as MatrixElement>::Ptx;

/// Columns of the product that a block computes at a time, of boxes of this shape.
pub trait Width<S: MatrixBox<Element: MatrixElement>> {
    /// How many.
    const COLUMNS: u32;
    /// Boxes of B in a stage.
    type Boxes: Tiles<Shape = S, Mode = Swizzle128>;
    /// B, with columns of K elements or of N.
    type B<const K_MAJOR: bool>: Layout<Element = S::Element, Tiles = Self::Boxes>;
    /// Registers for the sums of 64 rows.
    type Sums: Columns + Rows + Sums<Ptx<S>, Ptx<S>>;
}

/// 256 columns: as many products as possible for each byte that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {}

/// 64 columns: as many blocks as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {}

macro_rules! widths {
    ($($name:ident: $boxes:literal $registers:literal;)+) => {$(
        impl<S: MatrixBox<Element: MatrixElement>> Width<S> for $name
        where
            [f32; $registers]: Sums<Ptx<S>, Ptx<S>>,
        {
            const COLUMNS: u32 = BOX * $boxes;
            type Boxes = [Tile<S, Swizzle128>; $boxes];
            type B<const K_MAJOR: bool> = Boxes<S, Swizzle128, $boxes, K_MAJOR>;
            type Sums = [f32; $registers];
        }
    )+};
}

widths! {
    Wide: 4 128;
    Narrow: 1 32;
}

/// The extents of the product, and what becomes of its sums.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Product {
    /// Tiles of the product down its rows, and along its columns.
    pub tiles: [u32; 2],
    /// The first row of the last box that has rows of A, and the first column of the last one that has columns of B.
    /// Boxes behind it are loaded from there: the hardware is slow to fill boxes that have nothing.
    pub last_boxes: [u32; 2],
    /// Stages along K.
    pub stages: u32,
    /// Rows of tiles that are gone through together, so that their blocks share in L2 what they read: at least one.
    pub group: u32,
    /// Columns that have a bias: all or none.
    pub biased: u32,
    /// The factor of the sums.
    pub alpha: f32,
    /// The function applied to the results.
    pub activation: Activation,
}

/// A function of a number: a number below the least becomes that; then, unless the gate is zero, it is
/// multiplied by `1 / (1 + exp(-(gate[0] * x + gate[1] * x^3)))`, by the hardware's functions.
#[derive(Clone, Copy, Debug, PartialEq, KernelArg)]
#[repr(C)]
pub struct Activation {
    least: f32,
    gate: [f32; 2],
}

impl Activation {
    /// It stays.
    pub const NONE: Self = Self {
        least: f32::NEG_INFINITY,
        gate: [0.0; 2],
    };
    /// It becomes 0 where it is less.
    pub const RELU: Self = Self {
        least: 0.0,
        ..Self::NONE
    };
    /// `x / (1 + exp(-x))`.
    pub const SILU: Self = Self {
        gate: [1.0, 0.0],
        ..Self::NONE
    };
    /// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`.
    pub const GELU: Self = Self {
        gate: [1.595_769, 0.071_354_81],
        ..Self::NONE
    };

    #[inline(always)]
    fn is_none(self) -> bool {
        self.least == f32::NEG_INFINITY && self.gate[0] == 0.0
    }

    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        // A NaN stays.
        let x = if x < self.least { self.least } else { x };
        let [first, third] = self.gate;
        if first == 0.0 {
            return x;
        }
        let exponent = x * (first + third * x * x);
        x * math::approx::rcp(1.0 + math::approx::exp(-exponent))
    }
}

impl Product {
    /// Returns whether the sums are the results.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.alpha == 1.0 && self.biased == 0 && self.activation.is_none()
    }

    /// Returns what gives the first row and column of a tile of this width.
    ///
    /// # Safety
    /// 1. There are tiles along both dimensions and rows of a group; columns of tiles times rows of a group are fewer
    ///    than 2^32, and what is given is the number of a tile.
    #[inline(always)]
    unsafe fn origins<W: Width<S>, S: MatrixBox<Element: MatrixElement>>(
        self,
    ) -> impl Fn(u32) -> [u32; 2] {
        let Self {
            tiles: [rows, columns],
            group,
            ..
        } = self;
        let in_group = group * columns;
        // SAFETY: (1).
        unsafe { assert_unchecked(columns != 0 && in_group != 0) };
        move |tile: u32| {
            let first_row = tile / in_group * group;
            let height = (rows - first_row).min(group);
            // SAFETY: the group has the tile's row (1).
            unsafe { assert_unchecked(height != 0) };
            let within = tile % in_group;
            [
                (first_row + within % height) * ROWS,
                within / height * W::COLUMNS,
            ]
        }
    }
}

/// The coordinates of a box, innermost first; none is loaded behind the last one. Boxes follow each other along M or N:
/// in memory these are the rows where K lies together.
#[inline(always)]
fn place(k_major: bool, mn: u32, last: u32, k: u32) -> [i32; 2] {
    let mn = mn.min(last) as i32;
    if k_major {
        [k as i32, mn]
    } else {
        [mn, k as i32]
    }
}

/// The sums are the results.
struct Plain;

impl Finish for Plain {
    #[inline(always)]
    fn finish(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        sums
    }
}

struct Finished {
    product: Product,
    /// (3) of [`gemm`].
    bias: *const f32,
}

impl Finish for Finished {
    #[inline(always)]
    fn finish(&self, column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        let mut sums = sums.map(|sum| self.product.alpha * sum);
        if column < self.product.biased {
            // SAFETY: the column has a bias, and so has the next one, if there is one (3 of `gemm`).
            unsafe { sums[0] += *self.bias.add(column as usize) };
            if column + 1 < self.product.biased {
                // SAFETY: as above.
                unsafe { sums[1] += *self.bias.add(column as usize + 1) };
            }
        }
        sums.map(|sum| self.product.activation.apply(sum))
    }
}

/// Writes `activation(alpha * A * B + bias)` to C, rounded to its type; sums are of `f32`.
///
/// A has M rows of K numbers and B has K rows of N: `gemm_bf16_true_true` takes A as it is and B transposed, K along
/// the rows of both; where one of the two is `false`, it is A transposed, or B as it is. Tiles of C, 128 by 256, are
/// dealt to the blocks. What lies behind the ends of A and B along K counts as zero.
///
/// # Safety
/// 1. `a`, `b` and `c` are maps with boxes of 64 by 64, of the rows of the matrices as they lie in memory; nobody
///    writes A and B while the kernel runs, nobody else uses C.
/// 2. `product` has the tiles that cover C, at least one and fewer than 2^16 each way, in groups of 1 to 2^16 - 1
///    rows, and stages of 64 that cover K; the tiles are fewer than 2^31 together, and coordinates are below 2^31.
/// 3. `bias` has as many numbers as `product` says, those of all columns or none.
/// 4. Grid and blocks are one-dimensional.
#[cfg_attr(doc, doc = concat!("\n# PTX of `gemm_bf16_true_true`\n```text\n", include_str!("../../tests/golden/ptx/gemm_bf16_true_true.ptx"), "\n```"))]
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Wide>(WIDE_STAGES)
)]
pub unsafe fn gemm<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &TileMap<Box64<T>, Swizzle128>,
    #[grid_constant] a: &TileMap<Box64<T>, Swizzle128>,
    #[grid_constant] b: &TileMap<Box64<T>, Swizzle128>,
    product: Product,
    bias: *const f32,
) where
    [f32; 128]: Sums<T::Ptx, T::Ptx>,
{
    // SAFETY: the conditions are the same.
    unsafe { multiply::<T, Wide, WIDE_STAGES, A_K_MAJOR, B_K_MAJOR>([c, a, b], product, bias) }
}

/// [`gemm`] with tiles of 128 by 64, for products of few tiles.
///
/// # Safety
/// 1. Those of [`gemm`].
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Narrow>(NARROW_STAGES)
)]
pub unsafe fn gemm_narrow<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &TileMap<Box64<T>, Swizzle128>,
    #[grid_constant] a: &TileMap<Box64<T>, Swizzle128>,
    #[grid_constant] b: &TileMap<Box64<T>, Swizzle128>,
    product: Product,
    bias: *const f32,
) where
    [f32; 32]: Sums<T::Ptx, T::Ptx>,
{
    // SAFETY: (1).
    unsafe { multiply::<T, Narrow, NARROW_STAGES, A_K_MAJOR, B_K_MAJOR>([c, a, b], product, bias) }
}

const fn shared_bytes<T: MatrixElement, W: Width<Box64<T>>>(stages: u32) -> u64 {
    let outputs = 2 * size_of::<Boxes64<T, { OUTPUTS as usize }>>() as u64;
    outputs + pipeline::bytes::<Stage<Box64<T>, W>>(stages, 1)
}

/// # Safety
/// 1. Those of [`gemm`].
#[inline(always)]
unsafe fn multiply<
    T: MatrixElement + Half,
    W: Width<Box64<T>>,
    const STAGES: u32,
    const A_K_MAJOR: bool,
    const B_K_MAJOR: bool,
>(
    [c, a, b]: [&TileMap<Box64<T>, Swizzle128>; 3],
    product: Product,
    bias: *const f32,
) {
    // SAFETY: every thread gets here (4 of `gemm`).
    let block = unsafe { Block::converged() };
    let outputs = shared::dynamic::<Boxes64<T, { OUTPUTS as usize }>, 1024>();
    let pipeline = block.product_pipeline::<Stage<Box64<T>, W>, STAGES>(outputs.add(2).cast());
    let Product {
        tiles: [rows, columns],
        last_boxes: [last_row, last_column],
        stages,
        ..
    } = product;
    // SAFETY: there are tiles and rows of a group (2 of `gemm`).
    let origin = unsafe { product.origins::<W, _>() };
    let tiles = rows * columns;
    let fill = |mut fill: Fill<Stage<Box64<T>, W>, STAGES>| {
        let at = |k_major, mn, last, k| move |number| place(k_major, mn + number * BOX, last, k);
        for tile in block.items(tiles) {
            let [row, column] = origin(tile);
            let mut stage = 0;
            while stage < stages {
                let k = stage * BOX;
                fill.next().load_pair(
                    (a, at(A_K_MAJOR, row, last_row, k)),
                    (b, at(B_K_MAJOR, column, last_column, k)),
                );
                stage += 1;
            }
        }
    };
    let multiply = |warpgroup: Warpgroup, mut products: Products<Stage<Box64<T>, W>, STAGES>| {
        let index = warpgroup.index();
        let mut outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, outputs.add(index).cast());
        for tile in block.items(tiles) {
            let [row, column] = origin(tile);
            let row = row + BOX * index;
            let sums = products.accumulate(Accumulator::<W::Sums>::zero(), stages, |stage| {
                let (a, b) = stage.pair();
                let a = a.matrix::<Boxes<Box64<T>, Swizzle128, 2, A_K_MAJOR>>();
                (a.part::<64>(index), b.matrix::<W::B<B_K_MAJOR>>())
            });
            let at = [column, row];
            if product.is_plain() {
                outputs.store_sums(&sums, c, at, &Plain);
            } else {
                outputs.store_sums(&sums, c, at, &Finished { product, bias });
            }
        }
        outputs.finish();
    };
    // SAFETY: the attributes say so.
    unsafe { pipeline.split::<THREADS, 40, 232>(fill, multiply) };
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Gemm, Numbers};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
