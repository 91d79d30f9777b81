//! `barrier` and `bar`: barriers of a block. PTX ISA 9.7.13.1.

use ptx::{Instruction, Type};
use ptx_isa::{Flag, Form, barrier_cta::Op};

use crate::{
    decode::NotSupported,
    inst::{Action, Decoder, Execute, Step, Waiting},
    machine::{Flow, Slot, Trap, Trapped, Wait, observer::Event},
    value::{LANES, lanes_of},
};

/// An arrival at a barrier of the block.
#[derive(Clone, Debug)]
pub(crate) struct CtaBarrier {
    barrier: Slot,
    /// Number of participating threads; the whole block if `None`.
    threads: Option<Slot>,
    waits: bool,
    aligned: bool,
    /// The result of a reduction, its operation, and the predicate.
    reduces: Option<(Slot, Vote, Slot)>,
}

/// The reduction of the predicates of the threads that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vote {
    And,
    Or,
    Popc,
}

fn vote(op: Op) -> Option<Vote> {
    match op {
        Op::Sync | Op::Arrive => None,
        Op::RedAnd => Some(Vote::And),
        Op::RedOr => Some(Vote::Or),
        Op::RedPopc => Some(Vote::Popc),
    }
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let mut source = |operand| decoder.source(operand, Type::U32);
    let (barrier, threads, vote) = match (vote(op), instruction.operands.as_slice()) {
        (None, [barrier]) => (source(barrier)?, None, None),
        (None, [barrier, threads]) => (source(barrier)?, Some(source(threads)?), None),
        (Some(vote), [d, barrier, rest @ .., p]) => {
            let barrier = source(barrier)?;
            let threads = rest.first().map(&mut source).transpose()?;
            (barrier, threads, Some((d, vote, p)))
        }
        _ => return Err(NotSupported::Operands),
    };
    let reduces = match vote {
        None => None,
        Some((d, vote, p)) => {
            let p = decoder.source(p, Type::Pred)?;
            Some((decoder.destination(d)?.slot, vote, p))
        }
    };
    let operation = CtaBarrier {
        barrier,
        threads,
        waits: op != Op::Arrive,
        aligned: form.has(Flag::Aligned) || form.has(Flag::Bar),
        reduces,
    };
    decoder.emit(Action::CtaBarrier(Box::new(operation)));
    Ok(())
}

impl Execute for CtaBarrier {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let first = lanes_of(step.active).next().unwrap_or(0);
        let barrier = step.get(self.barrier)[first] as u32 as usize;
        let threads = self.threads.map(|slot| step.get(slot)[first] as u32);
        if lanes_of(step.active).any(|lane| step.get(self.barrier)[lane] as u32 as usize != barrier)
        {
            let what = "the lanes of a warp name different barriers".into();
            return Err(step.trapped(Trap::InvalidCollective, what));
        }
        if barrier >= 16 {
            let what = format!("barrier {barrier} does not exist; a block has barriers 0 to 15");
            return Err(step.trapped(Trap::InvalidCollective, what));
        }
        let expected = match threads {
            Some(0) => 0,
            Some(count) if !count.is_multiple_of(LANES as u32) => {
                let what = format!("{count} threads at barrier {barrier} must be a multiple of 32");
                return Err(step.trapped(Trap::InvalidCollective, what));
            }
            Some(count) => count,
            None => 0,
        };
        let votes = self.reduces.map_or((0, 0), |(_, _, p)| {
            let yes = lanes_of(step.active)
                .filter(|lane| step.get(p)[*lane] & 1 != 0)
                .count() as u64;
            (yes, u64::from(step.active.count_ones()) - yes)
        });
        let (here, active, alive) = (step.here, step.active, step.warp.alive);
        let warps = step.cta().warps.len();
        let state = &mut step.cta().barriers[barrier];
        let is_first = state.arrived.iter().all(|mask| *mask == 0);
        if !is_first && state.expected != expected {
            let what = format!(
                "barrier {barrier} counts {} threads for earlier arrivals but {} here",
                state.expected, expected
            );
            return Err(step.trapped(Trap::InvalidCollective, what));
        }
        state.expected = expected;
        state.arrived.resize(warps, 0);
        state.again += (state.arrived[here.warp] & active).count_ones();
        state.arrived[here.warp] |= active;
        state.votes = (state.votes.0 + votes.0, state.votes.1 + votes.1);
        let generation = state.generation;
        let id = barrier as u32;
        step.tell_all(Event::BarrierArrive {
            barrier: id,
            generation,
            threads: expected,
            waits: self.waits,
            aligned: self.aligned,
        });
        step.world.progress += 1;
        let is_complete = step.world.complete_barrier(here, barrier, alive);
        if !self.waits {
            return Ok(Flow::Next);
        }
        let wait = Wait::Cta {
            barrier,
            generation,
        };
        if is_complete {
            self.pass(step, barrier, generation);
            return Ok(Flow::Next);
        }
        Ok(step.wait(wait))
    }

    fn splits(&self) -> bool {
        true
    }

    fn is_over(&self, waiting: &Waiting<'_>) -> bool {
        let Wait::Cta {
            barrier,
            generation,
        } = waiting.wait
        else {
            return true;
        };
        waiting.cta().barriers[*barrier].generation != *generation
    }

    fn resume(&self, step: &mut Step<'_>, wait: Wait, _: bool) -> Result<Flow, Trapped> {
        if let Wait::Cta {
            barrier,
            generation,
        } = wait
        {
            self.pass(step, barrier, generation);
        }
        Ok(Flow::Next)
    }

    fn describe(&self, waiting: &Waiting<'_>) -> String {
        match waiting.wait {
            Wait::Cta { barrier, .. } => {
                waiting.cta().barriers[*barrier].describe(waiting.cta(), *barrier)
            }
            _ => String::new(),
        }
    }
}

impl CtaBarrier {
    /// Passes the barrier once it has completed.
    pub(crate) fn pass(&self, step: &mut Step<'_>, barrier: usize, generation: u64) {
        if let Some((d, vote, _)) = self.reduces {
            let (yes, no) = step.cta().barriers[barrier].results;
            let value = match vote {
                Vote::And => u64::from(no == 0),
                Vote::Or => u64::from(yes != 0),
                Vote::Popc => yes,
            };
            step.set(d, &[value; LANES]);
        }
        step.tell_all(Event::BarrierPass {
            barrier: barrier as u32,
            generation,
        });
    }
}
