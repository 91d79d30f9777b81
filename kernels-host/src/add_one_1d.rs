use launch::{Launch, Violations};

use crate::conditions::Conditions;

/// Adds one to 1024 numbers for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddOne1d {
    /// Which of the guide's versions.
    pub form: AddOneForm,
    /// The buffer of `i32`.
    pub data: usize,
    /// The first number that is changed.
    pub offset_elems: u64,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

/// How the load is started and its bytes are announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOneForm {
    /// One call does both.
    #[doc(alias = "cuda::memcpy_async")]
    Transaction,
    /// The copy, then the barrier is told.
    #[doc(alias = "cuda::device::memcpy_async_tx")]
    ExpectTx,
    /// The bare instructions.
    #[doc(alias = "cuda::ptx::cp_async_bulk")]
    Raw,
}

impl Default for AddOne1d {
    fn default() -> Self {
        Self {
            form: AddOneForm::Transaction,
            data: 0,
            offset_elems: 0,
            blocks: 1,
            threads: 256,
        }
    }
}

impl AddOne1d {
    /// Numbers that a block handles.
    pub const PER_BLOCK: usize = 1024;

    fn end_bytes(&self) -> u64 {
        let changed = u64::from(self.blocks) * Self::PER_BLOCK as u64;
        self.offset_elems.saturating_add(changed).saturating_mul(4)
    }

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        conditions.multiple(
            "offset_elems",
            self.offset_elems,
            4,
            "a bulk copy begins at 16 bytes: a multiple of",
        );
        let entry = match self.form {
            AddOneForm::Transaction => "add_one_1d",
            AddOneForm::ExpectTx => "add_one_1d_tx",
            AddOneForm::Raw => "add_one_1d_raw",
        };
        conditions.launch(
            Launch::new(entry, self.blocks, self.threads)
                .buffer_of(self.data, self.end_bytes())
                .scalar(self.offset_elems),
        )
    }
}
