//! `cp.async.mbarrier.arrive`: an arrival once all `cp.async` of the thread are complete. PTX ISA
//! 9.7.13.15.15.

use ptx::Instruction;
use ptx_isa::{Form, cp_async_mbarrier_arrive::Op};

use crate::{
    decode::{NotSupported, operands, space},
    inst::{Action, Decoder, Execute, Step, each_lane},
    machine::{
        Address, Completion, Flow, Located, Transfer, Trap, Trapped,
        observer::{Event, MbarrierEvent, Proxy, Scope, Sem},
    },
};

/// An arrival that is still to come.
#[derive(Clone, Debug)]
pub(crate) struct AsyncArrive {
    mbarrier: Address,
    /// True without `.noinc`: the phase expects one more arrival for it.
    increments: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let [mbarrier] = operands(instruction)?;
    let arrival = AsyncArrive {
        mbarrier: decoder.address(mbarrier, space(form))?,
        increments: match op {
            Op::Arrive => true,
            Op::ArriveNoinc => false,
        },
    };
    decoder.emit(Action::AsyncArrive(arrival));
    Ok(())
}

impl Execute for AsyncArrive {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl AsyncArrive {
    fn issue(&self, step: &mut Step<'_>, lane: usize) -> Result<(), Trapped> {
        let located = step.locate(lane, &self.mbarrier, 8, 8)?;
        let offset = match located {
            Located::Shared { rank, offset } if rank == step.here.rank => offset,
            _ => {
                let what = "the barrier is not in the shared memory of the block".into();
                return Err(step.fault(lane, Trap::IllegalAddress, what));
            }
        };
        let cta = step.cta();
        let result = match cta.mbarriers.get_mut(&offset) {
            None => Err(format!(
                "the {} is not initialised",
                step.program.shared_names.mbarrier(offset as u64)
            )),
            Some(mbarrier) if self.increments => mbarrier
                .expect_arrival()
                .map(|()| mbarrier.store(&mut cta.shared, offset)),
            Some(_) => Ok(()),
        };
        result.map_err(|what| step.fault(lane, Trap::LaunchFailed, what))?;
        step.tell(lane, |step| Event::Mbarrier {
            range: step.range(located, 8),
            operation: MbarrierEvent::AsyncArriveIssue {
                increments: self.increments,
            },
            sem: Sem::Relaxed,
            scope: Scope::Cta,
        });
        // Not a copy, but it takes effect after all copies with lower numbers.
        let id = step.world.next_copy;
        step.world.progress += 1;
        let arrival = Transfer {
            id,
            origin: step.origin(lane),
            here: step.here,
            unread: Vec::new(),
            unwritten: Vec::new(),
            completion: Completion::Arrival { offset },
            reduction: None,
            rounds_to_tf32: false,
            proxy: Proxy::Generic,
            order: (Sem::Weak, Scope::Cta),
            report: None,
        };
        step.world.transfers.push(arrival);
        Ok(())
    }
}
