use kernels_gpu::attention::Attention;
use tma_host::{Buffer, Failure};
use tma_launch::Conditions;

use crate::{Element, Kernels, operand::Operand};

impl Kernels {
    /// Writes `softmax(scale * Q * transpose(K)) * V` to the results, and the natural logarithms of the sums, one for
    /// each query of each head.
    ///
    /// Queries, keys, values and results have the elements of a head innermost, then heads, then positions, then
    /// sequences, one behind the other; logarithms have positions innermost, then heads, then sequences. The type and the
    /// buffers of `extents` are not looked at.
    ///
    /// # Errors
    /// Extents that the kernels cannot take, and buffers that are too short: all of these at once; or there is no
    /// kernel for the GPU, which is one for `sm_90a`.
    #[doc(alias("scaled_dot_product_attention", "flash_attn_func"))]
    pub fn attention<T: Element>(
        &self,
        extents: &Attention,
        queries: &Buffer<T>,
        keys: &Buffer<T>,
        values: &Buffer<T>,
        results: &mut Buffer<T>,
        logarithms: &mut Buffer<f32>,
    ) -> Result<(), Failure> {
        let attention = Attention {
            numbers: T::NUMBERS,
            results: 0,
            queries_at: 1,
            keys_at: 2,
            values_at: 3,
            logarithms: 4,
            ..*extents
        };
        let operands = [
            Operand::new("the results", results.at(0)),
            Operand::new("the queries", queries.at(0)),
            Operand::new("the keys", keys.at(0)),
            Operand::new("the values", values.at(0)),
            Operand::new("the logarithms", logarithms.at(0)),
        ];
        // SAFETY: the operands are in this order, and those that are written are borrowed exclusively (1).
        unsafe { self.start("attention", Conditions::default(), &attention, &operands) }
    }
}
