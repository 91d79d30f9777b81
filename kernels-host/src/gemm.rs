use kernels_gpu::gemm::{Activation, Gemm};
use tma_host::{Buffer, Failure};
use tma_launch::Conditions;

use crate::{
    Element, Kernels, Matrix, MatrixMut, Output,
    matrix::{Layout, elements, equal, extent},
    operand::{Operand, Operands},
};

/// The operation on a matrix before it is multiplied.
#[doc(alias("cublasOperation_t", "CUBLAS_OP_N", "CUBLAS_OP_T"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// None: it is multiplied as it is in memory.
    N,
    /// The transposed matrix.
    T,
}

/// The end of a product: the operations on its sums.
#[derive(Clone, Copy, Debug)]
pub struct Epilogue<'buffer> {
    /// The factor of the sums.
    pub alpha: f32,
    /// The factor of what C has, which is not read where it is 0.
    pub beta: f32,
    /// Numbers that are added to the columns, one to each.
    pub bias: Option<&'buffer Buffer<f32>>,
    /// The function applied to the results.
    pub activation: Activation,
}

impl Default for Epilogue<'_> {
    /// The sums are the results.
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 0.0,
            bias: None,
            activation: Activation::NONE,
        }
    }
}

impl Kernels {
    /// Writes `activation(alpha * A * B + beta * C + bias)` to C, where A and B are `a` and `b` after their operations; sums are of
    /// `f32`, and rounded once.
    ///
    /// C has M rows of N columns, A has M rows of K, and B has K rows of N; where K is zero, so are the sums. Matrices
    /// and their rows begin at multiples of 16 bytes. Elements of C between its last column and the next multiple of 16
    /// bytes may be written, too.
    ///
    /// Where C is several matrices, each is a product of its own A and B. An A or B that is one matrix is shared by all
    /// products.
    ///
    /// # Errors
    /// Lists all extents that are zero, too large or do not fit each other, and all strides and offsets that are not multiples
    /// of 16 bytes. If there are none, lists all buffers that are too short. The GPU must run `sm_90a` kernels.
    #[doc(alias("cublasGemmEx", "cublasLtMatmul"))]
    pub fn gemm<T: Element, R: Output<T>>(
        &self,
        op_a: Op,
        op_b: Op,
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        c: MatrixMut<'_, R>,
        epilogue: &Epilogue<'_>,
    ) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        let ([m, k], [rows_of_a, columns_of_a]) = operand(a.layout, op_a);
        let ([k_of_b, n], [rows_of_b, columns_of_b]) = operand(b.layout, op_b);
        let columns_of_a = format!("{columns_of_a} of A");
        equal(&mut conditions, rows_of_b, "B", k_of_b, k, &columns_of_a);
        let rows_of_a = format!("{rows_of_a} of A");
        equal(&mut conditions, "rows", "C", c.layout.rows, m, &rows_of_a);
        let columns_of_b = format!("{columns_of_b} of B");
        let columns = c.layout.columns;
        equal(&mut conditions, "columns", "C", columns, n, &columns_of_b);
        let batches = c.layout.batches;
        for (name, matrix) in [("A", a.layout), ("B", b.layout)] {
            if matrix.batches != 1 {
                equal(
                    &mut conditions,
                    "batches",
                    name,
                    matrix.batches,
                    batches,
                    "batches of C",
                );
            }
        }
        let layouts = [c.layout, a.layout, b.layout];
        let mut operands = Operands::default();
        let c = operands.add(elements(&mut conditions, "C", c.elements, c.layout));
        let a = operands.add(elements(&mut conditions, "A", a.elements, a.layout));
        let b = operands.add(elements(&mut conditions, "B", b.elements, b.layout));
        let bias = epilogue
            .bias
            .map(|bias| operands.add(Operand::new("the bias", bias.at(0))));
        let mut extent = |name: &str, number: usize| extent(&mut conditions, name, number);
        let gemm = Gemm {
            numbers: T::NUMBERS,
            is_single: R::IS_SINGLE,
            size: [extent("M", m), extent("N", n), extent("K", k)],
            a_transposed: op_a == Op::T,
            b_transposed: op_b == Op::T,
            batches: extent("batches", batches),
            strides: layouts.map(|layout| Some(layout.stride as u64)),
            batch_strides: layouts.map(|layout| Some(layout.batch_stride as u64)),
            alpha: epilogue.alpha,
            beta: epilogue.beta,
            bias,
            activation: epilogue.activation,
            c,
            a,
            b,
            multiprocessors: self.device().multiprocessors(),
        };
        // SAFETY: the buffers are those of the operands, and C is borrowed exclusively (1).
        unsafe { self.start("gemm", conditions, &gemm, &operands) }
    }
}

/// Returns the rows and columns of a matrix after its operation, and their names as it is in memory.
fn operand(Layout { rows, columns, .. }: Layout, op: Op) -> ([usize; 2], [&'static str; 2]) {
    match op {
        Op::N => ([rows, columns], ["rows", "columns"]),
        Op::T => ([columns, rows], ["columns", "rows"]),
    }
}
