use kernels_gpu::gemm_fp8::GemmFp8;
use tma_host::{Buffer, Failure, half::bf16};
use tma_launch::Conditions;

use crate::{
    Kernels, Matrix, MatrixMut,
    gemm::{elements, equal, extent},
    operand::Operand,
};

impl Kernels {
    /// Writes A times the transpose of B to C, where A and B have numbers of `e4m3`, given by their bits, and scales;
    /// sums are of `f32`, and rounded once.
    ///
    /// C has M rows of N columns, A has M rows of K, and B has N rows of K; where K is zero, so are the sums. Matrices
    /// and their rows begin at multiples of 16 bytes. Elements of C between its last column and the next multiple of 16
    /// bytes may be written, too.
    ///
    /// `a_scales` has a scale for each row, for the first 128 numbers along K, then those for the next 128. `b_scales` has
    /// one for each 128 numbers along K, for the first 128 rows, then those of the next 128 rows.
    ///
    /// # Errors
    /// Matrices that do not fit each other, strides and offsets that are no multiples of 16 bytes, and buffers that are
    /// too short: all of these at once; or there is no kernel for the GPU, which is one for `sm_90a`.
    #[doc(alias("cublasLtMatmul", "_scaled_mm", "fp8_gemm_nt"))]
    pub fn gemm_fp8(
        &self,
        (a, a_scales): (Matrix<'_, u8>, &Buffer<f32>),
        (b, b_scales): (Matrix<'_, u8>, &Buffer<f32>),
        c: MatrixMut<'_, bf16>,
    ) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        let [m, n, k] = [a.layout.rows, b.layout.rows, a.layout.columns];
        let columns = b.layout.columns;
        equal(&mut conditions, "columns", "B", columns, k, "A has columns");
        equal(&mut conditions, "rows", "C", c.layout.rows, m, "A has rows");
        let columns = c.layout.columns;
        equal(&mut conditions, "columns", "C", columns, n, "B has rows");
        let layouts = [c.layout, a.layout, b.layout];
        for (name, layout) in ["C", "A", "B"].into_iter().zip(layouts) {
            equal(
                &mut conditions,
                "batches",
                name,
                layout.batches,
                1,
                "there are products",
            );
        }
        let operands = [
            elements(&mut conditions, "C", c.elements, c.layout),
            elements(&mut conditions, "A", a.elements, a.layout),
            elements(&mut conditions, "B", b.elements, b.layout),
            Operand::new("the scales of A", a_scales.at(0)),
            Operand::new("the scales of B", b_scales.at(0)),
        ];
        let gemm = GemmFp8 {
            size: [("M", m), ("N", n), ("K", k)]
                .map(|(name, of)| extent(&mut conditions, name, of)),
            strides: layouts.map(|layout| Some(layout.stride as u64)),
            multiprocessors: self.device().multiprocessors(),
            ..GemmFp8::default()
        };
        // SAFETY: the operands are in this order, and C is borrowed exclusively (1).
        unsafe { self.start("gemm_fp8", conditions, &gemm, &operands) }
    }
}
