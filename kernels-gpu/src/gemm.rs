//! Products of matrices by tensor cores: tiles by tensor copies, sums in registers, results by tensor copies.
//!
//! [`batched`] has the products of many matrices, with other results.

pub mod batched;

use tma::{
    Accumulator, Block, Columns, DeferredStores, Epilogue, KernelArg, Outputs, SharedPtr, Steps,
    Swizzle128, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel, math,
    matrix::{Boxes, MatrixElement},
    pipeline::{self, Fill, Products},
    ptx::{griddepcontrol, mbarrier::Mbarrier, wgmma::Sums},
    shared, split_sums_bytes,
};

use crate::product::{BOX, Box64, Boxes64, Map, Stage, Tiling, WIDE};

/// The number of threads: a warpgroup loads, two multiply.
pub const THREADS: u32 = 384;
/// The number of stages of wide tiles in shared memory.
const WIDE_STAGES: u32 = 4;
/// Boxes of the columns of a narrow tile: the most blocks.
const NARROW: usize = 1;
/// The number of stages of narrow tiles in shared memory.
const NARROW_STAGES: u32 = 7;
/// Boxes of the columns of a tile that blocks share, where there are few.
const SHARED: usize = 2;
/// The number of stages of shared tiles in shared memory.
const SHARED_STAGES: u32 = 5;
/// The number of blocks that share a tile: each has a part of K.
const BLOCKS: u32 = 2;
/// The number of tiles in which a warpgroup leaves results.
const OUTPUTS: u32 = 2;

type Output<T> = Boxes64<T, { OUTPUTS as usize }>;
type Matrix<T, const BOXES: usize, const K_MAJOR: bool> =
    Boxes<Box64<T>, Swizzle128, BOXES, K_MAJOR>;
/// The part of a thread of the sums of 64 rows of a shared tile.
type Part = [f32; 64];

/// The extents of the product, and the activation of its sums.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Product {
    /// The tiles.
    pub tiling: Tiling,
    /// The number of columns that have a bias: all or none.
    pub biased: u32,
    /// The factor of the sums.
    pub alpha: f32,
    /// The function applied to the results.
    pub activation: Activation,
}

/// An activation: clamps a number below at `least`; then, unless the gate is zero, multiplies it
/// by `1 / (1 + exp(-(gate[0] * x + gate[1] * x^3)))`, by the hardware's functions.
#[derive(Clone, Copy, Debug, PartialEq, KernelArg)]
#[repr(C)]
pub struct Activation {
    least: f32,
    gate: [f32; 2],
}

impl Activation {
    /// The activation that leaves values unchanged.
    pub const NONE: Self = Self {
        least: f32::NEG_INFINITY,
        gate: [0.0; 2],
    };
    /// The activation that clamps below at 0.
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
}

/// The sums are the results.
pub(crate) struct Plain;

impl Epilogue for Plain {
    #[inline(always)]
    fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        sums
    }
}

struct Finished {
    product: Product,
    /// (3) of [`gemm`].
    bias: *const f32,
}

impl Finished {
    /// Returns the same for columns that are counted from this one on.
    #[inline(always)]
    fn from(self, column: u32) -> Self {
        let biased = self.product.biased.saturating_sub(column);
        Self {
            product: Product {
                biased,
                ..self.product
            },
            bias: self.bias.wrapping_add(column as usize),
        }
    }
}

impl Epilogue for Finished {
    #[inline(always)]
    fn apply(&self, column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
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
/// dealt to the blocks. Elements after the ends of A and B along K count as zero.
///
/// # Safety
/// 1. `a`, `b` and `c` are maps with boxes of 64 by 64, of the rows of the matrices as they are in memory; no
///    thread writes A and B while the kernel runs, no other code uses C.
/// 2. `product` has the tiles that cover C, at least one and fewer than 2^16 each way, in groups of 1 to 2^16 - 1
///    rows, and stages of 64 that cover K; the tiles are fewer than 2^31 together, and coordinates are below 2^31.
/// 3. `bias` has the numbers that `product` requires: one for each column or none.
/// 4. Grid and blocks are one-dimensional.
#[cfg_attr(doc, doc = concat!("\n# Instructions of `gemm_bf16_true_true`\n```text\n", include_str!("../../tests/golden/ptx/gemm_bf16_true_true.txt"), "\n```"))]
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = 2 * size_of::<Output<T>>() as u64 + pipeline::bytes::<Stage<T, WIDE>>(WIDE_STAGES, 1)
)]
pub unsafe fn gemm<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    [f32; 128]: Sums<T::Ptx, T::Ptx>,
{
    // SAFETY: the conditions are the same.
    unsafe {
        multiply::<T, [f32; 128], 16, WIDE, WIDE_STAGES, A_K_MAJOR, B_K_MAJOR>(
            c, a, b, product, bias,
        )
    }
}

/// [`gemm`] with tiles of 128 by 64, for few tiles.
///
/// # Safety
/// 1. The conditions of [`gemm`].
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = 2 * size_of::<Output<T>>() as u64 + pipeline::bytes::<Stage<T, NARROW>>(NARROW_STAGES, 1)
)]
pub unsafe fn gemm_narrow<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    [f32; 32]: Sums<T::Ptx, T::Ptx>,
{
    // SAFETY: (1).
    unsafe {
        multiply::<T, [f32; 32], 4, NARROW, NARROW_STAGES, A_K_MAJOR, B_K_MAJOR>(
            c, a, b, product, bias,
        )
    }
}

/// Computes the tiles of a product, of 128 by `BOXES` times 64, that are dealt to the block.
///
/// # Safety
/// 1. The conditions of [`gemm`].
#[inline(always)]
unsafe fn multiply<
    T: MatrixElement + Half,
    R: Columns + Sums<T::Ptx, T::Ptx>,
    const STEPS: usize,
    const BOXES: usize,
    const STAGES: u32,
    const A_K_MAJOR: bool,
    const B_K_MAJOR: bool,
>(
    c: &Map<T>,
    a: &Map<T>,
    b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    [[u32; 4]; STEPS]: Steps<Sums = R>,
{
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let outputs = shared::dynamic::<Output<T>, 1024>();
    let pipeline = block.product_pipeline::<Stage<T, BOXES>, STAGES>(outputs.add(2).cast());
    follow();
    let tiles = product.tiling.tiles[0] * product.tiling.tiles[1];
    // SAFETY: (1).
    let origin = |tile| unsafe { product.tiling.origin(tile, BOX * BOXES as u32) };
    let fill = |mut fill: Fill<Stage<T, BOXES>, STAGES>| {
        for tile in block.items(tiles) {
            let all = [0, product.tiling.stages];
            product.tiling.load::<_, _, _, A_K_MAJOR, B_K_MAJOR>(
                &mut fill,
                [a, b],
                origin(tile),
                all,
            );
        }
    };
    let multiply = |warpgroup: Warpgroup, mut products: Products<Stage<T, BOXES>, STAGES>| {
        let index = warpgroup.index();
        let outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, outputs.add(index).cast());
        let mut stores = DeferredStores::<_, _, STEPS, OUTPUTS>::new(outputs, c);
        let mut sums = Accumulator::<R>::zero();
        for tile in block.items(tiles) {
            let [row, column] = origin(tile);
            sums = products.sum_overlapped(sums, product.tiling.stages, &mut stores, |stage| {
                let (a, b) = stage.pair();
                let a = a.matrix::<Matrix<T, 2, A_K_MAJOR>>();
                (
                    a.part::<64>(index),
                    b.matrix::<Matrix<T, BOXES, B_K_MAJOR>>(),
                )
            });
            let at = [column, row + BOX * index];
            if product.is_plain() {
                stores.hold(&sums, at, &Plain);
            } else {
                stores.hold(&sums, at, &Finished { product, bias }.from(column));
            }
        }
        stores.finish();
    };
    // SAFETY: the attributes say so.
    unsafe { pipeline.split::<THREADS, 40, 232>(fill, multiply) };
}

/// [`gemm`] for few tiles and a long K: a cluster computes each tile of 128 by 128, and its blocks have a part of K each.
///
/// # Safety
/// 1. The conditions of [`gemm`]; the grid has a cluster for each tile.
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    cluster = 2,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = size_of::<Output<T>>() as u64
        + split_sums_bytes::<Part>(BLOCKS)
        + pipeline::bytes::<Stage<T, SHARED>>(SHARED_STAGES, 1)
)]
pub unsafe fn gemm_split<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    Part: Sums<T::Ptx, T::Ptx>,
{
    shared! { static RECEIVED: Mbarrier; }
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let cluster = block.cluster();
    let outputs = shared::dynamic::<Output<T>, 1024>();
    let parts: SharedPtr<Part> = outputs.add(1).cast();
    let stages = parts.byte_add(split_sums_bytes::<Part>(BLOCKS) as u32);
    let pipeline = block.product_pipeline::<Stage<T, SHARED>, SHARED_STAGES>(stages.cast());
    let split = cluster.split_sums::<Part, BLOCKS>(parts, RECEIVED::ptr());
    follow();
    // SAFETY: (1).
    let [row, column] = unsafe {
        product
            .tiling
            .origin(block.index() / BLOCKS, BOX * SHARED as u32)
    };
    let share = product.tiling.stages.div_ceil(BLOCKS);
    let first = (cluster.rank() * share).min(product.tiling.stages);
    let end = (first + share).min(product.tiling.stages);
    let fill = |mut fill: Fill<Stage<T, SHARED>, SHARED_STAGES>| {
        let (at, some) = ([row, column], [first, end]);
        product
            .tiling
            .load::<_, _, _, A_K_MAJOR, B_K_MAJOR>(&mut fill, [a, b], at, some);
    };
    let multiply = |warpgroup: Warpgroup,
                    mut products: Products<Stage<T, SHARED>, SHARED_STAGES>| {
        let index = warpgroup.index();
        let part = products.accumulate(Accumulator::<Part>::zero(), end - first, |stage| {
            let (a, b) = stage.pair();
            let a = a.matrix::<Matrix<T, 2, A_K_MAJOR>>();
            (
                a.part::<64>(index),
                b.matrix::<Matrix<T, SHARED, B_K_MAJOR>>(),
            )
        });
        if let Some(sums) = split.add(warpgroup, part) {
            let mut outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, outputs.cast());
            store(
                &mut outputs,
                &sums,
                c,
                [column, row + BOX * index],
                product,
                bias,
            );
            outputs.finish();
        }
    };
    // SAFETY: the attributes say so.
    unsafe { pipeline.split::<THREADS, 40, 232>(fill, multiply) };
}

/// Lets the kernel that follows begin as blocks of this one end, and waits for the one before: both only where the launch
/// allows it.
#[inline(always)]
pub(crate) fn follow() {
    griddepcontrol::launch_dependents();
    griddepcontrol::wait();
}

/// Stores the results of the sums of 64 rows. The first one is at these coordinates, innermost first.
#[inline(always)]
fn store<T: MatrixElement + Half, R: Columns>(
    outputs: &mut Outputs<Box64<T>, Swizzle128, Warpgroup, OUTPUTS>,
    sums: &Accumulator<R>,
    c: &Map<T>,
    at: [u32; 2],
    product: Product,
    bias: *const f32,
) {
    if product.is_plain() {
        outputs.store_sums(sums, c, at, &Plain);
    } else {
        outputs.store_sums(sums, c, at, &Finished { product, bias });
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::Matrices;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Gemm, Numbers};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
