//! `wgmma`: matrix products of a warpgroup, with operands in shared memory. PTX ISA 9.7.14.7.
//!
//! The four warps of a warpgroup meet at `wgmma.mma_async`, and the product is computed when the last one has
//! arrived. Later changes of registers do not affect it, as on an H200. For the observer it reads shared memory
//! until a wait that covers it.

mod matrix;
mod multiply;

pub(crate) use multiply::Multiply;

use std::collections::BTreeMap;

use ptx::Instruction;
use ptx_isa::{Form, wgmma::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{Action, Decoder, Execute, Step, Waiting, collective},
    machine::{
        Flow, Trapped, Wait,
        observer::{Event, GroupKind},
    },
};

/// One of the instructions.
#[derive(Clone, Debug)]
pub(crate) enum Wgmma {
    Fence,
    CommitGroup,
    /// Waits until at most this many groups are pending.
    WaitGroup(u64),
    Multiply(Multiply),
}

/// Number of warps in a warpgroup.
const WARPS: usize = 4;

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let wgmma = match op {
        Op::Fence => Wgmma::Fence,
        Op::CommitGroup => Wgmma::CommitGroup,
        Op::WaitGroup => {
            let [left] = operands(instruction)?;
            let left = left.as_integer().and_then(|left| u64::try_from(left).ok());
            Wgmma::WaitGroup(left.ok_or("its number of groups is not constant")?)
        }
        Op::Dense | Op::Sparse => {
            Wgmma::Multiply(Multiply::decode(decoder, instruction, form, op)?)
        }
    };
    collective::align(decoder);
    decoder.emit(Action::Wgmma(Box::new(wgmma)));
    Ok(())
}

impl Execute for Wgmma {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        collective::whole_warp(step)?;
        match self {
            Self::Fence => {
                step.warp.products.accessed = Some(BTreeMap::new());
                step.warp.products.is_fenced = true;
            }
            Self::CommitGroup => {
                let group = step.warp.products.current;
                step.warp.products.current += 1;
                let kind = GroupKind::Wgmma;
                step.tell_all(Event::GroupCommit { kind, group });
            }
            Self::WaitGroup(left) => wait(step, *left),
            Self::Multiply(multiply) => return multiply.run(step),
        }
        Ok(Flow::Next)
    }

    fn is_over(&self, _: &Waiting<'_>) -> bool {
        // The last warp that comes lets the others go on.
        false
    }

    fn resume(&self, _: &mut Step<'_>, _: Wait, _: bool) -> Result<Flow, Trapped> {
        Ok(Flow::Next)
    }

    fn describe(&self, _: &Waiting<'_>) -> String {
        "for the other warps of its warpgroup".to_owned()
    }
}

/// Completes all but the last `left` groups of products.
fn wait(step: &mut Step<'_>, left: u64) {
    let until = step.warp.products.current.saturating_sub(left);
    let warpgroup = step.here.warp / WARPS;
    let in_flight = &mut step.warp.products.in_flight;
    in_flight.retain(|_, (group, _)| *group >= until);
    let pending = step.cta().products.entry(warpgroup).or_default();
    let (done, rest) = std::mem::take(pending)
        .into_iter()
        .partition(|(group, _)| *group < until);
    *pending = rest;
    for (_, copy) in done {
        step.tell(0, |_| Event::CopyRead(copy));
        step.tell(0, |_| Event::CopyDone(copy));
    }
    step.tell_all(Event::GroupWait {
        kind: GroupKind::Wgmma,
        until,
        read: false,
    });
}
