use launch::{Launch, Violations};

use crate::conditions::{Conditions, product};

/// Writes `3 * x` and the next number for each number of the input, which arrives in batches by the
/// copies of each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// Batches in shared memory or on their way there: 1, 2, 3, 4 or 8.
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

impl Prefetch {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        let stages = [1, 2, 3, 4, 8];
        conditions.one_of("stages", self.stages, &stages, "there are kernels for");
        conditions.within("threads of a block", self.threads, 1..=1024, "a block has");
        conditions.batches(self.batches, self.stages);
        let numbers = product(&[self.batches, self.blocks, self.threads]).saturating_mul(4);
        conditions.launch(
            Launch::new(
                &format!("prefetch_{}", self.stages),
                self.blocks,
                self.threads,
            )
            .shared_bytes(self.stages.saturating_mul(self.threads.saturating_mul(4)))
            .buffer_of(self.output, numbers)
            .buffer_of(self.input, numbers)
            .scalar(self.batches),
        )
    }
}
