//! Function frames: registers, local memory, and passed arguments and results.

use super::{Flow, Frame, Passed, Step, Trap, Trapped, observer::Event};
use crate::value::{LANES, lanes_of};

/// Limit of registers in the frames of a warp, one after another; more are a stack overflow.
const MAX_SLOTS: usize = 1 << 14;

impl<A> Step<'_, A> {
    /// Returns the bytes of local memory up to the end of the current function's frame.
    pub(crate) fn local_bytes(&self) -> usize {
        let function = self.program.functions.get(self.group.function);
        self.group.local as usize + function.map_or(0, |function| function.local_bytes as usize)
    }

    /// Grows local memory, which is allocated on first use.
    pub(crate) fn grow_local(&mut self, lane: usize) {
        let bytes = self.local_bytes();
        let local = &mut self.warp.local[lane];
        if local.len() < bytes {
            local.resize(bytes, 0);
        }
    }

    /// Enters a function: its frames start at the end of the caller's frames.
    pub(crate) fn enter_function(
        &mut self,
        id: usize,
        returns: Vec<Passed>,
    ) -> Result<(), Trapped> {
        let (caller, callee) = (
            &self.program.functions[self.group.function],
            &self.program.functions[id],
        );
        let frame = Frame {
            pc: self.group.pc + 1,
            function: self.group.function,
            base: self.group.base,
            local: self.group.local,
            calls: self.group.calls,
            returns,
        };
        let base = self.group.base + caller.slots;
        let local = (self.group.local + caller.local_bytes).next_multiple_of(16);
        let local_end = local + callee.local_bytes;
        let registers_end = base + callee.slots;
        let is_deep = self.group.frames.len() >= 4096 || registers_end > MAX_SLOTS;
        if local_end > 512 << 10 || is_deep {
            let what = format!("the stack overflows in a call of `{}`", callee.name);
            return Err(self.trapped(Trap::IllegalAddress, what));
        }
        if self.warp.registers.len() < base + callee.slots {
            self.warp.registers.resize(base + callee.slots, [0; LANES]);
        }
        let cta = &self.world.clusters[self.here.cluster].ctas[self.here.rank];
        for lane in lanes_of(self.active) {
            let thread = (self.here.warp * LANES + lane) as u32;
            for (slot, constant) in &callee.constants {
                self.warp.registers[base + slot][lane] =
                    self.world
                        .constant(*constant, cta.id, self.here.rank, thread, local);
            }
        }
        let (calls, is_new) = self.world.calls.enter(self.group.calls, self.group.pc);
        if is_new {
            let lane = lanes_of(self.active).next().unwrap_or(0);
            self.tell(lane, |_| Event::Call { calls });
        }
        self.group.frames.push(frame);
        self.group.calls = calls;
        (self.group.pc, self.group.function) = (callee.start, id);
        (self.group.base, self.group.local) = (base, local);
        Ok(())
    }

    /// Goes back to the caller; in the kernel itself, the threads are over.
    pub(crate) fn leave_function(&mut self) -> Flow {
        let Some(frame) = self.group.frames.pop() else {
            return Flow::Ended;
        };
        let callee = &self.program.functions[self.group.function];
        let from = (self.group.base, self.group.local);
        let to = (frame.base, frame.local);
        for (source, destination) in callee.returns.iter().zip(&frame.returns) {
            self.pass(*source, from, *destination, to);
        }
        self.group.pc = frame.pc;
        self.group.function = frame.function;
        self.group.calls = frame.calls;
        (self.group.base, self.group.local) = to;
        Flow::Jumped
    }

    /// Copies an argument or a result from one function's frame to another's.
    pub(crate) fn pass(
        &mut self,
        source: Passed,
        (from_base, from_local): (usize, u64),
        destination: Passed,
        (to_base, to_local): (usize, u64),
    ) {
        for lane in lanes_of(self.active) {
            let mut value = [0; 8];
            self.grow_local(lane);
            let local = &mut self.warp.local[lane];
            match (source, destination) {
                (
                    Passed::Local {
                        offset: from,
                        bytes,
                    },
                    Passed::Local {
                        offset: to,
                        bytes: room,
                    },
                ) => {
                    let (from, to) = ((from_local + from) as usize, (to_local + to) as usize);
                    let bytes = bytes.min(room) as usize;
                    if from + bytes <= local.len() && to + bytes <= local.len() {
                        local.copy_within(from..from + bytes, to);
                    }
                    continue;
                }
                (Passed::Register(slot), _) => {
                    value = self.warp.registers[from_base + slot][lane].to_le_bytes();
                }
                (Passed::Local { offset, bytes }, _) => {
                    let from = local.iter().skip((from_local + offset) as usize);
                    value
                        .iter_mut()
                        .take(bytes as usize)
                        .zip(from)
                        .for_each(|(to, from)| *to = *from);
                }
            }
            match destination {
                Passed::Register(slot) => {
                    self.warp.registers[to_base + slot][lane] = u64::from_le_bytes(value);
                }
                Passed::Local { offset, bytes } => {
                    let to = local.iter_mut().skip((to_local + offset) as usize);
                    to.take(bytes as usize)
                        .zip(value)
                        .for_each(|(to, from)| *to = from);
                }
            }
        }
    }
}
