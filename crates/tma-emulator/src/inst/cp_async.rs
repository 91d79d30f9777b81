//! `cp.async`: copies of 4, 8 or 16 bytes by a thread. PTX ISA 9.7.9.25.3.

use ptx::{Instruction, Type};
use ptx_isa::{Flag, Form, cp_async::Op};

use crate::{
    decode::{NotSupported, exact},
    inst::{Action, Decoder, Execute, Step, async_group, each_lane},
    machine::{
        Address, Alu, Completion, Constant, Flow, Issue, Located, Piece, Slot, Space, Target,
        Trapped, issue, observer::Proxy,
    },
    value::lift,
};

/// A copy from global to shared memory.
#[derive(Clone, Debug)]
pub(crate) struct AsyncCopy {
    to: Address,
    from: Address,
    bytes: u64,
    /// Bytes that are read; zeros follow.
    source_bytes: Slot,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    match op {
        Op::CommitGroup => async_group::commit(decoder, false),
        Op::WaitGroup => async_group::wait(decoder, instruction, form, false),
        Op::WaitAll => async_group::wait_all(decoder),
        Op::Copy => copy(decoder, instruction, form),
    }
}

/// Ignores the cache operator, which affects speed alone.
fn copy(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
) -> Result<(), NotSupported> {
    let operands = decoder.without_policy(instruction, form.has(Flag::CacheHint))?;
    let (to, from, bytes, source) = match operands {
        [to, from, bytes] => (to, from, bytes, None),
        [to, from, bytes, source] => (to, from, bytes, Some(source)),
        _ => return Err(NotSupported::Operands),
    };
    let bytes = exact(form, bytes)?;
    let all = decoder.constant(Constant::Value(bytes));
    let source_bytes = match source {
        None => all,
        Some(source) if decoder.is_predicate(source) => {
            let nothing = decoder.constant(Constant::Value(0));
            let ignores = decoder.source(source, Type::Pred)?;
            let f = lift!(|a: u64, b: u64, p: bool| if p { a } else { b });
            decoder.temporary(|d| Alu::Ternary {
                f,
                d,
                a: nothing,
                b: all,
                c: ignores,
            })
        }
        Some(source) => decoder.source(source, Type::U32)?,
    };
    let to = decoder.address(to, Space::SharedCta)?;
    let from = decoder.address(from, Space::Global)?;
    let copy = AsyncCopy {
        to,
        from,
        bytes,
        source_bytes,
    };
    decoder.emit(Action::AsyncCopy(Box::new(copy)));
    Ok(())
}

impl Execute for AsyncCopy {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl AsyncCopy {
    fn issue(&self, step: &mut Step<'_>, lane: usize) -> Result<(), Trapped> {
        let read = (step.get(self.source_bytes)[lane] as u32 as u64).min(self.bytes);
        let Located::Shared { rank, offset } =
            step.locate(lane, &self.to, self.bytes, self.bytes)?
        else {
            return Ok(());
        };
        let from = step.address_of(&self.from, lane);
        if read > 0 {
            step.locate(lane, &self.from, read, self.bytes)?;
        }
        let thread = step.thread(lane);
        let instruction = step.group.pc;
        let groups = step.cta().async_groups.entry(thread).or_default();
        let group = groups.add(instruction);
        let mut pieces = Vec::new();
        if read > 0 {
            pieces.push(Piece {
                from: Some(Target::Global(from)),
                to: Target::Shared(rank, offset),
                bytes: read as usize,
                data: Vec::new(),
            });
        }
        if read < self.bytes {
            let bytes = (self.bytes - read) as usize;
            let to = Target::Shared(rank, offset + read as usize);
            pieces.push(Piece {
                from: None,
                to,
                bytes,
                data: vec![0; bytes],
            });
        }
        // `cp.async` uses the generic proxy of its thread, not the async proxy.
        let copy = Issue {
            proxy: Proxy::Generic,
            ..Issue::bulk(pieces, Completion::Async { group }, None)
        };
        issue(step, lane, copy);
        Ok(())
    }
}
