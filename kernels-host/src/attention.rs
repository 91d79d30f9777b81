use kernels_gpu::attention::{Attention, Packed};
use tma_host::{Buffer, Failure};
use tma_launch::{Conditions, Violations, check::descent};

use crate::{
    Element, Kernels,
    operand::{Operand, Operands},
};

impl Kernels {
    /// Writes `softmax(scale * Q * transpose(K)) * V` to the results, and the natural logarithms of the sums, one for
    /// each query of each head.
    ///
    /// Queries, keys, values and results have the elements of a head innermost, then heads, then positions, then
    /// sequences, one after the other; logarithms have positions innermost, then heads, then sequences. The type, the
    /// multiprocessors and the buffers of `extents` are not looked at.
    ///
    /// # Errors
    /// Extents that the kernels cannot take, packed sequences, and buffers that are too short: all of these at once; or
    /// there is no kernel for the GPU, which is one for `sm_90a`.
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
        let mut conditions = Conditions::default();
        if extents.packed.is_some() {
            let fix = "call `attention_packed`, or pass `None`".to_owned();
            conditions.refuse(
                "packed",
                "Some",
                "must be `None` (sequences have the same length)",
                fix,
            );
        }
        let mut operands = Operands::default();
        let attention = Attention {
            packed: None,
            ..self.of_buffers(
                extents,
                &mut operands,
                queries,
                keys,
                values,
                results,
                logarithms,
            )
        };
        // SAFETY: the buffers are those of the operands, and those that are written are borrowed exclusively (1).
        unsafe { self.start("attention", conditions, &attention, &operands) }
    }

    /// Computes [`attention`](Self::attention) of sequences that follow each other, with lengths of their own. `starts`
    /// hold the starts of the queries and of the keys.
    ///
    /// Extents have the longest sequence's queries and keys, and `packed` has the numbers of all together; its buffers
    /// are ignored. Logarithms have the positions of all sequences innermost, then heads. Of a sequence longer than the
    /// extents, only the first queries and keys count.
    ///
    /// # Errors
    /// Works like [`attention`](Self::attention); or sequences are not packed.
    #[doc(alias = "flash_attn_varlen_func")]
    #[expect(clippy::too_many_arguments, reason = "each is a tensor")]
    pub fn attention_packed<T: Element>(
        &self,
        extents: &Attention,
        starts: [&Starts; 2],
        queries: &Buffer<T>,
        keys: &Buffer<T>,
        values: &Buffer<T>,
        results: &mut Buffer<T>,
        logarithms: &mut Buffer<f32>,
    ) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        if extents.packed.is_none() {
            let fix = "pass the queries and keys of all sequences, or call `attention`".to_owned();
            conditions.refuse(
                "packed",
                "None",
                "must be `Some` (sequences are packed)",
                fix,
            );
        }
        let mut operands = Operands::default();
        let attention = self.of_buffers(
            extents,
            &mut operands,
            queries,
            keys,
            values,
            results,
            logarithms,
        );
        let [query_starts, key_starts] = starts;
        let query_starts = operands.add(Operand::new("the queries' starts", query_starts.0.at(0)));
        let key_starts = operands.add(Operand::new("the keys' starts", key_starts.0.at(0)));
        let attention = Attention {
            packed: extents.packed.map(|packed| Packed {
                query_starts,
                key_starts,
                ..packed
            }),
            ..attention
        };
        // SAFETY: the buffers are those of the operands, the written ones are borrowed exclusively, and starts ascend,
        // as their type ensures (1).
        unsafe { self.start("attention", conditions, &attention, &operands) }
    }

    /// Returns the arguments for this device and these buffers, which become operands.
    #[expect(clippy::too_many_arguments, reason = "each is a tensor")]
    fn of_buffers<T: Element>(
        &self,
        extents: &Attention,
        operands: &mut Operands,
        queries: &Buffer<T>,
        keys: &Buffer<T>,
        values: &Buffer<T>,
        results: &mut Buffer<T>,
        logarithms: &mut Buffer<f32>,
    ) -> Attention {
        Attention {
            numbers: T::NUMBERS,
            multiprocessors: self.device().multiprocessors(),
            results: operands.add(Operand::new("the results", results.at(0))),
            queries_at: operands.add(Operand::new("the queries", queries.at(0))),
            keys_at: operands.add(Operand::new("the keys", keys.at(0))),
            values_at: operands.add(Operand::new("the values", values.at(0))),
            logarithms: operands.add(Operand::new("the logarithms", logarithms.at(0))),
            ..*extents
        }
    }
}

/// The number of each sequence's first query or key, and after them the number of all, for
/// [`Kernels::attention_packed`]. None is less than the one before, so that sequences have no query in common.
#[derive(Debug)]
#[doc(alias = "cu_seqlens")]
pub struct Starts(Buffer<u32>);

impl Starts {
    /// Reads the numbers back and checks them once; the buffer cannot change after that.
    ///
    /// # Errors
    /// A number is less than the one before; or as [`Buffer::read`].
    pub fn new(numbers: Buffer<u32>) -> Result<Self, Failure> {
        let found = descent("starts", numbers.read()?);
        let result = Violations(found.into_iter().collect()).into_result();
        result.map_err(|broken| Failure::check("attention_packed", broken))?;
        Ok(Self(numbers))
    }
}
