use launch::{Launch, Violations};

use crate::conditions::{Conditions, product};

/// Writes `2 * x + 1` for each number of the input: a warp of each block copies, the others compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerConsumer {
    /// Which of the two.
    pub form: ProducerConsumerForm,
    /// The buffer of `f32` that is read: `batches * buffer_len` numbers for each block.
    pub input: usize,
    /// The buffer that is written, as long.
    pub output: usize,
    /// Batches of a block.
    pub batches: u32,
    /// Numbers of a batch.
    pub buffer_len: u32,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

/// What tells the warps of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProducerConsumerForm {
    /// A ring of stages.
    #[doc(alias = "cuda::pipeline")]
    Ring,
    /// Four barriers at which all arrive.
    #[doc(alias = "__mbarrier_t")]
    Barriers,
}

impl ProducerConsumer {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        let reasons = [
            "a warp that copies and at least one that computes:",
            "warps have a role each: a multiple of",
        ];
        conditions.warps(self.threads, 64..=1024, reasons);
        let reason = "there is no empty batch: at least";
        conditions.at_least("buffer_len", self.buffer_len, 1, reason);
        let numbers = product(&[self.blocks, self.batches, self.buffer_len]).saturating_mul(4);
        let entry = match self.form {
            ProducerConsumerForm::Ring => "producer_consumer_ring",
            ProducerConsumerForm::Barriers => "producer_consumer_barriers",
        };
        conditions.launch(
            Launch::new(entry, self.blocks, self.threads)
                .shared_bytes(self.buffer_len.saturating_mul(8))
                .buffer_of(self.input, numbers)
                .buffer_of(self.output, numbers)
                .scalar(self.batches)
                .scalar(self.buffer_len),
        )
    }
}
