//! Kernels launched as data: ports of the guide's samples, and of further kernels that are often ported.
//!
//! The output is compared with the result that the host computes from the numbers in the inputs.

pub(crate) mod buffers;
mod counted;
mod inputs;
#[cfg(test)]
mod own;
mod products;
mod rows;
#[cfg(test)]
mod tests;

use anyhow::Result;
use tma_launch::Launch;

use crate::{
    case::{Amount, Case, Check, Expected, Reference, Run, Words},
    limit::Needs,
    setup::Setup,
    work::L2,
};

pub(crate) use buffers::{BUFFERS, DST, FIRST_INPUT, INPUTS};
pub(crate) use inputs::inputs;
pub(crate) use rows::{all, persistent_tiles};

/// A row with its launches in terms of buffers.
pub(crate) struct Ported {
    kernel: &'static str,
    variant: String,
    launch: Launch,
    amount: Amount,
    needs: Needs,
    l2: L2,
    /// Number of words of the destination to compare.
    words: u64,
    expected: Expected,
    /// Indices of the buffers that are poisoned, or else zeroed, beforehand.
    written: Vec<usize>,
    from_zero: bool,
    before: Option<Launch>,
    after: Option<Launch>,
    reference: Reference,
}

impl Ported {
    /// Returns the case with the addresses of the buffers.
    pub(crate) fn case(self, setup: Setup<'_>) -> Result<Case> {
        let run = |launch: Option<Launch>| -> Result<Option<Run>> {
            let Some(launch) = launch else {
                return Ok(None);
            };
            Ok(Some(Run {
                values: setup.values(&launch)?,
                entry: launch.entry,
                shape: launch.shape,
            }))
        };
        Ok(Case {
            kernel: self.kernel,
            variant: self.variant,
            values: setup.values(&self.launch)?,
            entry: self.launch.entry,
            shape: self.launch.shape,
            draws: false,
            amount: self.amount,
            needs: self.needs,
            l2: self.l2,
            check: Check::Words(Box::new(Words {
                count: self.words,
                expected: self.expected,
                written: self.written,
                from_zero: self.from_zero,
                before: run(self.before)?,
                after: run(self.after)?,
            })),
            reference: self.reference,
            goal: None,
        })
    }
}
