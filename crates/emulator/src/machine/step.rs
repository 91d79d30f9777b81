//! One operation, for the lanes of a group that execute it.

use super::{
    Cta, Frame, Group, Here, Located, SHARED_START, Trapped, Wait, Warp, World,
    memory::{of_generic, of_shared},
};
use crate::{
    Observer, Program,
    action::Action,
    barrier_cluster::ClusterBarrier,
    decode::{Address, Constant, Slot, Space},
    error::Trap,
    lanes::{LANES, Lanes, blend, lanes_of},
    observer::{self, AccessKind, Event, Origin, Proxy, Range, Scope, Sem},
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
    pub(crate) fn fault(&self, lane: usize, trap: Trap, what: String) -> Trapped {
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

    /// The address that a lane means, in the space of the instruction.
    #[inline]
    pub(crate) fn address_of(&self, address: &Address, lane: usize) -> u64 {
        self.get(address.base)[lane].wrapping_add(address.offset)
    }

    /// Where `bytes` bytes lie, which an instruction reads or writes at once.
    #[inline]
    pub(crate) fn locate(
        &mut self,
        lane: usize,
        address: &Address,
        bytes: u64,
        align: u64,
    ) -> Result<Located, Trapped> {
        let at = self.address_of(address, lane);
        self.locate_at(lane, address.space, at, bytes, align)
    }

    /// As [`locate`](Self::locate), with the address at hand.
    #[inline]
    pub(crate) fn locate_at(
        &mut self,
        lane: usize,
        space: Space,
        at: u64,
        bytes: u64,
        align: u64,
    ) -> Result<Located, Trapped> {
        // Alignments are powers of two.
        if at & (align - 1) != 0 {
            let what = format!("the address {at:#x} is not a multiple of {align}");
            return Err(self.fault(lane, Trap::MisalignedAddress, what));
        }
        let (space, at) = if space == Space::Generic {
            of_generic(at)
        } else {
            (space, at)
        };
        let within = |length: usize| {
            let end = at.checked_add(bytes);
            end.is_some_and(|end| end <= length as u64)
                .then_some(at as usize)
        };
        let of = |name: &str, length: usize| {
            format!("{bytes} bytes at {at:#x} of {name}, of which there are {length}")
        };
        let found = match space {
            Space::Global | Space::Generic => self.world.memory.find(at, bytes),
            Space::SharedCta | Space::SharedCluster => {
                self.world.find_shared(self.here, space, at, bytes)
            }
            Space::Local => {
                let length = self.warp.local[lane].len();
                let offset = within(length).ok_or_else(|| of("local memory", length));
                offset.map(|offset| Located::Local { offset })
            }
            Space::Const => {
                let length = self.world.memory.constants.len();
                let offset = within(length).ok_or_else(|| of("constants", length));
                offset.map(|offset| Located::Const { offset })
            }
            Space::Param => {
                let length = self.world.memory.parameters.len();
                let offset = within(length).ok_or_else(|| of("parameters", length));
                offset.map(|offset| Located::Param { offset })
            }
        };
        found.map_err(|what| self.fault(lane, Trap::IllegalAddress, what))
    }

    /// Bytes that are there.
    #[inline]
    pub(crate) fn bytes(&self, lane: usize, located: Located, bytes: usize) -> &[u8] {
        let (memory, offset) = match located {
            Located::Global { allocation, offset } => {
                (self.world.memory.global(allocation), offset)
            }
            Located::Shared { rank, offset } => (
                &*self.world.clusters[self.here.cluster].ctas[rank].shared,
                offset,
            ),
            Located::Local { offset } => (&*self.warp.local[lane], offset),
            Located::Const { offset } => (&*self.world.memory.constants, offset),
            Located::Param { offset } => (&*self.world.memory.parameters, offset),
        };
        memory.get(offset..offset + bytes).unwrap_or(&[])
    }

    /// Bytes that are there, to write them; constants and parameters are not written.
    #[inline]
    pub(crate) fn bytes_mut(
        &mut self,
        lane: usize,
        located: Located,
        bytes: usize,
    ) -> Result<&mut [u8], Trapped> {
        let (memory, offset) = match located {
            Located::Global { allocation, offset } => {
                (self.world.memory.global_mut(allocation), offset)
            }
            Located::Shared { rank, offset } => (
                &mut *self.world.clusters[self.here.cluster].ctas[rank].shared,
                offset,
            ),
            Located::Local { offset } => (&mut *self.warp.local[lane], offset),
            Located::Const { .. } | Located::Param { .. } => {
                let what = "a write to memory that can only be read".into();
                return Err(self.fault(lane, Trap::IllegalAddress, what));
            }
        };
        Ok(memory.get_mut(offset..offset + bytes).unwrap_or(&mut []))
    }

    /// How the observer calls these bytes.
    pub(crate) fn range(&self, located: Located, bytes: u64) -> Range {
        self.world.range(self.here.cluster, located, bytes)
    }

    /// Tells the observer of an ordinary access.
    #[inline]
    pub(crate) fn tell_access(
        &mut self,
        lane: usize,
        located: Located,
        bytes: u64,
        kind: AccessKind,
        (sem, scope): (Sem, Scope),
    ) {
        self.tell(lane, |step| Event::Access {
            proxy: Proxy::Generic,
            kind,
            sem,
            scope,
            range: step.range(located, bytes),
            copy: None,
        });
    }

    /// Suspends the group.
    pub(crate) fn wait(&mut self, wait: Wait) -> Flow {
        self.group.wait = Some(wait);
        Flow::Waits
    }

    /// Enters a function: its frames begin where those of the caller end.
    pub(crate) fn enter_function(
        &mut self,
        id: usize,
        returns: Vec<crate::decode::Passed>,
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
            returns,
        };
        let base = self.group.base + caller.slots;
        let local = (self.group.local + caller.local_bytes).next_multiple_of(16);
        let local_end = local + callee.local_bytes;
        if local_end > 512 << 10 || self.group.frames.len() >= 4096 {
            let what = format!("the stack overflows in a call of `{}`", callee.name);
            return Err(self.trapped(Trap::IllegalAddress, what));
        }
        if self.warp.registers.len() < base + callee.slots {
            self.warp.registers.resize(base + callee.slots, [0; LANES]);
        }
        let cta = &self.world.clusters[self.here.cluster].ctas[self.here.rank];
        for lane in lanes_of(self.active) {
            if self.warp.local[lane].len() < local_end as usize {
                self.warp.local[lane].resize(local_end as usize, 0);
            }
            let thread = (self.here.warp * LANES + lane) as u32;
            for (slot, constant) in &callee.constants {
                self.warp.registers[base + slot][lane] =
                    self.world
                        .constant(*constant, cta.id, self.here.rank, thread, local);
            }
        }
        self.group.frames.push(frame);
        (self.group.pc, self.group.function) = (callee.start, id);
        (self.group.base, self.group.local) = (base, local);
        Ok(())
    }

    fn leave_function(&mut self) -> Flow {
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
        (self.group.base, self.group.local) = to;
        Flow::Jumped
    }

    /// Copies an argument or a result from one function's frame to another's.
    pub(crate) fn pass(
        &mut self,
        source: crate::decode::Passed,
        (from_base, from_local): (usize, u64),
        destination: crate::decode::Passed,
        (to_base, to_local): (usize, u64),
    ) {
        use crate::decode::Passed;
        for lane in lanes_of(self.active) {
            let mut value = [0; 8];
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

impl World {
    /// A place in the shared memory of a block of the cluster.
    #[inline]
    pub(crate) fn find_shared(
        &self,
        here: Here,
        space: Space,
        at: u64,
        bytes: u64,
    ) -> Result<Located, String> {
        let (rank, offset) = of_shared(at & 0xffff_ffff);
        let (ctas, start) = (&self.clusters[here.cluster].ctas, offset as u64);
        let is_there = ctas.get(rank).is_some_and(|cta| cta.alive != 0)
            && at <= 0xffff_ffff
            && (space != Space::SharedCta || rank == here.rank)
            && start >= SHARED_START
            && start + bytes <= self.shared_bytes;
        match is_there {
            true => Ok(Located::Shared { rank, offset }),
            false => Err(self.why_not_shared(here, space, at, bytes)),
        }
    }

    #[cold]
    fn why_not_shared(&self, here: Here, space: Space, at: u64, bytes: u64) -> String {
        let (rank, _) = of_shared(at & 0xffff_ffff);
        let ctas = &self.clusters[here.cluster].ctas;
        let what = format!("{bytes} bytes at {at:#x} of shared memory");
        if at > 0xffff_ffff {
            return format!("{what}, whose addresses have 32 bits");
        }
        let Some(cta) = ctas.get(rank) else {
            return format!("{what}: block {rank} of a cluster of {}", ctas.len());
        };
        if space == Space::SharedCta && rank != here.rank {
            return format!("{what} are in block {rank} of the cluster, not in this one");
        }
        if cta.alive == 0 {
            return format!("{what}: block {rank} of the cluster has ended");
        }
        let first = ((rank as u64) << super::SHARED_RANK_SHIFT) + SHARED_START;
        let length = self.shared_bytes - SHARED_START;
        format!("{what} are outside of the block's, {length} bytes at {first:#x}")
    }

    pub(crate) fn range(&self, cluster: usize, located: Located, bytes: u64) -> Range {
        let (memory, address) = match located {
            Located::Global { allocation, offset } => (
                observer::Memory::Global,
                self.memory.address(allocation) + offset as u64,
            ),
            Located::Shared { rank, offset } => {
                let block = self.clusters[cluster].ctas[rank].number;
                (observer::Memory::Shared { block }, offset as u64)
            }
            Located::Local { offset } => (observer::Memory::Local, offset as u64),
            Located::Const { offset } => (observer::Memory::Const, offset as u64),
            Located::Param { offset } => (observer::Memory::Param, offset as u64),
        };
        Range {
            memory,
            address,
            bytes: bytes as u32,
        }
    }

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
