use launch::{Launch, Violations};

use crate::conditions::{Conditions, product};

/// Sums 17 neighbours of each of 32 numbers in each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// How the numbers are loaded.
    pub form: StencilForm,
    /// The buffer of the left halos: 8 numbers of `f32` for each block.
    pub left: usize,
    /// The buffer of the centres: 32 for each block.
    pub center: usize,
    /// The buffer of the right halos: 8 for each block.
    pub right: usize,
    /// The buffer that is written: 32 for each block.
    pub output: usize,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

/// How a stencil's numbers are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StencilForm {
    /// Ordinary loads and stores.
    Loads,
    /// Copies of each thread, at a barrier.
    #[doc(alias = "cuda::memcpy_async")]
    Threads,
    /// Copies of the block together, at a barrier.
    #[doc(alias = "cuda::memcpy_async")]
    Block,
    /// Copies of each thread, in groups.
    #[doc(alias = "__pipeline_memcpy_async")]
    Groups,
}

impl Stencil {
    /// Numbers in the middle of a block.
    pub const CENTER: usize = 32;
    /// Numbers of a halo.
    pub const HALO: usize = 8;

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        let reason = "a thread for each number in the middle:";
        conditions.within("threads of a block", self.threads, 32..=1024, reason);
        let most = u32::MAX / Self::CENTER as u32;
        let reason = "numbers of the output fit in 32 bits:";
        conditions.within("blocks", self.blocks, 1..=most, reason);
        let bytes = |numbers: usize| product(&[self.blocks, 4 * numbers as u32]);
        let entry = match self.form {
            StencilForm::Loads => "stencil_loads",
            StencilForm::Threads => "stencil_threads",
            StencilForm::Block => "stencil_block",
            StencilForm::Groups => "stencil_groups",
        };
        conditions.launch(
            Launch::new(entry, self.blocks, self.threads)
                .buffer_of(self.left, bytes(Self::HALO))
                .buffer_of(self.center, bytes(Self::CENTER))
                .buffer_of(self.right, bytes(Self::HALO))
                .buffer_of(self.output, bytes(Self::CENTER)),
        )
    }
}
