//! One execution, with the events in the order that a path chooses.

use std::collections::HashMap;

use super::{
    Path, Step as Taken, Unsearched,
    event::{Event, Process, Relation, Use, relation},
    failed_tests::FailedTests,
    joins::{Joins, met},
    polls::failing_turn,
    recorder::Record,
    symmetry::Order,
};
use crate::{
    inst::{Action, Code, Execute, Waiting},
    machine::{Group, Here, Trapped, Wait, Warp, World, observer::Observer},
    run::{deadlock, schedule::Length},
    value::{LANES, lanes_of},
};

/// The next step of a process.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A group of a warp.
    Group(Here, usize),
    /// A copy, by its index.
    Copy(usize),
}

/// The state of an execution beside the machine's.
#[derive(Default)]
struct Progress {
    /// The names of copies, by number.
    copies: HashMap<u64, Process>,
    /// The copies that a thread has issued.
    issued: HashMap<(u64, u32), u32>,
    /// The event in which a copy was issued.
    issued_in: HashMap<u64, usize>,
    /// The last event of each thread.
    last: HashMap<(u64, u32), usize>,
    /// Lanes that test a value in a loop, with the uses of the test: they sleep until it changes.
    asleep: HashMap<Process, Vec<Use>>,
    /// The operations of a turn of the loops that only test, by their first instruction; `None` of other loops.
    polls: HashMap<usize, Option<Vec<usize>>>,
    failed: FailedTests,
    joins: Joins,
    order: Order,
    /// True if a process waits only for its turn in the order of blocks that are alike.
    is_held_back: bool,
}

impl Progress {
    /// Returns whether a group is at a wait that it leaves only when its phase is complete.
    fn waits(&mut self, code: &Code, warp: &Warp, group: &Group) -> bool {
        let operation = code.operations.get(group.pc);
        let Some(Action::Mbarrier(wait)) = operation.map(|operation| &operation.action) else {
            return false;
        };
        matches!(group.wait, None | Some(Wait::Mbarrier))
            && wait.is_one_wait(warp, group)
            && self.failing_turn(code, group.pc).is_some()
    }

    fn failing_turn(&mut self, code: &Code, at: usize) -> Option<&[usize]> {
        let turn = self.polls.entry(at);
        turn.or_insert_with(|| failing_turn(code, at)).as_deref()
    }
}

impl World {
    /// Runs all blocks to their end, or until the path ends.
    pub(in crate::run) fn follow(
        &mut self,
        code: &Code,
        observer: &mut dyn Observer,
        path: &mut Path,
    ) -> Result<(), Trapped> {
        while self.next_cluster < self.cluster_count() {
            self.start(code, None, observer);
        }
        let mut progress = Progress::default();
        if !path.is_plain() {
            progress.order = Order::new(code, &self.places);
        }
        path.begin();
        self.begin_threads(code, observer)?;
        loop {
            self.has_ended = false;
            self.begin_waits(code, observer, &mut progress)?;
            let ready = self.ready(code, &mut progress);
            let enabled: Vec<Process> = ready.iter().map(|(process, _)| *process).collect();
            let (idle, enabled): (Vec<_>, Vec<_>) = enabled
                .into_iter()
                .partition(|process| progress.asleep.contains_key(process));
            if enabled.is_empty() {
                let is_over = |cta: &crate::machine::Cta| cta.alive == 0;
                let mut ctas = self.clusters.iter().flat_map(|cluster| &cluster.ctas);
                if ctas.all(is_over) && self.transfers.is_empty() {
                    path.complete();
                    return Ok(());
                }
                if progress.is_held_back {
                    path.cover();
                    return Ok(());
                }
                match self.waits_for_init() {
                    Some(at) if progress.asleep.is_empty() => {
                        self.turn(code, observer, at, true, Length::ToVisible)?;
                        continue;
                    }
                    _ => {}
                }
                // The description of a deadlock has the threads that have begun to wait.
                while let Some(at) = self.at_a_wait(code, |action, _, _| {
                    matches!(action, Action::Mbarrier(_) | Action::Registers(_))
                }) {
                    self.turn(code, observer, at, true, Length::ToVisible)?;
                }
                return Err(deadlock::describe(self, code));
            }
            let process = match path.choose(&enabled, idle) {
                Taken::Go(process) => process,
                Taken::End => return Ok(()),
            };
            let found = ready.iter().find(|(ready, _)| *ready == process);
            let Some((_, next)) = found else {
                path.diverge();
                return Ok(());
            };
            path.clear();
            let (threads, instruction) = match *next {
                Next::Group(here, group) => {
                    self.step(code, observer, &mut progress, (here, group))?
                }
                Next::Copy(index) => {
                    let copy = &self.transfers[index];
                    let (id, instruction) = (copy.id, copy.origin.instruction);
                    self.complete_copy(index, observer)?;
                    (Threads::Copy(id), instruction)
                }
            };
            let mut record = path.take();
            if let Threads::Lanes { waits: true, .. } = &threads {
                record.uses.iter_mut().for_each(Use::wait);
            }
            if let Threads::Lanes {
                here, mask, was, ..
            } = &threads
                && self.is_test(code, &mut progress, *here, *was, *mask, &record.executed)
            {
                let last = match process {
                    Process::Lanes { block, thread } => {
                        progress.last.get(&(block, thread)).copied()
                    }
                    Process::Copy { .. } => None,
                };
                progress
                    .failed
                    .add(process, &record.uses, path.events(), last);
                progress.asleep.insert(process, record.uses);
                path.forget();
                if path.is_covered() {
                    return Ok(());
                }
                continue;
            }
            if !matches!(record.counted, 0 | u32::MAX) {
                path.leave_out(Unsearched::Barrier);
            }
            if progress
                .failed
                .order_more(process, &record.uses, path.events())
            {
                path.leave_out(Unsearched::FailedTests);
            }
            let joins = self.joins(code, &mut progress, &threads, &record, path);
            let begin = progress.order.event(code, instruction, process);
            record.uses.extend(begin);
            let mut event = Event {
                process,
                uses: record.uses,
                before: Vec::new(),
                instruction,
                joins,
            };
            let index = path.events().len();
            match &threads {
                Threads::Copy(id) => {
                    if let Some(issue) = progress.issued_in.get(id) {
                        event.add(*issue, &path.events()[*issue]);
                    }
                }
                Threads::Lanes {
                    block, here, mask, ..
                } => {
                    for lane in lanes_of(*mask) {
                        let thread = (here.warp * LANES + lane) as u32;
                        if let Some(last) = progress.last.insert((*block, thread), index)
                            && last != index
                        {
                            event.add(last, &path.events()[last]);
                        }
                    }
                }
            }
            for copy in record.issued {
                progress.issued_in.insert(copy, index);
            }
            // An event that conflicts with a test writes what the test has read.
            let stays = |test: &[Use]| relation(&event.uses, test) != Relation::Conflicts;
            progress.asleep.retain(|_, test| stays(test));
            path.push(event);
            if self.must_end() && !path.spares_some() {
                return Err(deadlock::endless(self, code));
            }
            if self.must_end() || path.is_too_long() {
                path.give_up();
                return Ok(());
            }
        }
    }

    /// Runs all warps to their first operations that others can see. That is of no effect on others, so that it is no event.
    fn begin_threads(&mut self, code: &Code, observer: &mut dyn Observer) -> Result<(), Trapped> {
        let all: Vec<Here> = deadlock::groups(self).map(|(here, ..)| here).collect();
        for here in all {
            let warp = &self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
            let first = code.operations.get(warp.groups[0].pc);
            if first.is_some_and(|operation| !operation.action.is_visible()) {
                self.turn(code, observer, (here, 0), true, Length::ToVisible)?;
            }
            if self.must_end() {
                return Err(deadlock::endless(self, code));
            }
        }
        Ok(())
    }

    /// Returns a group that is at an operation of this kind, and has not begun to wait there.
    fn at_a_wait(
        &self,
        code: &Code,
        mut is_wait: impl FnMut(&Action, Here, &Group) -> bool,
    ) -> Option<(Here, usize)> {
        let mut groups = deadlock::groups(self);
        let found = groups.find(|(here, _, group)| {
            let operation = code.operations.get(group.pc);
            group.wait.is_none()
                && operation.is_some_and(|operation| is_wait(&operation.action, *here, group))
        });
        found.map(|(here, index, _)| (here, index))
    }

    /// Lets the groups that must wait for a phase begin to. That is of no effect on others, but phases that complete
    /// from now on are those that the group misses.
    fn begin_waits(
        &mut self,
        code: &Code,
        observer: &mut dyn Observer,
        progress: &mut Progress,
    ) -> Result<(), Trapped> {
        loop {
            let found = self.at_a_wait(code, |action, here, group| {
                let warp = &self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
                matches!(action, Action::Mbarrier(_))
                    && progress.waits(code, warp, group)
                    && !self.can_step(code, progress, here, warp, group)
            });
            match found {
                Some(at) => self.turn(code, observer, at, true, Length::ToVisible)?,
                None => return Ok(()),
            };
        }
    }

    /// Returns the processes that can go on, in a fixed order.
    fn ready(&self, code: &Code, progress: &mut Progress) -> Vec<(Process, Next)> {
        let mut ready = Vec::new();
        progress.is_held_back = false;
        for (here, index, group) in deadlock::groups(self) {
            let cta = &self.clusters[here.cluster].ctas[here.rank];
            let warp = &cta.warps[here.warp];
            if self.can_step(code, progress, here, warp, group) {
                let lane = group.mask.trailing_zeros();
                let process = Process::Lanes {
                    block: cta.number,
                    thread: (here.warp * LANES) as u32 + lane,
                };
                match progress.order.holds_back(code, group.pc, process) {
                    true => progress.is_held_back = true,
                    false => ready.push((process, Next::Group(here, index))),
                }
            }
        }
        let mut order: Vec<usize> = (0..self.transfers.len()).collect();
        order.sort_by_key(|index| self.transfers[*index].id);
        for index in order {
            let copy = &self.transfers[index];
            let by = (copy.origin.block, copy.origin.thread);
            let issued = &mut progress.issued;
            let process = *progress.copies.entry(copy.id).or_insert_with(|| {
                let number = issued.entry(by).or_insert(0);
                *number += 1;
                Process::Copy {
                    block: by.0,
                    thread: by.1,
                    number: *number - 1,
                }
            });
            if !self.is_held_back(index) {
                ready.push((process, Next::Copy(index)));
            }
        }
        ready.sort_by_key(|(process, _)| *process);
        ready
    }

    fn can_step(
        &self,
        code: &Code,
        progress: &mut Progress,
        here: Here,
        warp: &Warp,
        group: &Group,
    ) -> bool {
        let operation = code.operations.get(group.pc);
        let waiting = |wait| Waiting {
            world: self,
            program: &code.program,
            operations: &code.operations,
            here,
            warp,
            group,
            wait,
        };
        match operation.map(|operation| &operation.action) {
            Some(Action::Mbarrier(wait)) if progress.waits(code, warp, group) => {
                wait.is_over(&waiting(&Wait::Mbarrier))
            }
            // A test that fails is a choice.
            Some(Action::Mbarrier(_)) => self.can_run(code, here, warp, group, true),
            Some(Action::Registers(take)) if group.wait.is_none() => {
                take.is_over(&waiting(&Wait::Registers))
            }
            _ => self.can_run(code, here, warp, group, false),
        }
    }

    /// Runs a group from a visible operation to before the next one.
    fn step(
        &mut self,
        code: &Code,
        observer: &mut dyn Observer,
        progress: &mut Progress,
        (here, group): (Here, usize),
    ) -> Result<(Threads, usize), Trapped> {
        let cta = &self.clusters[here.cluster].ctas[here.rank];
        let was = cta.warps[here.warp].groups[group].clone();
        let block = cta.number;
        let waits = progress.waits(code, &cta.warps[here.warp], &was);
        let alive = cta.warps[here.warp].alive;
        let groups = cta.warps[here.warp].groups.iter();
        let before = groups.map(|group| group.mask).collect();
        // Groups at the same operation execute it together.
        let groups = cta.warps[here.warp].groups.iter();
        let together = groups.filter(|group| group.joins(&was));
        let acting = together.fold(was.mask, |mask, group| mask | group.mask);
        let mask = self.turn(code, observer, (here, group), true, Length::ToVisible)?;
        let ended = alive & !self.clusters[here.cluster].ctas[here.rank].warps[here.warp].alive;
        let threads = Threads::Lanes {
            block,
            here,
            mask: mask | ended | was.mask,
            was: (was.pc, acting),
            waits,
            before,
            resumes: matches!(was.wait, Some(Wait::Collective { members }) if members & alive == alive),
        };
        Ok((threads, was.pc))
    }

    /// Returns the warp in which a step has brought lanes together.
    fn joins(
        &self,
        code: &Code,
        progress: &mut Progress,
        threads: &Threads,
        record: &Record,
        path: &mut Path,
    ) -> Option<(u64, u32)> {
        let Threads::Lanes {
            block,
            here,
            was: (_, acting),
            before,
            resumes,
            ..
        } = threads
        else {
            return None;
        };
        let of = (*block, here.warp as u32);
        let at_first = met(before, [*acting].into_iter());
        progress.joins.add(of, &at_first, false);
        if progress.joins.are_together(of, *acting, &record.uses) {
            path.leave_out(Unsearched::Lanes);
        }
        let warp = &self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
        let met = met(before, warp.groups.iter().map(|group| group.mask));
        let has_collective = *resumes
            || record
                .executed
                .iter()
                .any(|at| match &code.operations[*at].action {
                    Action::Collective(collective) => collective.is_of_all(warp),
                    _ => false,
                });
        let is_whole = warp.groups.iter().any(|group| group.mask == warp.alive);
        progress.joins.add(of, &met, has_collective && is_whole);
        if met.is_empty() {
            return None;
        }
        progress.asleep.retain(|process, _| !process.is_of(of));
        Some(of)
    }

    /// Returns whether a group has only tested a value in a loop, has executed nothing else, and is where it was.
    fn is_test(
        &self,
        code: &Code,
        progress: &mut Progress,
        here: Here,
        (pc, mask): (usize, u32),
        lanes: u32,
        executed: &[usize],
    ) -> bool {
        let operation = code.operations.get(pc);
        let is_load =
            operation.is_some_and(|operation| matches!(operation.action, Action::LoadStore(_)));
        if !is_load || lanes != mask {
            return false;
        }
        let warp = &self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
        let is_there = warp
            .groups
            .iter()
            .any(|group| group.pc == pc && group.mask == mask && group.wait.is_none());
        // A test that succeeds leads elsewhere, perhaps back to the test by way of an outer loop.
        let turn = progress.failing_turn(code, pc).filter(|_| is_there);
        turn.is_some_and(|turn| executed.iter().all(|at| turn.contains(at)))
    }
}

/// The threads that took a step.
enum Threads {
    Copy(u64),
    Lanes {
        block: u64,
        here: Here,
        mask: u32,
        /// The instruction and the lanes before.
        was: (usize, u32),
        /// True if they waited for a phase.
        waits: bool,
        /// The groups of the warp before.
        before: Vec<u32>,
        /// True if the lanes waited for others of their warp.
        resumes: bool,
    },
}
