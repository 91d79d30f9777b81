//! The launch of products of matrices, and its conditions.

use tensor_map::{DataType, L2Promotion, Swizzle, Tiled};
use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

use super::{
    Activation, Narrow, Product, THREADS, Wide,
    batched::{Results, gemm_batched, gemm_batched_narrow},
    gemm, gemm_narrow,
    split::{Split, THIN_THREADS, Thin, gemm_split, gemm_thin},
};
use crate::{
    arguments::product,
    product::{BOX, Config, Tiling, dealt},
};

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// `bf16`.
    Bf16,
    /// `f16`.
    F16,
}

/// Evaluates an expression with `$element` as the type of the numbers.
macro_rules! with_element {
    ($numbers:expr, $element:ident => $value:expr) => {
        match $numbers {
            $crate::gemm::Numbers::Bf16 => {
                type $element = tma::halves::Bf16;
                $value
            }
            $crate::gemm::Numbers::F16 => {
                type $element = tma::halves::F16;
                $value
            }
        }
    };
}
pub(crate) use with_element;

/// The K from which few tiles are split. On an H200 the narrow ones of 1024 by 1024 have 146, 359, 421, 461, 507 and
/// 530 TFLOP/s for K of 256, 1024, 1536, 2048, 3072 and 4096, and the split ones 107, 312, 394, 451, 518 and 578.
const LEAST_SPLIT: u32 = 3072;

/// The tiles that blocks compute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// 128 by 256.
    Wide,
    /// 128 by 64.
    Narrow,
    /// 128 by 128, each by the blocks of a cluster, which have a part of K each.
    Split,
    /// The same, 64 by 128.
    Thin,
}

impl Form {
    /// Rows and columns of a tile.
    const fn tile(self) -> [u32; 2] {
        match self {
            Self::Wide => Wide::TILE,
            Self::Narrow => Narrow::TILE,
            Self::Split => Split::TILE,
            Self::Thin => Thin::TILE,
        }
    }

    /// The threads of a block.
    const fn threads(self) -> u32 {
        match self {
            Self::Wide | Self::Narrow | Self::Split => THREADS,
            Self::Thin => THIN_THREADS,
        }
    }

    /// The bytes that L2 fetches for A and B. Blocks that have a part of K each load the next 128 bytes of their rows soon.
    const fn promotion(self) -> L2Promotion {
        match self {
            Self::Wide | Self::Narrow => L2Promotion::B128,
            Self::Split | Self::Thin => L2Promotion::B256,
        }
    }
}

/// The product of two matrices, or the products of many.
///
/// Elements of C between its last column and the next multiple of 16 bytes may be written, too. The kernels of
/// [`batched`](super::batched) are for results of `f32`, for example added to C, and several products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// The type of A and B.
    pub numbers: Numbers,
    /// C is of `f32`, and else of the type of A and B.
    pub is_single: bool,
    /// Rows of A and of the product, columns of B and of the product, and the extent that products are added up over:
    /// columns of A, rows of B.
    pub size: [u32; 3],
    /// The number of products, each of matrices of its own.
    pub batches: u32,
    /// A is given transposed: K rows of M numbers.
    pub a_transposed: bool,
    /// B is given transposed: N rows of K numbers.
    pub b_transposed: bool,
    /// The row strides of C, A and B as they are in memory, in elements; by default rows are stored one after the
    /// other.
    pub strides: [Option<u64>; 3],
    /// The matrix strides of C, A and B, in elements: 0 if all products have the same A or B; by default one
    /// after the other.
    pub batch_strides: [Option<u64>; 3],
    /// The factor of the sums.
    pub alpha: f32,
    /// The factor of what C has, which is not read where it is 0.
    pub beta: f32,
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
    /// The number of multiprocessors, and so the most blocks.
    pub multiprocessors: u32,
}

impl Default for Gemm {
    /// One product of `bf16`, as the matrices are, for the 132 multiprocessors of an H100 or H200, without an epilogue.
    fn default() -> Self {
        Self {
            numbers: Numbers::Bf16,
            is_single: false,
            size: [0; 3],
            batches: 1,
            a_transposed: false,
            b_transposed: false,
            strides: [None; 3],
            batch_strides: [None; 3],
            alpha: 1.0,
            beta: 0.0,
            bias: None,
            activation: Activation::NONE,
            c: 0,
            a: 1,
            b: 2,
            multiprocessors: 132,
        }
    }
}

/// Matrices in memory, one for each product or one for all.
#[derive(Clone, Copy)]
pub(crate) struct Matrices {
    pub(crate) buffer: usize,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    count: u32,
    /// The strides of rows and of matrices.
    pub(crate) strides: [u64; 2],
}

impl Matrices {
    /// One element at the start of a buffer, in rows of `stride`, for maps through which no thread loads.
    pub(crate) const fn element(buffer: usize, stride: u64) -> Self {
        Self {
            buffer,
            rows: 1,
            columns: 1,
            count: 1,
            strides: [stride; 2],
        }
    }

    /// Returns the number of elements from the first to after the last.
    pub(crate) fn span(&self) -> u64 {
        let [row, matrix] = self.strides;
        let steps = |count: u32, stride: u64| stride.saturating_mul(count.saturating_sub(1).into());
        let rows = steps(self.rows, row).saturating_add(self.columns.into());
        steps(self.count, matrix).saturating_add(rows)
    }

    /// Refuses matrices with rows that have elements in common.
    fn check_apart(&self, conditions: &mut Conditions) {
        let [row, matrix] = self.strides;
        let one = Self { count: 1, ..*self };
        let line = Self { rows: 1, ..*self };
        let are_between = row >= line.span() && matrix >= self.columns.into();
        if self.count > 1 && matrix < one.span() && !are_between {
            let limit =
                "must keep results apart (matrices follow each other, or their rows alternate)";
            let fix = format!("use {} or more", one.span());
            conditions.refuse("batch stride of C", matrix, limit, fix);
        }
    }
}

/// The names of the matrices.
const NAMES: [&str; 3] = ["C", "A", "B"];

impl Gemm {
    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let [m, n, _] = self.size;
        let matrices = self.all_matrices(conditions, 2);
        let is_batched = self.is_single || self.beta != 0.0 || self.batches != 1;
        let tiles = |[rows, columns]: [u32; 2]| [m.div_ceil(rows), n.div_ceil(columns)];
        let form = self.form(tiles, is_batched);
        let (tiling, count) = self.tiling(conditions, form.tile());
        if let Some(bias) = self.bias {
            conditions.reads(Region::bytes(bias, u64::from(n) * 4));
        }
        let arguments = Product {
            tiling,
            biased: if self.bias.is_some() { n } else { 0 },
            alpha: self.alpha,
            activation: self.activation,
        };
        let call = if is_batched {
            self.batched(conditions, matrices, arguments, form)
        } else {
            self.one(conditions, matrices, arguments, form)
        };
        let blocks = match form {
            Form::Split | Form::Thin => count.saturating_mul(Split::CLUSTER),
            Form::Wide | Form::Narrow => self.blocks(count),
        };
        (call, Shape::new(blocks, form.threads()))
    }

    /// Returns the form, given the tiles of a size that cover a product.
    fn form(&self, tiles: impl Fn([u32; 2]) -> [u32; 2], is_batched: bool) -> Form {
        let [m, _, k] = self.size;
        // Fewer blocks leave multiprocessors without work.
        let enough = u64::from(self.multiprocessors / 2);
        if self.all_tiles(tiles(Wide::TILE)) >= enough {
            Form::Wide
        } else if is_batched || k < LEAST_SPLIT {
            Form::Narrow
        } else if m > Thin::TILE[0]
            && self.all_tiles(tiles(Split::TILE)) * u64::from(Split::CLUSTER) >= enough
        {
            Form::Split
        } else {
            Form::Thin
        }
    }

    /// Checks C, and A and B, with elements of this size in bytes.
    pub(crate) fn all_matrices(
        &self,
        conditions: &mut Conditions,
        element_bytes: u64,
    ) -> [Matrices; 3] {
        let bytes_of_c = if self.is_single { 4 } else { 2 };
        let [m, n, k] = self.size;
        let given = |is_transposed, [rows, columns]: [u32; 2]| match is_transposed {
            true => [columns, rows],
            false => [rows, columns],
        };
        let extents_of_a = given(self.a_transposed, [m, k]);
        let extents_of_b = given(self.b_transposed, [k, n]);
        let c = self.matrices(conditions, 0, [m, n], bytes_of_c);
        let a = self.matrices(conditions, 1, extents_of_a, element_bytes);
        let b = self.matrices(conditions, 2, extents_of_b, element_bytes);
        c.check_apart(conditions);
        let most = i32::MAX as u32;
        conditions.within("batches", self.batches, 1..=most, "");
        [c, a, b]
    }

    /// Returns the number of all tiles, given the tiles of one product.
    fn all_tiles(&self, [down, along]: [u32; 2]) -> u64 {
        product(&[down, along, self.batches])
    }

    /// Checks the extents of a product of tiles of these rows and columns, and counts the tiles of all.
    pub(crate) fn tiling(
        &self,
        conditions: &mut Conditions,
        [rows, columns]: [u32; 2],
    ) -> (Tiling, u32) {
        let [m, n, k] = self.size;
        let most = i32::MAX as u32;
        let reason = "tiles in each direction are counted in 16 bits";
        conditions.within("M", m, 1..=0xffff * rows, reason);
        conditions.within("N", n, 1..=0xffff * columns, reason);
        let tiles = [m.div_ceil(rows), n.div_ceil(columns)];
        let reason = "coordinates are signed 32-bit numbers";
        conditions.within("K", k, 0..=most, reason);
        let count = self.all_tiles(tiles).min(u64::from(u32::MAX)) as u32;
        let reason = "tiles are counted in 31 bits";
        conditions.within("tiles of the product", count, 0..=most, reason);
        let last_boxes = [m, n].map(|extent| extent.saturating_sub(1) / BOX * BOX);
        let group = if k < 16384 { 16 } else { 12 };
        let tiling = Tiling::new(tiles, last_boxes, k.div_ceil(BOX), group);
        (tiling, count)
    }

    pub(crate) fn blocks(&self, tiles: u32) -> u32 {
        dealt(tiles, self.multiprocessors)
    }

    /// Checks the strides of the matrices with this number. Where there are no products, no thread loads A and B.
    fn matrices(
        &self,
        conditions: &mut Conditions,
        number: usize,
        [rows, columns]: [u32; 2],
        element_bytes: u64,
    ) -> Matrices {
        let (buffer, name) = ([self.c, self.a, self.b][number], NAMES[number]);
        let row = self.strides[number].unwrap_or(columns.into());
        let packed = row.saturating_mul(rows.into());
        let matrix = self.batch_strides[number].unwrap_or(packed);
        if number == 0 || self.size[2] > 0 {
            let elements = 16 / element_bytes;
            let parameter = format!("row stride of {name}");
            let reason = "rows start at multiples of 16 bytes";
            conditions.multiple(&parameter, row, elements, reason);
            let reason = "rows must not overlap";
            conditions.at_least(&parameter, row, columns.into(), reason);
            if self.batch_strides[number].is_some() {
                let parameter = format!("batch stride of {name}");
                let reason = "matrices start at multiples of 16 bytes";
                conditions.multiple(&parameter, matrix, elements, reason);
            }
        }
        let is_shared = number > 0 && matrix == 0;
        Matrices {
            buffer,
            rows,
            columns,
            count: if is_shared { 1 } else { self.batches },
            strides: [row, matrix],
        }
    }

    /// Returns a map of the rows of matrices, one by one.
    pub(crate) fn map(&self, matrices: Matrices, promotion: L2Promotion) -> MapRef {
        let Matrices { rows, columns, .. } = matrices;
        let map = Tiled::new(self.data_type(), &[columns.into(), rows.into()])
            .strides_bytes(&[matrices.strides[0].saturating_mul(2)])
            .box_dims(&[BOX; 2])
            .l2_promotion(promotion);
        MapRef::new(map.swizzle(Swizzle::B128), matrices.buffer)
    }

    /// Makes the maps of A and B; where there are no products, no thread loads through them, and the map of C serves.
    pub(crate) fn operands(
        &self,
        conditions: &mut Conditions,
        c: MapRef,
        matrices: [Matrices; 2],
        promotion: L2Promotion,
    ) -> [MapRef; 2] {
        if self.size[2] == 0 {
            return [c; 2];
        }
        matrices.map(|matrices| {
            let map = self.map(matrices, promotion);
            conditions.reads(map.into());
            map
        })
    }

    /// Returns a map of many matrices.
    fn map_of_many(&self, matrices: Matrices) -> MapRef {
        let Matrices {
            rows,
            columns,
            count,
            strides: [row, matrix],
            ..
        } = matrices;
        // The stride of one matrix is not used.
        let matrix = if count == 1 { row } else { matrix };
        let map = Tiled::new(
            self.data_type(),
            &[columns.into(), rows.into(), count.into()],
        )
        .strides_bytes(&[row, matrix].map(|stride| stride.saturating_mul(2)))
        .box_dims(&[BOX, BOX, 1]);
        MapRef::new(map.swizzle(Swizzle::B128), matrices.buffer)
    }

    fn data_type(&self) -> DataType {
        match self.numbers {
            Numbers::Bf16 => DataType::Bf16,
            Numbers::F16 => DataType::F16,
        }
    }

    /// Makes the call for a single product with results of the type of A and B.
    fn one(
        &self,
        conditions: &mut Conditions,
        [c, a, b]: [Matrices; 3],
        arguments: Product,
        form: Form,
    ) -> Call<'static> {
        let c = self.map(c, L2Promotion::None);
        conditions.writes(c.into());
        let [a, b] = self.operands(conditions, c, [a, b], form.promotion());
        let (a_k_major, b_k_major) = (!self.a_transposed, self.b_transposed);
        // Where no column has a bias, none is read.
        let bias = BufferRef::<f32>::new(self.bias.unwrap_or(self.c));
        with_element!(self.numbers, T => match form {
            Form::Wide => gemm::<T>(a_k_major, b_k_major, c, a, b, arguments, bias),
            Form::Narrow => gemm_narrow::<T>(a_k_major, b_k_major, c, a, b, arguments, bias),
            Form::Split => gemm_split::<T>(a_k_major, b_k_major, c, a, b, arguments, bias),
            Form::Thin => gemm_thin::<T>(a_k_major, b_k_major, c, a, b, arguments, bias),
        })
    }

    /// The call for all others.
    fn batched(
        &self,
        conditions: &mut Conditions,
        [c, a, b]: [Matrices; 3],
        arguments: Product,
        form: Form,
    ) -> Call<'static> {
        let result_bytes = if self.is_single { 4 } else { 2 };
        // Columns are written in pairs, and rows end at multiples of 16 bytes.
        let span = c.span().saturating_mul(result_bytes);
        let span = span.checked_next_multiple_of(16).unwrap_or(span);
        let written = Region::bytes(self.c, span);
        if self.beta == 0.0 {
            conditions.writes(written);
        } else {
            conditions.updates(written);
        }
        let results = Results {
            strides: c.strides,
            extents: [c.rows, c.columns],
            batches: self.batches,
            steps: [a, b].map(|matrices| u32::from(matrices.count > 1)),
            single: self.is_single.into(),
            beta: self.beta,
        };
        // Where there are no products, no thread loads through the maps: they are of an element of C.
        let none = Matrices::element(self.c, 8);
        let mut operand = |matrices| {
            if self.size[2] == 0 {
                return self.map_of_many(none);
            }
            let map = self.map_of_many(matrices);
            conditions.reads(map.into());
            map
        };
        let (a, b) = (operand(a), operand(b));
        let (a_k_major, b_k_major) = (!self.a_transposed, self.b_transposed);
        let bias = BufferRef::<f32>::new(self.bias.unwrap_or(self.c));
        let is_wide = form == Form::Wide;
        with_element!(self.numbers, T => {
            let c = BufferRef::<T>::new(self.c);
            if is_wide {
                gemm_batched::<T>(a_k_major, b_k_major, a, b, arguments, results, c, bias)
            } else {
                gemm_batched_narrow::<T>(a_k_major, b_k_major, a, b, arguments, results, c, bias)
            }
        })
    }
}
