use kernels_gpu::attention::{Attention, Packed};
use tma_host::{Buffer, Failure, Stage};
use tma_launch::{Conditions, Violations, check::descent};

use crate::{
    Element, Kernels,
    operand::{Operand, Operands},
};

/// The extents of the tensors of [`Kernels::attention`], and what each query attends to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionShape {
    /// The number of elements of a head: 64, 128 or 256.
    pub elements: u32,
    /// The number of sequences.
    pub sequences: u32,
    /// The number of queries of a sequence; of the longest one if sequences are packed.
    pub queries: u32,
    /// The number of keys, and of values, of a sequence; of the longest one if sequences are packed.
    pub keys: u32,
    /// The number of heads of queries.
    pub heads: u32,
    /// The number of heads of keys and values. It divides `heads`: neighbouring heads of queries share one.
    pub key_heads: u32,
    /// True if a query ignores later keys. The last query and the last key have the same position. The weights of ignored keys
    /// are zero: infinities and NaN in their values still spread to the results, and those in the gradients of the results of a
    /// query to the gradients of the keys and values that it ignores.
    pub is_causal: bool,
    /// The factor of the scores. A score times this factor must be between -10⁸ and 10⁸: beyond, its power may leave the range
    /// of its type, and results may be zero, infinite or NaN.
    pub scale: f32,
}

impl AttentionShape {
    /// Returns the shape of one sequence with one head, not causal, with a scale of `1 / sqrt(elements)`.
    pub fn new(elements: u32, queries: u32, keys: u32) -> Self {
        Self {
            elements,
            sequences: 1,
            queries,
            keys,
            heads: 1,
            key_heads: 1,
            is_causal: false,
            scale: (elements as f32).sqrt().recip(),
        }
    }
}

/// The tensors of [`Kernels::attention`].
#[derive(Debug)]
pub struct AttentionTensors<'a, T: Element> {
    /// `[elements, heads, queries, sequences]`, innermost first.
    pub queries: &'a Buffer<T>,
    /// `[elements, key_heads, keys, sequences]`, innermost first.
    pub keys: &'a Buffer<T>,
    /// `[elements, key_heads, keys, sequences]`, innermost first.
    pub values: &'a Buffer<T>,
    /// `[elements, heads, queries, sequences]`, innermost first.
    pub results: &'a mut Buffer<T>,
    /// The natural logarithms of the sums of the exponentials: `[queries, heads, sequences]`, innermost first. A query that
    /// sees no key has minus infinity, and its results are zero.
    pub logarithms: &'a mut Buffer<f32>,
}

impl Kernels {
    /// Writes `softmax(scale * Q * transpose(K)) * V` to the results, and the natural logarithms of the sums.
    ///
    /// # Errors
    /// Lists all extents that no kernel supports, with the nearest values that meet the broken rule. If there are none, lists
    /// all buffers that are too short. The device must run `sm_90a` kernels.
    #[doc(alias("scaled_dot_product_attention", "flash_attn_func"))]
    pub fn attention<T: Element>(
        &self,
        shape: &AttentionShape,
        tensors: AttentionTensors<'_, T>,
    ) -> Result<(), Failure> {
        let mut operands = Operands::default();
        let attention = self.arguments(shape, &mut operands, tensors);
        // SAFETY: the buffers are those of the operands, and the written ones are borrowed exclusively (1).
        unsafe { self.start("attention", Conditions::default(), &attention, &operands) }
    }

    /// Computes [`attention`](Self::attention) of sequences with different lengths, which are stored one after the
    /// other.
    ///
    /// `starts` are those of the queries and of the keys. Tensors have the positions of all sequences in place of
    /// positions and sequences: `[elements, heads, all queries]`, and `[all queries, heads]` for the logarithms. Of a
    /// sequence longer than `shape`, only the first queries and keys count. Infinities and NaN in `values` after a
    /// sequence's last value spread to its results.
    ///
    /// # Errors
    /// Returns the errors of [`attention`](Self::attention); `starts` need `shape.sequences + 1` numbers.
    #[doc(alias = "flash_attn_varlen_func")]
    pub fn attention_packed<T: Element>(
        &self,
        shape: &AttentionShape,
        starts: [&Starts; 2],
        tensors: AttentionTensors<'_, T>,
    ) -> Result<(), Failure> {
        let mut operands = Operands::default();
        let arguments = self.arguments(shape, &mut operands, tensors);
        let attention = Attention {
            packed: Some(Starts::packed(starts, &mut operands)),
            ..arguments
        };
        // SAFETY: the buffers are those of the operands, the written ones are borrowed exclusively, and starts ascend,
        // as their type ensures (1).
        unsafe { self.start("attention", Conditions::default(), &attention, &operands) }
    }

    /// Returns the arguments for this device and these buffers, which become operands.
    fn arguments<T: Element>(
        &self,
        shape: &AttentionShape,
        operands: &mut Operands,
        tensors: AttentionTensors<'_, T>,
    ) -> Attention {
        let AttentionTensors {
            queries,
            keys,
            values,
            results,
            logarithms,
        } = tensors;
        Attention {
            numbers: T::NUMBERS,
            elements: shape.elements,
            sequences: shape.sequences,
            queries: shape.queries,
            keys: shape.keys,
            packed: None,
            heads: shape.heads,
            key_heads: shape.key_heads,
            is_causal: shape.is_causal,
            scale: shape.scale,
            multiprocessors: self.device().multiprocessors(),
            results: operands.add(Operand::new("the results", results.at(0))),
            queries_at: operands.add(Operand::new("the queries", queries.at(0))),
            keys_at: operands.add(Operand::new("the keys", keys.at(0))),
            values_at: operands.add(Operand::new("the values", values.at(0))),
            logarithms: operands.add(Operand::new("the logarithms", logarithms.at(0))),
        }
    }
}

/// The number of each sequence's first query or key, and after them the number of all, for
/// [`Kernels::attention_packed`] and [`Kernels::attention_backward_packed`]. None is less than the one before, so that
/// sequences have no query in common.
#[derive(Debug)]
#[doc(alias = "cu_seqlens")]
pub struct Starts {
    numbers: Buffer<u32>,
    /// The last number, or 0.
    total: u32,
}

impl Starts {
    /// Reads the numbers back and checks them once; the buffer cannot change after that.
    ///
    /// # Errors
    /// A number is less than the one before; or as [`Buffer::read`].
    pub fn new(numbers: Buffer<u32>) -> Result<Self, Failure> {
        let read = numbers.read()?;
        let total = read.last().copied().unwrap_or(0);
        let found = descent("starts", read);
        let result = Violations(found.into_iter().collect()).into_result();
        result.map_err(|violations| Failure {
            violations,
            ..Failure::new(Stage::Check, "the starts of the sequences are not valid")
        })?;
        Ok(Self { numbers, total })
    }

    /// Adds those of queries and of keys to the operands.
    pub(crate) fn packed([queries, keys]: [&Self; 2], operands: &mut Operands) -> Packed {
        let mut add = |what, starts: &Self| operands.add(Operand::new(what, starts.numbers.at(0)));
        Packed {
            queries: queries.total,
            keys: keys.total,
            query_starts: add("the queries' starts", queries),
            key_starts: add("the keys' starts", keys),
        }
    }
}
