//! The view that an operation has of the machine, for the lanes of a group that execute it.

use std::sync::Arc;

use super::{
    Constant, Cta, FreedBy, Group, Here, LOCAL_WINDOW, Operation, Program, SHARED_RANK_SHIFT,
    SHARED_WINDOW, Slot, Trap, Trapped, Wait, Warp, World,
    observer::{Event, Observer, Origin},
};
use crate::value::{LANES, Lanes, blend, lanes_of};

/// Continuation of a group after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Continue with the next operation.
    Next,
    /// Continue at the new `pc`.
    Jumped,
    /// Wait.
    Waits,
    /// The threads have ended.
    Ended,
}

/// Limit of listed calls that led to a fault: the last ones, and the first.
const LISTED: usize = 8;

/// Everything that an operation may touch, in a program of actions `A`.
pub(crate) struct Step<'a, A> {
    pub(crate) world: &'a mut World,
    pub(crate) program: &'a Program,
    pub(crate) operations: &'a [Operation<A>],
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) warp: &'a mut Warp,
    pub(crate) here: Here,
    pub(crate) group: &'a mut Group,
    /// Lanes that execute the operation.
    pub(crate) active: u32,
}

impl<A> Step<'_, A> {
    pub(crate) fn get(&self, slot: Slot) -> &Lanes {
        &self.warp.registers[self.group.base + slot]
    }

    pub(crate) fn set(&mut self, slot: Slot, value: &Lanes) {
        blend(
            &mut self.warp.registers[self.group.base + slot],
            value,
            self.active,
        );
    }

    pub(crate) fn cta(&mut self) -> &mut Cta {
        &mut self.world.clusters[self.here.cluster].ctas[self.here.rank]
    }

    /// Returns the number of a lane's thread in its block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        (self.here.warp * LANES + lane) as u32
    }

    pub(crate) fn origin(&self, lane: usize) -> Origin {
        let block = self.world.clusters[self.here.cluster].ctas[self.here.rank].number;
        Origin {
            block,
            thread: self.thread(lane),
            instruction: self.group.pc,
            calls: self.group.calls,
        }
    }

    /// Returns a fault of one lane.
    pub(crate) fn fault(&self, lane: usize, trap: Trap, mut what: String) -> Trapped {
        let calls = self.group.frames.len();
        for (number, frame) in self.group.frames.iter().rev().enumerate() {
            if number >= LISTED && number + 1 < calls {
                continue;
            }
            // A frame has the operation after the call.
            let location = self.program.location(frame.pc.saturating_sub(1));
            what += &match number > LISTED {
                true => format!(
                    "\nand {} calls more, the first at {location}",
                    calls - LISTED
                ),
                false => format!("\ncalled at {location}"),
            };
        }
        Trapped {
            trap,
            what,
            origin: Some(self.origin(lane)),
            stuck: None,
        }
    }

    /// Returns the record of a lane that frees memory.
    pub(crate) fn freed_by(&mut self, lane: usize) -> FreedBy {
        let (program, pc) = (self.program, self.group.pc);
        let frees = self.world.frees.entry(pc);
        let instruction = frees
            .or_insert_with(|| Arc::new((program.opcode(pc).to_owned(), program.location(pc))));
        let instruction = Arc::clone(instruction);
        let origin = self.origin(lane);
        FreedBy {
            instruction,
            block: self.world.places.block(origin.block),
            thread: self.world.places.thread(origin.thread),
        }
    }

    /// Returns a fault of the first active lane.
    pub(crate) fn trapped(&self, trap: Trap, what: String) -> Trapped {
        self.fault(lanes_of(self.active).next().unwrap_or(0), trap, what)
    }

    /// Reports an event to the observer for one lane.
    #[inline]
    pub(crate) fn tell(&mut self, lane: usize, event: impl FnOnce(&mut Self) -> Event) {
        if self.world.watches {
            let event = event(self);
            let origin = self.origin(lane);
            self.observer.see(origin, event);
        }
    }

    /// Reports an event to the observer for each active lane.
    #[inline]
    pub(crate) fn tell_all(&mut self, event: Event) {
        if self.world.watches {
            for lane in lanes_of(self.active) {
                let origin = self.origin(lane);
                self.observer.see(origin, event);
            }
        }
    }

    /// Reports and records accesses to registers of products in flight.
    #[inline]
    pub(crate) fn tell_products(&mut self) {
        let program = self.program;
        let registers = program.products(self.group.pc);
        if registers.is_empty() || self.operations[self.group.pc].counts == 0 {
            return;
        }
        let base = self.group.base;
        let products = &mut self.warp.products;
        if let Some(accessed) = &mut products.accessed {
            let access = (self.group.pc, products.is_fenced);
            accessed.extend(registers.iter().map(|slot| (base + slot, access)));
        }
        let found = registers
            .iter()
            .find_map(|slot| products.in_flight.get(&(base + slot)));
        if let Some((_, issue)) = found.copied() {
            let lane = lanes_of(self.active).next().unwrap_or(0);
            self.tell(lane, |_| Event::ProductRegister { issue });
        }
    }

    /// Suspends the group.
    pub(crate) fn wait(&mut self, wait: Wait) -> Flow {
        self.group.wait = Some(wait);
        Flow::Waits
    }
}

impl World {
    /// Returns the value of a slot for this thread.
    pub(crate) fn constant(
        &self,
        constant: Constant,
        id: [u32; 3],
        rank: usize,
        thread: u32,
        local: u64,
    ) -> u64 {
        let shared = |offset: u64, generic: bool| {
            let window = if generic { SHARED_WINDOW } else { 0 };
            window + ((rank as u64) << SHARED_RANK_SHIFT) + offset
        };
        match constant {
            Constant::Value(value) => value,
            Constant::Shared(offset, generic) => shared(offset, generic),
            Constant::DynamicShared(offset, generic) => {
                shared(self.dynamic_shared_start.wrapping_add(offset), generic)
            }
            Constant::Local(offset, generic) => {
                let window = if generic { LOCAL_WINDOW } else { 0 };
                window + local.wrapping_add(offset)
            }
            Constant::Special(special) => special.value(self, id, rank as u32, thread),
        }
    }
}
