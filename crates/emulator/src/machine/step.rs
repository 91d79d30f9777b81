//! One operation, for the lanes of a group that execute it.

use super::{Cta, Group, Here, Trapped, Wait, Warp, World};
use crate::{
    Observer, Program,
    action::Action,
    barrier_cluster::ClusterBarrier,
    decode::{Constant, Slot},
    error::Trap,
    lanes::{LANES, Lanes, blend, lanes_of},
    observer::{Event, Origin},
};

/// What becomes of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It goes on with the next operation.
    Next,
    /// Its `pc` is where it goes on.
    Jumped,
    /// It waits.
    Waits,
    /// Its threads are over.
    Ended,
}

/// All that an operation may touch.
pub(crate) struct Step<'a, O> {
    pub(crate) world: &'a mut World,
    pub(crate) program: &'a Program,
    pub(crate) observer: &'a mut O,
    pub(crate) warp: &'a mut Warp,
    pub(crate) here: Here,
    pub(crate) group: &'a mut Group,
    /// Lanes that execute the operation.
    pub(crate) active: u32,
}

impl<O: Observer> Step<'_, O> {
    /// Executes the operation at the group's `pc`.
    pub(crate) fn run(&mut self, action: &Action) -> Result<Flow, Trapped> {
        match action {
            Action::Alu(alu) => {
                let frame = self
                    .warp
                    .registers
                    .get_mut(self.group.base..)
                    .unwrap_or(&mut []);
                alu.run(frame, self.active);
            }
            Action::Convert(d, a, converter) => {
                let value = converter.run(self.get(*a));
                self.set(*d, &value);
            }
            Action::Move(access) => access.run(self)?,
            Action::Atomic(atomic) => atomic.run(self)?,
            Action::Branch(branch) => return Ok(branch.run(self)),
            Action::Call(call) => return call.run(self),
            Action::Return => return Ok(self.leave_function()),
            Action::Exit => return Ok(Flow::Ended),
            Action::Trap => {
                return Err(self.trapped(Trap::LaunchFailed, "the kernel trapped".into()));
            }
            Action::Nothing => {}
            Action::Sleep => self.world.progress += 1,
            Action::Clock { d, special } => {
                // Time passes, so that waiting for it ends.
                self.world.progress += 1;
                let value = [special.time(self.world.steps); LANES];
                self.set(*d, &value);
            }
            Action::Activemask { d } => {
                let value = [u64::from(self.active); LANES];
                self.set(*d, &value);
            }
            Action::Window(window) => window.run(self),
            Action::Cluster(cluster) => cluster.run(self)?,
            Action::Collective(collective) => return collective.arrive(self),
            Action::CtaBarrier(barrier) => return barrier.run(self),
            Action::ClusterBarrier(barrier) => return Ok(barrier.run(self)),
            Action::Fence(fence) => fence.run(self),
            Action::Mbarrier(operation) => return operation.run(self),
            Action::Bulk(operation) => return operation.run(self),
            Action::Zeros(zeros) => zeros.run(self)?,
            Action::Discard(discard) => discard.run(self)?,
            Action::TensormapReplace(replace) => replace.run(self)?,
            Action::CopyFence(copy) => copy.run(self)?,
            Action::Matrix(matrix) => matrix.run(self)?,
        }
        Ok(Flow::Next)
    }

    /// Goes on with an operation after a wait.
    pub(crate) fn resume(
        &mut self,
        action: &Action,
        wait: Wait,
        gives_up: bool,
    ) -> Result<Flow, Trapped> {
        match (action, wait) {
            (
                Action::CtaBarrier(operation),
                Wait::Cta {
                    barrier,
                    generation,
                },
            ) => {
                operation.pass(self, barrier, generation);
            }
            (Action::ClusterBarrier(_), _) => ClusterBarrier::pass(self),
            (Action::Collective(collective), Wait::Collective { members }) => {
                collective.finish(self, members);
            }
            (Action::Mbarrier(operation), _) => return operation.wait(self, gives_up),
            (Action::Bulk(operation), _) => operation.pass(self),
            _ => {}
        }
        Ok(Flow::Next)
    }

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

    /// Number of a lane's thread in its block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        (self.here.warp * LANES + lane) as u32
    }

    pub(crate) fn origin(&self, lane: usize) -> Origin {
        let block = self.world.clusters[self.here.cluster].ctas[self.here.rank].number;
        Origin {
            block,
            thread: self.thread(lane),
            instruction: self.group.pc,
        }
    }

    /// The fault of one lane.
    pub(crate) fn fault(&self, lane: usize, trap: Trap, mut what: String) -> Trapped {
        for frame in self.group.frames.iter().rev() {
            // A frame has the operation after the call.
            let place = self.program.place(frame.pc.saturating_sub(1));
            what += &format!("\ncalled at {place}");
        }
        Trapped {
            trap,
            what,
            origin: Some(self.origin(lane)),
        }
    }

    /// The fault of the first lane that is active.
    pub(crate) fn trapped(&self, trap: Trap, what: String) -> Trapped {
        self.fault(lanes_of(self.active).next().unwrap_or(0), trap, what)
    }

    /// Tells the observer, in the name of one lane.
    #[inline]
    pub(crate) fn tell(&mut self, lane: usize, event: impl FnOnce(&mut Self) -> Event) {
        if O::WATCHES {
            let event = event(self);
            let origin = self.origin(lane);
            self.observer.see(origin, event);
        }
    }

    /// Tells the observer, in the name of each active lane.
    #[inline]
    pub(crate) fn tell_all(&mut self, event: Event) {
        if O::WATCHES {
            for lane in lanes_of(self.active) {
                let origin = self.origin(lane);
                self.observer.see(origin, event);
            }
        }
    }

    /// Suspends the group.
    pub(crate) fn wait(&mut self, wait: Wait) -> Flow {
        self.group.wait = Some(wait);
        Flow::Waits
    }
}

impl World {
    /// What a slot holds for this thread.
    pub(crate) fn constant(
        &self,
        constant: Constant,
        id: [u32; 3],
        rank: usize,
        thread: u32,
        local: u64,
    ) -> u64 {
        let shared = |offset: u64, generic: bool| {
            let window = if generic { super::SHARED_WINDOW } else { 0 };
            window + ((rank as u64) << super::SHARED_RANK_SHIFT) + offset
        };
        match constant {
            Constant::Value(value) => value,
            Constant::Shared(offset, generic) => shared(offset, generic),
            Constant::DynamicShared(offset, generic) => {
                shared(self.dynamic_shared_start.wrapping_add(offset), generic)
            }
            Constant::Local(offset, generic) => {
                let window = if generic { super::LOCAL_WINDOW } else { 0 };
                window + local.wrapping_add(offset)
            }
            Constant::Special(special) => special.value(self, id, rank as u32, thread),
        }
    }
}
