//! Products of matrices by tensor cores: tiles by tensor copies, sums in registers, results by tensor copies.

use core::hint::assert_unchecked;

use tma::{
    Accumulator, Block, Columns, Finish, KernelArg, Outputs, SharedPtr, Swizzle128, Tile, TileMap,
    Warpgroup,
    halves::{Bf16, F16, Half},
    kernel, math,
    matrix::{Boxes, MatrixElement},
    pipeline::{self, Fill, Products},
    ptx::{griddepcontrol, mbarrier::Mbarrier, wgmma::Sums},
    shared, split_sums_bytes,
    tile::Pair,
};

/// Rows of the product that a block computes at a time.
pub const ROWS: u32 = 128;
/// Elements along K of a stage, and rows and columns of the boxes of all maps.
pub const BOX: u32 = 64;
/// Threads: a warpgroup loads, two multiply.
pub const THREADS: u32 = 384;
/// Boxes of the columns of a wide tile: as many products as possible for each byte that is loaded.
const WIDE: usize = 4;
/// Stages of wide tiles in shared memory.
const WIDE_STAGES: u32 = 4;
/// Boxes of the columns of a tile that blocks share, where there are few.
const SHARED: usize = 2;
/// Stages of shared tiles in shared memory.
const SHARED_STAGES: u32 = 5;
/// Blocks that share a tile: each has a part of K.
const BLOCKS: u32 = 2;
/// Tiles in which a warpgroup leaves results.
const OUTPUTS: u32 = 2;

type Box64<T> = [[T; BOX as usize]; BOX as usize];
type Map<T> = TileMap<Box64<T>, Swizzle128>;
type Boxes64<T, const BOXES: usize> = [Tile<Box64<T>, Swizzle128>; BOXES];
type Output<T> = Boxes64<T, { OUTPUTS as usize }>;
/// Rows of A, and so many boxes of columns of B.
type Stage<T, const BOXES: usize> = Pair<Boxes64<T, 2>, Boxes64<T, BOXES>>;
type Matrix<T, const BOXES: usize, const K_MAJOR: bool> =
    Boxes<Box64<T>, Swizzle128, BOXES, K_MAJOR>;
/// What a thread has of the sums of 64 rows of a shared tile.
type Part = [f32; 64];

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

    /// Row and column of the first element of a tile with so many columns.
    ///
    /// # Safety
    /// 1. There are tiles, and rows in a group; the columns of tiles, times those rows, are below 2^32.
    #[inline(always)]
    unsafe fn origin(&self, tile: u32, tile_columns: u32) -> [u32; 2] {
        let [rows, columns] = self.tiles;
        let in_group = self.group * columns;
        // SAFETY: (1).
        unsafe { assert_unchecked(columns != 0 && in_group != 0) };
        let first_row = tile / in_group * self.group;
        let height = (rows - first_row).min(self.group);
        // SAFETY: the group has the tile's row.
        unsafe { assert_unchecked(height != 0) };
        let within = tile % in_group;
        [
            (first_row + within % height) * ROWS,
            within / height * tile_columns,
        ]
    }

    /// Loads stages of 64 along K, from `first` on, of the tile that begins at this row and column.
    #[inline(always)]
    fn load<
        T: MatrixElement,
        const BOXES: usize,
        const STAGES: u32,
        const A_K_MAJOR: bool,
        const B_K_MAJOR: bool,
    >(
        &self,
        fill: &mut Fill<Stage<T, BOXES>, STAGES>,
        [a, b]: [&Map<T>; 2],
        [row, column]: [u32; 2],
        [first, end]: [u32; 2],
    ) {
        let [last_row, last_column] = self.last_boxes;
        // Boxes follow each other along M or N: in memory these are the rows where K lies together.
        let at = |k_major: bool, mn: u32, last: u32, k: u32| {
            move |number: u32| {
                let mn = (mn + number * BOX).min(last) as i32;
                if k_major {
                    [k as i32, mn]
                } else {
                    [mn, k as i32]
                }
            }
        };
        let mut stage = first;
        while stage < end {
            let k = stage * BOX;
            fill.next().load_pair(
                (a, at(A_K_MAJOR, row, last_row, k)),
                (b, at(B_K_MAJOR, column, last_column, k)),
            );
            stage += 1;
        }
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
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    let outputs = shared::dynamic::<Output<T>, 1024>();
    let pipeline = block.product_pipeline::<Stage<T, WIDE>, WIDE_STAGES>(outputs.add(2).cast());
    follow();
    let tiles = product.tiles[0] * product.tiles[1];
    // SAFETY: (2).
    let origin = |tile| unsafe { product.origin(tile, BOX * WIDE as u32) };
    let fill = |mut fill: Fill<Stage<T, WIDE>, WIDE_STAGES>| {
        for tile in block.items(tiles) {
            let all = [0, product.stages];
            product.load::<_, _, _, A_K_MAJOR, B_K_MAJOR>(&mut fill, [a, b], origin(tile), all);
        }
    };
    let multiply = |warpgroup: Warpgroup, mut products: Products<Stage<T, WIDE>, WIDE_STAGES>| {
        let index = warpgroup.index();
        let mut outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, outputs.add(index).cast());
        for tile in block.items(tiles) {
            let [row, column] = origin(tile);
            let zero = Accumulator::<[f32; 128]>::zero();
            let sums = products.accumulate(zero, product.stages, |stage| {
                let (a, b) = stage.pair();
                let a = a.matrix::<Matrix<T, 2, A_K_MAJOR>>();
                (
                    a.part::<64>(index),
                    b.matrix::<Matrix<T, WIDE, B_K_MAJOR>>(),
                )
            });
            store(
                &mut outputs,
                &sums,
                c,
                [column, row + BOX * index],
                product,
                bias,
            );
        }
        outputs.finish();
    };
    // SAFETY: the attributes say so.
    unsafe { pipeline.split::<THREADS, 40, 232>(fill, multiply) };
}

/// [`gemm`] for few tiles: each, of 128 by 128, is that of a cluster, whose blocks have a part of K each.
///
/// # Safety
/// 1. Those of [`gemm`]; the grid has a cluster for each tile.
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
    let [row, column] = unsafe { product.origin(block.index() / BLOCKS, BOX * SHARED as u32) };
    let share = product.stages.div_ceil(BLOCKS);
    let first = (cluster.rank() * share).min(product.stages);
    let end = (first + share).min(product.stages);
    let fill = |mut fill: Fill<Stage<T, SHARED>, SHARED_STAGES>| {
        let (at, some) = ([row, column], [first, end]);
        product.load::<_, _, _, A_K_MAJOR, B_K_MAJOR>(&mut fill, [a, b], at, some);
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
fn follow() {
    griddepcontrol::launch_dependents();
    griddepcontrol::wait();
}

/// Stores what becomes of the sums of 64 rows, the first of which begin at these coordinates, innermost first.
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
pub use host::{Gemm, Numbers};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Swizzle, Tiled};
    use tma::halves::{Bf16, F16};
    use tma_launch::{BufferRef, Conditions, Launch, MapRef, Region, Shape, Violations};

    use super::{Activation, BLOCKS, BOX, Product, ROWS, SHARED, THREADS, WIDE, gemm, gemm_split};
    use crate::arguments::product;

    /// The type of the numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Numbers {
        /// `bf16`.
        Bf16,
        /// `f16`.
        F16,
    }

    /// The product of two matrices, whose rows lie one behind the other.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Gemm {
        /// The type of all matrices.
        pub numbers: Numbers,
        /// Rows of A and of the product, columns of B and of the product, and what products are added up over:
        /// columns of A, rows of B.
        pub size: [u32; 3],
        /// A is given transposed: K rows of M numbers.
        pub a_transposed: bool,
        /// B is given transposed: N rows of K numbers.
        pub b_transposed: bool,
        /// The factor of the sums.
        pub alpha: f32,
        /// The buffer of N numbers of type `f32` that are added to the rows.
        pub bias: Option<usize>,
        /// The function applied to the results.
        pub activation: Activation,
        /// The buffer of the product.
        pub c: usize,
        /// The buffer of A.
        pub a: usize,
        /// The buffer of B.
        pub b: usize,
        /// Multiprocessors: blocks at most.
        pub multiprocessors: u32,
    }

    impl Default for Gemm {
        /// Of `bf16`, as the matrices are, for the 132 multiprocessors of an H100 or H200, and nothing else.
        fn default() -> Self {
            Self {
                numbers: Numbers::Bf16,
                size: [0; 3],
                a_transposed: false,
                b_transposed: false,
                alpha: 1.0,
                bias: None,
                activation: Activation::NONE,
                c: 0,
                a: 1,
                b: 2,
                multiprocessors: 132,
            }
        }
    }

    impl Gemm {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernels cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let [m, n, k] = self.size;
            let mut conditions = Conditions::default();
            let map = |rows: u32, columns: u32, buffer| {
                let data_type = match self.numbers {
                    Numbers::Bf16 => DataType::Bf16,
                    Numbers::F16 => DataType::F16,
                };
                let map = Tiled::new(data_type, &[columns.into(), rows.into()])
                    .box_dims(&[BOX; 2])
                    .swizzle(Swizzle::B128);
                MapRef::new(map, buffer)
            };
            let c = map(m, n, self.c);
            // Where there are no products, nobody loads A and B.
            let operand = |is_k_major, mn, buffer| match (k, is_k_major) {
                (0, _) => c,
                (_, true) => map(mn, k, buffer),
                (_, false) => map(k, mn, buffer),
            };
            let (a_k_major, b_k_major) = (!self.a_transposed, self.b_transposed);
            let (a, b) = (operand(a_k_major, m, self.a), operand(b_k_major, n, self.b));
            conditions.writes(c.into());
            if k > 0 {
                conditions.reads(a.into());
                conditions.reads(b.into());
            }
            let tiles = |boxes: usize| [m.div_ceil(ROWS), n.div_ceil(BOX * boxes as u32)];
            let wide = tiles(WIDE);
            // Few wide tiles leave multiprocessors without work.
            let is_wide = product(&wide) >= u64::from(self.multiprocessors / 2);
            let tiles = if is_wide { wide } else { tiles(SHARED) };
            let reason = "tiles, each way, that are counted in 16 bits:";
            conditions.within("tiles down the product", tiles[0], 0..=0xffff, reason);
            conditions.within("tiles along the product", tiles[1], 0..=0xffff, reason);
            let most = i32::MAX as u32;
            conditions.within(
                "K",
                k,
                0..=most,
                "coordinates have 32 bits, one of them the sign:",
            );
            let count = product(&tiles).min(u64::from(u32::MAX)) as u32;
            conditions.within(
                "tiles of the product",
                count,
                0..=most,
                "tiles that are counted in 31 bits:",
            );
            if let Some(bias) = self.bias {
                conditions.reads(Region::bytes(bias, u64::from(n) * 4));
            }
            let arguments = Product {
                tiles,
                last_boxes: [m, n].map(|extent| extent.saturating_sub(1) / BOX * BOX),
                stages: k.div_ceil(BOX),
                group: if k < 16384 { 16 } else { 12 },
                biased: if self.bias.is_some() { n } else { 0 },
                alpha: self.alpha,
                activation: self.activation,
            };
            // Where no column has a bias, none is read.
            let bias = BufferRef::<f32>::new(self.bias.unwrap_or(self.c));
            macro_rules! call {
                ($kernel:ident, $numbers:ty) => {
                    $kernel::<$numbers>(a_k_major, b_k_major, c, a, b, arguments, bias)
                };
            }
            let call = match (self.numbers, is_wide) {
                (Numbers::Bf16, true) => call!(gemm, Bf16),
                (Numbers::Bf16, false) => call!(gemm_split, Bf16),
                (Numbers::F16, true) => call!(gemm, F16),
                (Numbers::F16, false) => call!(gemm_split, F16),
            };
            // All blocks have as many wide tiles, or one less.
            let rounds = count.div_ceil(self.multiprocessors.max(1));
            let blocks = match is_wide {
                true => count.div_ceil(rounds.max(1)),
                false => count.saturating_mul(BLOCKS),
            };
            conditions.launch(call, Shape::new(blocks, THREADS))
        }
    }
}
