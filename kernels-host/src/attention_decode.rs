use kernels_gpu::attention_decode::AttentionDecode;
use tma_host::{Buffer, Failure};
use tma_launch::Conditions;

use crate::{
    CacheElement, Element, Kernels,
    operand::{Operand, Operands},
};

/// The extents of the tensors of [`Kernels::attention_decode`]; heads have 128 elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeShape {
    /// The number of sequences.
    pub sequences: u32,
    /// The number of queries of each sequence, 1 to 16: its last positions. A query sees no key after it.
    pub queries: u32,
    /// The number of heads of queries.
    pub heads: u32,
    /// The number of heads of keys and values. It divides `heads`: neighbouring heads of queries share one.
    pub key_heads: u32,
    /// The number of keys of a page: 16, 32, 64 or 128.
    pub page_keys: u32,
    /// The number of pages of the cache.
    pub pages: u32,
    /// The number of pages that the table has of each sequence.
    pub sequence_pages: u32,
    /// True if a page has the keys of one head after those of another (`HND`); otherwise the heads of a key are
    /// neighbours (`NHD`).
    #[doc(alias("kv_layout", "NHD", "HND"))]
    pub is_by_heads: bool,
    /// The factor of the scores. A score times this factor must be between -10⁸ and 10⁸: beyond, its power may leave the range
    /// of its type, and results may be zero, infinite or NaN.
    pub scale: f32,
    /// The factors of the keys and of the values that the cache stores: 1, unless they were divided to fit `e4m3`.
    #[doc(alias("k_scale", "v_scale", "descale"))]
    pub cache_scales: [f32; 2],
}

/// The tensors of [`Kernels::attention_decode`]: keys and values have the type of the queries, or are the bits of `e4m3`.
#[derive(Debug)]
pub struct DecodeTensors<'a, T: Element, C: CacheElement<T> = T> {
    /// `[elements, heads, queries, sequences]`, innermost first. Beside a cache of `e4m3` a query counts as the sum of two
    /// `e4m3`, with a power of two for all elements of its head: `bf16` is exact from 2⁻⁹ of the largest element on, `f16` is rounded
    /// to eight bits. Numbers beyond ±2⁶⁴, and infinities, count as ±2⁶⁴. Tensor cores add up scores with 13 bits after the
    /// point. Beside a cache of `f16` or `e4m3`, weights are rounded to `f16`: a key whose weight is less than 2⁻²⁵ of the
    /// largest weight of its query may count as absent.
    pub queries: &'a Buffer<T>,
    /// `[elements, key_heads, page_keys, pages]`, innermost first, or `[elements, page_keys, key_heads, pages]`.
    pub keys: &'a Buffer<C>,
    /// The values, as the keys. Infinities and NaN in the value of a key spread to all queries of its sequence, also to those
    /// that do not see the key.
    pub values: &'a Buffer<C>,
    /// The number of keys of each sequence, those of its queries included. A number beyond its pages counts as all their keys.
    pub lengths: &'a Buffer<u32>,
    /// `[sequence_pages, sequences]`, innermost first: the numbers of the pages of each sequence. Keys and values of a page
    /// that the cache does not have are zero.
    pub page_table: &'a Buffer<u32>,
    /// `[elements, heads, queries, sequences]`, innermost first.
    pub results: &'a mut Buffer<T>,
    /// The natural logarithms of the sums of the exponentials: `[heads, queries, sequences]`, innermost first. A query that
    /// sees no key has minus infinity, and its results are zero.
    #[doc(alias("lse", "softmax_lse"))]
    pub logarithms: &'a mut Buffer<f32>,
}

/// Memory in which the blocks of [`Kernels::attention_decode`] exchange parts of results, for one call at a time.
#[derive(Debug)]
pub struct DecodeMemory {
    partials: Buffer<f32>,
    /// Zero, except while a kernel runs.
    counters: Buffer<u32>,
}

impl DecodeShape {
    fn arguments(&self, multiprocessors: u32) -> AttentionDecode {
        AttentionDecode {
            sequences: self.sequences,
            queries: self.queries,
            heads: self.heads,
            key_heads: self.key_heads,
            page_keys: self.page_keys,
            pages: self.pages,
            sequence_pages: self.sequence_pages,
            is_by_heads: self.is_by_heads,
            scale: self.scale,
            cache_scales: self.cache_scales,
            multiprocessors,
            ..AttentionDecode::default()
        }
    }
}

impl Kernels {
    /// Allocates the memory that a call of [`attention_decode`](Self::attention_decode) with this shape needs.
    ///
    /// # Errors
    /// Returns the errors of an allocation.
    pub fn decode_memory(&self, shape: &DecodeShape) -> Result<DecodeMemory, Failure> {
        let device = self.device();
        let arguments = shape.arguments(device.multiprocessors());
        Ok(DecodeMemory {
            partials: device.zeroed(arguments.partials_len() as usize)?,
            counters: device.zeroed(arguments.counters_len() as usize)?,
        })
    }

    /// Writes `softmax(scale * Q * transpose(K)) * V` to the results, for the last queries of sequences whose keys and values
    /// are stored in pages, and the natural logarithms of the sums.
    ///
    /// Results do not depend on the order in which blocks run.
    ///
    /// # Errors
    /// Lists all extents that no kernel supports, with the nearest values that meet the broken rule. If there are none, lists
    /// all buffers that are too short. The device must run `sm_90a` kernels.
    #[doc(alias("paged_attention", "flash_attn_with_kvcache"))]
    pub fn attention_decode<T: Element, C: CacheElement<T>>(
        &self,
        shape: &DecodeShape,
        tensors: DecodeTensors<'_, T, C>,
        memory: &mut DecodeMemory,
    ) -> Result<(), Failure> {
        let DecodeTensors {
            queries,
            keys,
            values,
            lengths,
            page_table,
            results,
            logarithms,
        } = tensors;
        let mut operands = Operands::default();
        let decode = AttentionDecode {
            numbers: T::NUMBERS,
            is_e4m3: C::IS_E4M3,
            results: operands.add(Operand::new("the results", results.at(0))),
            queries_at: operands.add(Operand::new("the queries", queries.at(0))),
            keys_at: operands.add(Operand::new("the keys", keys.at(0))),
            values_at: operands.add(Operand::new("the values", values.at(0))),
            lengths: operands.add(Operand::new("the lengths", lengths.at(0))),
            page_table: operands.add(Operand::new("the page table", page_table.at(0))),
            partials: operands.add(Operand::new("the memory for parts", memory.partials.at(0))),
            counters: operands.add(Operand::new("the counters", memory.counters.at(0))),
            logarithms: operands.add(Operand::new("the logarithms", logarithms.at(0))),
            ..shape.arguments(self.device().multiprocessors())
        };
        // SAFETY: the buffers are those of the operands, the written ones are borrowed exclusively, and the counters are
        // zero: they were allocated so, and each kernel leaves them so (1).
        unsafe {
            self.start(
                "attention_decode",
                Conditions::default(),
                &decode,
                &operands,
            )
        }
    }
}
