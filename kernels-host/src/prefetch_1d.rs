use launch::{Launch, Violations};

use crate::conditions::{Conditions, product};

/// Writes `3 * x + 1` for each number of the input, which arrives in batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefetch1d {
    /// Batches in shared memory or on their way there: 1 to 8.
    pub stages: u32,
    /// The buffer of `i32` that is written: a number for each thread of the grid and each batch.
    pub output: usize,
    /// The buffer that is read, as long.
    pub input: usize,
    /// Batches.
    pub batches: u32,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl Prefetch1d {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        conditions.within("stages", self.stages, 1..=8, "there are kernels for");
        conditions.batches(self.batches, self.stages);
        let stage_bytes = self.threads.saturating_mul(4).saturating_add(8);
        let shared_bytes = self.stages.saturating_mul(stage_bytes);
        let numbers = product(&[self.batches, self.blocks, self.threads]).saturating_mul(4);
        conditions.launch(
            Launch::new(
                &format!("prefetch_1d_{}", self.stages),
                self.blocks,
                self.threads,
            )
            .shared_bytes(shared_bytes)
            .buffer_of(self.output, numbers)
            .buffer_of(self.input, numbers)
            .scalar(self.batches),
        )
    }
}
