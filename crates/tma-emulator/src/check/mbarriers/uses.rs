//! The last uses of a barrier by each thread, and whether other threads know that they are complete.

use crate::check::clock::Epoch;

/// The way in which a thread uses a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Use {
    /// Complete with the thread's step.
    Step,
    /// A copy or an asynchronous arrival: only the end of the phase that counts it shows that it is complete.
    Counted,
}

/// The last uses by one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// The last step, unless a counted operation was issued after it.
    step: Option<(Epoch, usize)>,
    /// The phase that counts the last issued operation, and the instruction.
    counted: Option<(u64, usize)>,
}

/// A use that may not be complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) instruction: usize,
    /// The phase that counts it.
    pub(super) counted_in: Option<u64>,
}

impl Uses {
    /// Records that the thread uses the barrier in this phase.
    pub(super) fn add(&mut self, used: Use, epoch: Epoch, phase: u64, instruction: usize) {
        match used {
            Use::Step => self.step = Some((epoch, instruction)),
            // The thread's own order has the steps before it.
            Use::Counted => {
                *self = Self {
                    step: None,
                    counted: Some((phase, instruction)),
                }
            }
        }
    }

    /// Records that this phase counts the last issued copy or arrival.
    pub(super) fn counts_in(&mut self, phase: u64) {
        if let Some((counted, _)) = &mut self.counted {
            *counted = phase.max(*counted);
        }
    }

    /// Returns a use that may be pending for an observer that knows steps up to `known` and `phases` completed
    /// phases.
    pub(super) fn pending(&self, known: Epoch, phases: u64) -> Option<Pending> {
        let counted = self.counted.filter(|(phase, _)| *phase >= phases);
        let counted = counted.map(|(phase, instruction)| Pending {
            instruction,
            counted_in: Some(phase),
        });
        let step = self.step.filter(|(epoch, _)| *epoch > known);
        let step = step.map(|(_, instruction)| Pending {
            instruction,
            counted_in: None,
        });
        counted.or(step)
    }
}
