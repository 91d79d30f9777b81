//! Blocks that are alike: one order stands for all orders.
//!
//! Blocks are alike if the kernel reads nothing that tells them apart (`%ctaid`, `%smid`, the registers of clusters), and
//! the launch has no clusters. A permutation of the blocks then maps the start to itself, and an execution to another one
//! with the same memory at the end and the same findings in other blocks. So for each execution there is one in which the
//! blocks execute their first atomics in the order of their numbers, and those without an atomic have the highest numbers.
//!
//! The search explores only these executions: a block executes its first atomic after the block with the next lower number
//! has executed one. That is one more rule of the machine, so that the reduction needs no change but the relation of its
//! events. The first atomic of a block enables the first atomic of the next block. It conflicts with the other atomics of
//! its own block, because each of them could have been the first. If only atomics are left that must wait for a lower block,
//! no execution of this kind goes on; the search explores its permutation. The text of an operation alone decides whether it is an atomic, so that the
//! permuted event is one, too.

use super::event::{Process, Use};
use crate::{
    inst::{Action, Code},
    machine::{Constant, Places},
};

/// The blocks that have executed an atomic.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The number of blocks that have, if the blocks are alike.
    begun: Option<u64>,
}

impl Order {
    pub(super) fn new(code: &Code, places: &Places) -> Self {
        let functions = code.program.functions.iter();
        let mut constants = functions.flat_map(|function| &function.constants);
        let tells_apart = |constant: &Constant| match constant {
            Constant::Special(special) => special.is_of_block(),
            _ => false,
        };
        let is_apart = places.has_clusters || constants.any(|(_, constant)| tells_apart(constant));
        Self {
            begun: (!is_apart).then_some(0),
        }
    }

    /// Returns whether a process must wait for the first atomic of a lower block.
    pub(super) fn holds_back(&self, code: &Code, at: usize, process: Process) -> bool {
        self.atomic(code, at, process)
            .is_some_and(|(block, begun)| block > begun)
    }

    /// Returns the use of an event that begins with this instruction, if it is an atomic.
    pub(super) fn event(&mut self, code: &Code, at: usize, process: Process) -> Option<Use> {
        let (block, begun) = self.atomic(code, at, process)?;
        let is_first = block == begun;
        self.begun = Some(begun + u64::from(is_first));
        Some(Use::Begin { block, is_first })
    }

    fn atomic(&self, code: &Code, at: usize, process: Process) -> Option<(u64, u64)> {
        let operation = code.operations.get(at)?;
        match (process, &operation.action) {
            (Process::Lanes { block, .. }, Action::Atomic(_)) => Some((block, self.begun?)),
            _ => None,
        }
    }
}
