//! `setmaxnreg`: moves registers between a warp and the pool of its block. PTX ISA 9.7.19.5.
//!
//! The emulator has enough registers for all, but counts those that a multiprocessor would have: a warp waits
//! until others of its block have returned enough. All lanes of a warp execute it together. In a kernel that
//! does not declare its registers per thread, the instruction has no effect, since ptxas omits it.

use ptx::Instruction;
use ptx_isa::{Form, setmaxnreg::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{Action, Decoder, Execute, Step, Waiting, collective},
    machine::{Flow, RegisterPool, Stuck, Trapped, Wait, observer::Event},
    value::lanes_of,
};

/// Registers of each thread from now on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    count: u32,
    increases: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let increases = match op {
        Op::Inc => true,
        Op::Dec => false,
    };
    let [count] = operands(instruction)?;
    let count = count
        .as_integer()
        .ok_or("its number of registers is not constant")?;
    if !(24..=256).contains(&count) || count % 8 != 0 {
        let reason =
            format!("its number of registers is {count} but must be 24 to 256 and a multiple of 8");
        return Err(reason.into());
    }
    collective::align(decoder);
    decoder.emit(Action::Registers(Registers {
        count: count as u32,
        increases,
    }));
    Ok(())
}

impl Execute for Registers {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let Self { count, increases } = *self;
        let first = lanes_of(step.active).next().unwrap_or(0);
        let warp = step.here.warp;
        let pool = step.cta().registers.as_ref();
        let before = pool.map(|pool| pool.of_warp(warp));
        let has = pool.is_none_or(|pool| self.has(pool, warp));
        step.tell(first, |_| Event::SetMaxRegisters {
            count,
            before,
            increases,
        });
        if !has {
            return Ok(step.wait(Wait::Registers));
        }
        self.set(step);
        Ok(Flow::Next)
    }

    fn is_over(&self, waiting: &Waiting<'_>) -> bool {
        let pool = waiting.cta().registers.as_ref();
        pool.is_none_or(|pool| self.has(pool, waiting.here.warp))
    }

    fn resume(&self, step: &mut Step<'_>, _: Wait, _: bool) -> Result<Flow, Trapped> {
        self.set(step);
        Ok(Flow::Next)
    }

    fn describe(&self, waiting: &Waiting<'_>) -> String {
        let held = waiting.cta().registers.as_ref();
        let held = held.map_or(String::new(), |pool| pool.describe());
        format!(
            "for {} registers for each of its threads: {held}",
            self.count
        )
    }

    fn stuck(&self, _: &Waiting<'_>) -> Option<Stuck> {
        Some(Stuck::Registers)
    }
}

impl Registers {
    /// Returns the registers of each thread from now on.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Returns whether a warp can get its registers. `.inc` never returns any, and `.dec` never takes any.
    fn has(&self, pool: &RegisterPool, warp: usize) -> bool {
        !self.increases || pool.has(warp, self.count)
    }

    fn set(&self, step: &mut Step<'_>) {
        let warp = step.here.warp;
        if let Some(pool) = &mut step.cta().registers {
            let before = pool.of_warp(warp);
            let count = match self.increases {
                true => before.max(self.count),
                false => before.min(self.count),
            };
            pool.set(warp, count);
        }
        step.world.progress += 1;
    }
}
