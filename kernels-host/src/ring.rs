use launch::{Launch, Violations};

use crate::conditions::Conditions;

/// Sends numbers around the blocks of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The buffer of `u32` that is written: a number for each thread of the grid.
    pub output: usize,
    /// Rounds.
    pub rounds: u32,
    /// Clusters of eight blocks.
    pub clusters: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl Ring {
    /// Blocks of a cluster.
    pub const BLOCKS: u32 = 8;

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        let blocks = self.clusters.saturating_mul(Self::BLOCKS);
        let numbers = u64::from(blocks) * u64::from(self.threads);
        let reason = "numbers that fit in 32 bits:";
        conditions.within(
            "threads of the grid",
            numbers,
            1..=u64::from(u32::MAX),
            reason,
        );
        conditions.launch(
            Launch::new("ring", blocks, self.threads)
                .buffer_of(self.output, numbers.saturating_mul(4))
                .scalar(self.rounds),
        )
    }
}
