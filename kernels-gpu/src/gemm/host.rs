//! The launch of products of matrices, and its conditions.

use tensor_map::{DataType, Swizzle, Tiled};
use tma::halves::{Bf16, F16};
use tma_launch::{BufferRef, Conditions, Launch, MapRef, Region, Shape, Violations};

use super::{Activation, BOX, Narrow, Product, ROWS, THREADS, Wide, Width, gemm, gemm_narrow};
use crate::arguments::product;

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// `bf16`.
    Bf16,
    /// `f16`.
    F16,
}

/// The product of two matrices. Elements of C between its last column and the next multiple of 16 bytes are written, too.
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
    /// From row to row of C, A and B as they lie in memory, in elements: 0 where rows lie one behind the other.
    pub strides: [u64; 3],
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
            strides: [0; 3],
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
        let data_type = match self.numbers {
            Numbers::Bf16 => DataType::Bf16,
            Numbers::F16 => DataType::F16,
        };
        let mut map = |matrix: usize, rows: u32, columns: u32, buffer| {
            let name = ["row stride of C", "row stride of A", "row stride of B"][matrix];
            let stride = match self.strides[matrix] {
                0 => columns.into(),
                stride => stride,
            };
            let reason = "rows begin at multiples of 16 bytes: a multiple of";
            conditions.multiple(name, stride, 8, reason);
            let reason = "rows do not overlap: at least";
            conditions.at_least(name, stride, columns.into(), reason);
            let map = Tiled::new(data_type, &[columns.into(), rows.into()])
                .strides_bytes(&[stride.saturating_mul(2)])
                .box_dims(&[BOX; 2])
                .swizzle(Swizzle::B128);
            MapRef::new(map, buffer)
        };
        let c = map(0, m, n, self.c);
        // Where there are no products, nobody loads A and B.
        let mut operand = |matrix, is_k_major, mn, buffer| match (k, is_k_major) {
            (0, _) => c,
            (_, true) => map(matrix, mn, k, buffer),
            (_, false) => map(matrix, k, mn, buffer),
        };
        let (a_k_major, b_k_major) = (!self.a_transposed, self.b_transposed);
        let a = operand(1, a_k_major, m, self.a);
        let b = operand(2, b_k_major, n, self.b);
        conditions.writes(c.into());
        if k > 0 {
            conditions.reads(a.into());
            conditions.reads(b.into());
        }
        let tiles = |columns| [m.div_ceil(ROWS), n.div_ceil(columns)];
        let wide = tiles(<Wide as Width<Bf16>>::COLUMNS);
        // Few wide tiles leave multiprocessors without work.
        let is_wide = product(&wide) >= u64::from(self.multiprocessors / 2);
        let tiles = match is_wide {
            true => wide,
            false => tiles(<Narrow as Width<Bf16>>::COLUMNS),
        };
        let reason = "tiles, each way, that are counted in 16 bits:";
        conditions.within("tiles down the product", tiles[0], 1..=0xffff, reason);
        conditions.within("tiles along the product", tiles[1], 1..=0xffff, reason);
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
            (Numbers::Bf16, false) => call!(gemm_narrow, Bf16),
            (Numbers::F16, true) => call!(gemm, F16),
            (Numbers::F16, false) => call!(gemm_narrow, F16),
        };
        // All blocks have as many tiles, or one less.
        let rounds = count.div_ceil(self.multiprocessors.max(1));
        let blocks = count.div_ceil(rounds.max(1));
        conditions.launch(call, Shape::new(blocks, THREADS))
    }
}
