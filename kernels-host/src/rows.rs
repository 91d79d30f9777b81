use kernels_gpu::{layer_norm::LayerNorm, rms_norm::RmsNorm, rows::Rows, softmax::Softmax};
use tma_host::{Buffer, Failure};
use tma_launch::{Checked, Conditions};

use crate::{
    Kernels, RowElement,
    operand::{Operand, Operands},
};

impl Kernels {
    /// Writes `exp(x) / sum(exp(x))` for each element `x` of each row of `len` elements; sums are of `f32`.
    ///
    /// # Errors
    /// Works like [`rms_norm`](Self::rms_norm), for rows of `len` elements.
    pub fn softmax<T: RowElement>(
        &self,
        len: usize,
        src: &Buffer<T>,
        dst: &mut Buffer<T>,
    ) -> Result<(), Failure> {
        self.rows("softmax", len, src, dst, |rows, _| Softmax { rows })
    }

    /// Writes `x / sqrt(mean(x^2) + epsilon) * weight` for each element `x` of each row; sums are of `f32`.
    ///
    /// Rows are stored one after the other, and are as long as the weights.
    ///
    /// # Errors
    /// Rows must be whole, 16 bytes to 128 KiB long and a multiple of 16 bytes, and there must be one. If they are, lists all
    /// buffers that are too short.
    pub fn rms_norm<T: RowElement>(
        &self,
        epsilon: f32,
        src: &Buffer<T>,
        weight: &Buffer<T>,
        dst: &mut Buffer<T>,
    ) -> Result<(), Failure> {
        let len = weight.len_elems();
        self.rows("rms_norm", len, src, dst, |rows, operands| RmsNorm {
            rows,
            weight: operands.add(Operand::new("the weights", weight.at(0))),
            epsilon,
        })
    }

    /// Writes `(x - mean) / sqrt(variance + epsilon) * weight + bias` for each element `x` of each row, with mean and
    /// variance of the row; sums are of `f32`.
    ///
    /// Rows are stored one after the other, and are as long as the weights.
    ///
    /// # Errors
    /// Works like [`rms_norm`](Self::rms_norm).
    pub fn layer_norm<T: RowElement>(
        &self,
        epsilon: f32,
        src: &Buffer<T>,
        weight: &Buffer<T>,
        bias: &Buffer<T>,
        dst: &mut Buffer<T>,
    ) -> Result<(), Failure> {
        let len = weight.len_elems();
        self.rows("layer_norm", len, src, dst, |rows, operands| LayerNorm {
            rows,
            weight: operands.add(Operand::new("the weights", weight.at(0))),
            bias: operands.add(Operand::new("the bias", bias.at(0))),
            epsilon,
        })
    }

    /// Starts the kernel of the arguments that `arguments` makes of the rows; it adds the parameters of the columns to the
    /// operands.
    fn rows<T: RowElement, A: Checked>(
        &self,
        what: &str,
        len: usize,
        src: &Buffer<T>,
        dst: &mut Buffer<T>,
        arguments: impl FnOnce(Rows, &mut Operands) -> A,
    ) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        let elements = src.len_elems();
        if len > 0 {
            let reason = "rows must be whole";
            conditions.multiple(
                "elements of the source",
                elements as u64,
                len as u64,
                reason,
            );
        }
        // Larger numbers are refused as these are.
        let limited = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let mut operands = Operands::default();
        let rows = Rows {
            numbers: T::NUMBERS,
            len: limited(len),
            rows: limited(elements / len.max(1)),
            dst: operands.add(Operand::new("the results", dst.at(0))),
            src: operands.add(Operand::new("the source", src.at(0))),
        };
        let arguments = arguments(rows, &mut operands);
        // SAFETY: the buffers are those of the operands, and the results are borrowed exclusively (1).
        unsafe { self.start(what, conditions, &arguments, &operands) }
    }
}
