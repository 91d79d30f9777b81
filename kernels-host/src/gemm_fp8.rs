use kernels_gpu::gemm_fp8::{GemmFp8, Groups};
use tma_host::{Buffer, Failure, half::bf16};
use tma_launch::Conditions;

use crate::{
    Kernels, Matrix, MatrixMut,
    matrix::{Layout, elements, equal, extent},
    operand::{Operand, Operands},
};

/// The rows of A that have a B of their own, in [`Kernels::gemm_fp8`]. B is several matrices then, one after the other.
#[derive(Clone, Copy, Debug)]
#[doc(alias(
    "m_grouped_fp8_gemm_nt_contiguous",
    "m_grouped_fp8_gemm_nt_masked",
    "mixture of experts"
))]
pub enum Experts<'buffer> {
    /// All rows have the same.
    One,
    /// Each 128 rows belong to the expert of this number. Rows without an expert, with a number such as -1, are not
    /// computed, and C is left as it is.
    Contiguous(&'buffer Buffer<i32>),
    /// A and C are as many matrices as B, with a multiple of 128 rows. The buffer has the rows that are computed, up to
    /// the next multiple of 128. For the others C is left as it is.
    Masked(&'buffer Buffer<u32>),
}

impl Kernels {
    /// Writes A times the transpose of B to C, where A and B have numbers of `e4m3`, given by their bits, and scales;
    /// sums are of `f32`, and rounded once.
    ///
    /// C has M rows of N columns, A has M rows of K, and B has N rows of K; where K is zero, so are the sums. Matrices
    /// and their rows begin at multiples of 16 bytes. Elements of C between its last column and the next multiple of 16
    /// bytes may be written, too.
    ///
    /// `a_scales` has a scale for each row, for the first 128 numbers along K, then for the next 128, which begin at
    /// the next multiple of 4. `b_scales` has one for each 128 numbers along K, for the first 128 rows, then for the
    /// next 128 rows. A scale of A times a scale of B must be zero or a normal `f32`. Several matrices have their scales
    /// together: rows of all A count as rows of one, and scales of a B follow the scales of the B before.
    ///
    /// # Errors
    /// Lists all extents that are zero, too large or do not fit each other, and all strides and offsets that are not multiples
    /// of 16 bytes. If there are none, lists all buffers that are too short. The GPU must run `sm_90a` kernels.
    #[doc(alias("cublasLtMatmul", "_scaled_mm", "fp8_gemm_nt"))]
    pub fn gemm_fp8(
        &self,
        (a, a_scales): (Matrix<'_, u8>, &Buffer<f32>),
        (b, b_scales): (Matrix<'_, u8>, &Buffer<f32>),
        c: MatrixMut<'_, bf16>,
        experts: Experts<'_>,
    ) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        let [m, n, k] = [a.layout.rows, b.layout.rows, a.layout.columns];
        let columns = b.layout.columns;
        equal(&mut conditions, "columns", "B", columns, k, "columns of A");
        equal(&mut conditions, "rows", "C", c.layout.rows, m, "rows of A");
        let columns = c.layout.columns;
        equal(&mut conditions, "columns", "C", columns, n, "rows of B");
        let layouts = [c.layout, a.layout, b.layout];
        let of_a = match experts {
            Experts::Masked(_) => b.layout.batches,
            _ => 1,
        };
        let of_b = match experts {
            Experts::One => 1,
            _ => b.layout.batches,
        };
        for (name, layout, batches) in [
            ("C", c.layout, of_a),
            ("A", a.layout, of_a),
            ("B", b.layout, of_b),
        ] {
            together(&mut conditions, name, layout, batches);
        }
        let count = extent(&mut conditions, "experts", of_b);
        let mut operands = Operands::default();
        let c = operands.add(elements(&mut conditions, "C", c.elements, c.layout));
        let a = operands.add(elements(&mut conditions, "A", a.elements, a.layout));
        let b = operands.add(elements(&mut conditions, "B", b.elements, b.layout));
        let a_scales = operands.add(Operand::new("the scales of A", a_scales.at(0)));
        let b_scales = operands.add(Operand::new("the scales of B", b_scales.at(0)));
        let groups = match experts {
            Experts::One => Groups::One,
            Experts::Contiguous(numbers) => Groups::Contiguous {
                experts: count,
                numbers: operands.add(Operand::new("the experts' numbers", numbers.at(0))),
            },
            Experts::Masked(rows) => Groups::Masked {
                experts: count,
                rows: operands.add(Operand::new("the numbers of rows", rows.at(0))),
            },
        };
        let gemm = GemmFp8 {
            size: [("M", m), ("N", n), ("K", k)]
                .map(|(name, of)| extent(&mut conditions, name, of)),
            strides: layouts.map(|layout| Some(layout.stride as u64)),
            c,
            a,
            b,
            a_scales,
            b_scales,
            groups,
            multiprocessors: self.device().multiprocessors(),
            ..GemmFp8::default()
        };
        // SAFETY: the buffers are those of the operands, and C is borrowed exclusively (1).
        unsafe { self.start("gemm_fp8", conditions, &gemm, &operands) }
    }
}

/// Refuses another number of matrices, and matrices that are not stored one after the other.
fn together(conditions: &mut Conditions, name: &str, layout: Layout, batches: usize) {
    equal(
        conditions,
        "batches",
        name,
        layout.batches,
        batches,
        "matrices that are multiplied",
    );
    let behind = layout.rows.saturating_mul(layout.stride);
    if layout.batches != 1 {
        let because = "elements of its rows";
        equal(
            conditions,
            "batch stride",
            name,
            layout.batch_stride,
            behind,
            because,
        );
    }
}
