use kernels_gpu::attention_backward::{AttentionBackward, Main, Prepare};
use tma_host::{Buffer, Failure};
use tma_launch::{Conditions, Violations};

use crate::{
    AttentionShape, Element, Kernels, Starts,
    operand::{Operand, Operands},
};

/// The tensors of [`Kernels::attention_backward`].
#[derive(Debug)]
pub struct BackwardTensors<'a, T: Element> {
    /// `[elements, heads, queries, sequences]`, innermost first.
    pub queries: &'a Buffer<T>,
    /// `[elements, key_heads, keys, sequences]`, innermost first.
    pub keys: &'a Buffer<T>,
    /// `[elements, key_heads, keys, sequences]`, innermost first.
    pub values: &'a Buffer<T>,
    /// The results of [`Kernels::attention`].
    pub results: &'a Buffer<T>,
    /// The logarithms of [`Kernels::attention`].
    pub logarithms: &'a Buffer<f32>,
    /// The gradients of the results.
    pub result_gradients: &'a Buffer<T>,
    /// The gradients of the queries.
    pub query_gradients: &'a mut Buffer<T>,
    /// The gradients of the keys.
    pub key_gradients: &'a mut Buffer<T>,
    /// The gradients of the values.
    pub value_gradients: &'a mut Buffer<T>,
}

/// Memory in which the blocks of [`Kernels::attention_backward`] add their parts of gradients, for one call at a time.
#[derive(Debug)]
pub struct BackwardMemory {
    statistics: Buffer<f32>,
    /// Zero, except while a kernel runs.
    sums: Buffer<f32>,
    counters: Buffer<u32>,
}

impl AttentionShape {
    /// Returns the arguments of the kernels, without their buffers.
    fn backward(&self, is_ordered: bool) -> AttentionBackward {
        AttentionBackward {
            elements: self.elements,
            sequences: self.sequences,
            queries: self.queries,
            keys: self.keys,
            heads: self.heads,
            key_heads: self.key_heads,
            is_causal: self.is_causal,
            is_ordered,
            scale: self.scale,
            ..AttentionBackward::default()
        }
    }
}

impl Kernels {
    /// Allocates the memory that a call of [`attention_backward`](Self::attention_backward) with this shape needs.
    ///
    /// # Errors
    /// Returns the errors of an allocation.
    pub fn backward_memory(&self, shape: &AttentionShape) -> Result<BackwardMemory, Failure> {
        let device = self.device();
        let arguments = shape.backward(false);
        Ok(BackwardMemory {
            statistics: device.zeroed(arguments.statistics_len() as usize)?,
            sums: device.zeroed(arguments.sums_len() as usize)?,
            counters: device.zeroed(arguments.counters_len() as usize)?,
        })
    }

    /// Writes the gradients of the queries, keys and values of [`attention`](Self::attention), for heads of 64 or 128
    /// elements.
    ///
    /// Where it is `is_ordered`, the gradients of queries are added in a fixed order: they are the same bits each time.
    /// Otherwise blocks add them as they come, which is faster.
    ///
    /// # Errors
    /// Lists all extents that no kernel supports, with the nearest values that meet the broken rule. If there are none, lists
    /// all buffers that are too short. The device must run `sm_90a` kernels.
    #[doc(alias("scaled_dot_product_attention_backward", "flash_attn_backward"))]
    pub fn attention_backward<T: Element>(
        &self,
        shape: &AttentionShape,
        is_ordered: bool,
        tensors: BackwardTensors<'_, T>,
        memory: &mut BackwardMemory,
    ) -> Result<(), Failure> {
        let what = "attention_backward";
        self.start_backward(what, shape, None, is_ordered, tensors, memory)
    }

    /// Writes the gradients of [`attention_packed`](Self::attention_packed), whose `starts` and tensors these are.
    ///
    /// Of a sequence longer than `shape`, only the first queries and keys get gradients. Infinities and NaN after a
    /// sequence's last position spread to its gradients.
    ///
    /// # Errors
    /// Returns the errors of [`attention_backward`](Self::attention_backward); `starts` need `shape.sequences + 1` numbers.
    #[doc(alias = "flash_attn_varlen_backward")]
    pub fn attention_backward_packed<T: Element>(
        &self,
        shape: &AttentionShape,
        starts: [&Starts; 2],
        is_ordered: bool,
        tensors: BackwardTensors<'_, T>,
        memory: &mut BackwardMemory,
    ) -> Result<(), Failure> {
        let what = "attention_backward_packed";
        self.start_backward(what, shape, Some(starts), is_ordered, tensors, memory)
    }

    fn start_backward<T: Element>(
        &self,
        what: &'static str,
        shape: &AttentionShape,
        starts: Option<[&Starts; 2]>,
        is_ordered: bool,
        tensors: BackwardTensors<'_, T>,
        memory: &mut BackwardMemory,
    ) -> Result<(), Failure> {
        let BackwardTensors {
            queries,
            keys,
            values,
            results,
            logarithms,
            result_gradients,
            query_gradients,
            key_gradients,
            value_gradients,
        } = tensors;
        let mut operands = Operands::default();
        let backward = AttentionBackward {
            numbers: T::NUMBERS,
            query_gradients: operands.add(Operand::new(
                "the queries' gradients",
                query_gradients.at(0),
            )),
            key_gradients: operands.add(Operand::new("the keys' gradients", key_gradients.at(0))),
            value_gradients: operands
                .add(Operand::new("the values' gradients", value_gradients.at(0))),
            queries_at: operands.add(Operand::new("the queries", queries.at(0))),
            keys_at: operands.add(Operand::new("the keys", keys.at(0))),
            values_at: operands.add(Operand::new("the values", values.at(0))),
            results: operands.add(Operand::new("the results", results.at(0))),
            result_gradients: operands.add(Operand::new(
                "the results' gradients",
                result_gradients.at(0),
            )),
            logarithms: operands.add(Operand::new("the logarithms", logarithms.at(0))),
            statistics: operands.add(Operand::new(
                "the memory for statistics",
                memory.statistics.at(0),
            )),
            sums: operands.add(Operand::new("the memory for sums", memory.sums.at(0))),
            counters: operands.add(Operand::new("the counters", memory.counters.at(0))),
            packed: starts.map(|starts| Starts::packed(starts, &mut operands)),
            ..shape.backward(is_ordered)
        };
        // All conditions of both launches hold before the first one starts: the second one reads what it writes.
        let refused = |broken| Failure::check(what, broken);
        let mut launch = Main(backward).launch().map_err(refused)?;
        let first = Prepare(backward).launch().map_err(refused)?;
        launch.uses.extend(first.uses);
        let short = Violations(operands.too_short(&launch));
        short.into_result().map_err(refused)?;
        // SAFETY: the buffers are those of the operands, the written ones are borrowed exclusively, and starts ascend, as
        // their type ensures (1).
        unsafe { self.start(what, Conditions::default(), &Prepare(backward), &operands) }?;
        // SAFETY: see above. The first launch zeroes the counters; sums were allocated as zeros, and each kernel leaves
        // them so (1).
        unsafe { self.start(what, Conditions::default(), &Main(backward), &operands) }
    }
}
