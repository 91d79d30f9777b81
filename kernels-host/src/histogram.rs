use launch::{Launch, Violations};

use crate::conditions::Conditions;

/// Counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// The buffer of bytes.
    pub data: usize,
    /// Bytes to count.
    pub len: u32,
    /// The buffer of 256 `u32` that the counts are added to.
    pub counts: usize,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl Histogram {
    /// Bins.
    pub const BINS: usize = 256;

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        conditions.launch(
            Launch::new("histogram", self.blocks, self.threads)
                .buffer_of(self.data, self.len.into())
                .scalar(self.len)
                .buffer_of(self.counts, 4 * Self::BINS as u64),
        )
    }
}
