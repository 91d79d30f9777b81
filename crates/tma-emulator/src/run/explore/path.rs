//! The way of an execution through the choices, and the tree of choices that is left.

use std::{cell::RefCell, mem, rc::Rc};

use super::{
    Aftermath, Schedule, Unsearched,
    branch::Request,
    event::{Event, Process, Relation, Use, relation_among, wakes},
    recorder::Record,
};

/// Limit of events in one execution.
const MOST_EVENTS: usize = 20_000;

/// Events of one process after which another one goes on.
const LONG_TURN: usize = 64;

/// A choice: the processes that could go on, and those that have gone.
#[derive(Clone, Debug)]
pub(super) struct Node {
    enabled: Vec<Process>,
    pub(super) chosen: Process,
    /// Processes whose next event needs no execution of its own here: another one covers it.
    sleep: Vec<(Process, Vec<Use>)>,
    pub(super) done: Vec<(Process, Vec<Use>)>,
    backtrack: Vec<Process>,
    /// Processes whose next step changes nothing here: they test a value in a loop.
    pub(super) idle: Vec<Process>,
    /// The instruction of the first event that was chosen here.
    instruction: Option<usize>,
    /// True if the next process to try is explored elsewhere.
    pub(super) is_given: bool,
}

/// The next step of an execution.
pub(super) enum Step {
    /// This process goes on.
    Go(Process),
    /// The execution ends here.
    End,
}

/// The outcome of an execution beside the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The kernel ended, or failed.
    Complete,
    /// Another execution covers the rest.
    Covered,
    /// The execution is too long.
    TooLong,
    /// The schedule does not fit the kernel.
    Diverged,
}

/// The choices of an execution, from the tree or from a schedule.
pub(crate) struct Path {
    record: Rc<RefCell<Record>>,
    pub(super) nodes: Vec<Node>,
    /// The events of this execution, and from `position` on the events of the last one that are still to be repeated.
    pub(super) events: Vec<Event>,
    position: usize,
    end: End,
    /// The choices to repeat, if the path does not explore.
    schedule: Option<Schedule>,
    /// Without a reduction, every enabled process is tried at every choice.
    is_plain: bool,
    /// The state that the last execution has left, if it repeats a schedule.
    pub(in crate::run) after: Aftermath,
    /// Choices up to the one whose subtree this is; 0 for the whole tree.
    pub(super) floor: usize,
    /// Requests of the subtree to choices that are not its own.
    pub(super) requests: Vec<Request>,
    /// True if the last choice has a process that has not gone yet.
    pub(super) is_pending: bool,
    pub(in crate::run) steps: u64,
    /// The schedules that were left out in any execution.
    pub(super) unsearched: Option<Unsearched>,
}

impl Path {
    pub(super) fn new(schedule: Option<Schedule>, is_plain: bool) -> Self {
        Self {
            record: Rc::default(),
            nodes: Vec::new(),
            events: Vec::new(),
            position: 0,
            end: End::Complete,
            schedule,
            is_plain,
            after: Aftermath::default(),
            floor: 0,
            requests: Vec::new(),
            is_pending: false,
            steps: 0,
            unsearched: None,
        }
    }

    pub(super) fn record(&self) -> Rc<RefCell<Record>> {
        Rc::clone(&self.record)
    }

    pub(super) fn begin(&mut self) {
        self.position = 0;
        self.end = End::Complete;
        self.is_pending = false;
        self.clear();
    }

    pub(super) fn clear(&self) {
        *self.record.borrow_mut() = Record::default();
    }

    pub(super) fn take(&self) -> Record {
        mem::take(&mut *self.record.borrow_mut())
    }

    /// Returns the events of this execution until now.
    pub(super) fn events(&self) -> &[Event] {
        &self.events[..self.position]
    }

    /// Returns the choices that the path repeats, if it does not explore.
    pub(in crate::run) fn repeated(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    /// Returns the process that goes on at an event without a choice.
    pub(super) fn usual_at(&self, event: usize) -> Option<Process> {
        let enabled = &self.nodes.get(event)?.enabled;
        Some(usual(&self.events[..event], enabled))
    }

    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Returns the choices with processes still to be tried: their instructions, and how many processes.
    pub(super) fn frontier(&self) -> impl Iterator<Item = (usize, usize)> {
        let last = self.nodes.len().wrapping_sub(1);
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(move |(depth, node)| {
            let own = usize::from(self.is_pending && depth == last);
            let left = node.left().filter(|process| *process != node.chosen);
            let left = left.count() + own;
            Some((node.instruction?, left)).filter(|_| left > 0)
        })
    }

    /// Chooses one of these processes for the next event; those in `idle` would change nothing.
    pub(super) fn choose(&mut self, enabled: &[Process], idle: Vec<Process>) -> Step {
        let depth = self.position;
        let usual = usual(self.events(), enabled);
        if let Some(schedule) = &self.schedule {
            let chosen = match schedule.at(depth) {
                None => Some(usual),
                Some(index) => {
                    let process = ready(enabled, &idle).get(index).copied();
                    process.filter(|process| enabled.contains(process))
                }
            };
            return match chosen {
                Some(process) => {
                    let node = Node::new(enabled, process, Vec::new(), idle);
                    self.nodes.push(node);
                    Step::Go(process)
                }
                None => {
                    self.end = End::Diverged;
                    Step::End
                }
            };
        }
        if let Some(node) = self.nodes.get(depth) {
            return Step::Go(node.chosen);
        }
        let sleep = match depth.checked_sub(1) {
            Some(before) if !self.is_plain => self.nodes[before].sleep_after(&self.events[before]),
            _ => Vec::new(),
        };
        let sleeps = |process: &Process| sleep.iter().any(|(other, _)| other == process);
        let chosen = match sleeps(&usual) {
            false => Some(usual),
            true => enabled.iter().copied().find(|process| !sleeps(process)),
        };
        let Some(chosen) = chosen else {
            self.end = End::Covered;
            return Step::End;
        };
        let mut node = Node::new(enabled, chosen, sleep, idle);
        if self.is_plain {
            node.backtrack = enabled.to_vec();
        }
        self.nodes.push(node);
        Step::Go(chosen)
    }

    /// Adds an event, with its place among the events before.
    pub(super) fn push(&mut self, mut event: Event) {
        let index = self.position;
        self.position += 1;
        if index < self.events.len() {
            return;
        }
        let mut found = Vec::new();
        let lacking = self.lacks_registers(&event);
        if lacking.is_some() {
            self.leave_out(Unsearched::Registers);
        }
        for (earlier, other) in self.events.iter().enumerate().rev() {
            if event.comes_after(earlier) {
                continue;
            }
            let held = |mbarrier, phase| {
                let between = self.events[earlier + 1..].iter();
                let after = between.filter(|event| event.comes_after(earlier));
                after.map(|event| event.arrivals(mbarrier, phase)).sum()
            };
            match relation_among(&other.uses, &event.uses, held) {
                _ if lacking.is_some() && other.registers().map(|it| it.block) == lacking => {
                    found.push(earlier);
                }
                Relation::Commutes => continue,
                Relation::Enables => {}
                Relation::Conflicts => found.push(earlier),
            }
            event.add(earlier, other);
        }
        // An event of no other's concern commutes with all others.
        if self.is_plain
            && event.is_alone()
            && let Some(node) = self.nodes.get_mut(index)
        {
            node.backtrack.clear();
        }
        let first = &mut self.nodes[index].instruction;
        *first = first.or(Some(event.instruction));
        self.events.push(event);
        if self.schedule.is_none() && !self.is_plain {
            for earlier in found {
                self.reverse(earlier, index);
            }
        }
    }

    /// Returns the block in which this event takes registers that another order of events may not leave. There is no such
    /// order if warps give back as many as all take, without having to take some first.
    fn lacks_registers(&self, event: &Event) -> Option<u64> {
        let of_event = event.registers().filter(|change| change.takes > 0)?;
        let changes: Vec<_> = self
            .events
            .iter()
            .enumerate()
            .filter_map(|(index, other)| Some((index, other, other.registers()?)))
            .filter(|(.., change)| change.block == of_event.block)
            .collect();
        let takes = || changes.iter().filter(|(.., change)| change.takes > 0);
        let is_certain = |event: &Event| takes().all(|(take, ..)| !event.comes_after(*take));
        let given = changes.iter().filter(|(_, event, _)| is_certain(event));
        let given: u32 = given.map(|(.., change)| change.gives).sum();
        let taken: u32 = takes().map(|(.., change)| change.takes).sum();
        (given < taken + of_event.takes).then_some(of_event.block)
    }

    /// Notes schedules that the search leaves out.
    pub(super) fn leave_out(&mut self, what: Unsearched) {
        self.unsearched = self.unsearched.or(Some(what));
    }

    /// Makes sure that the second of two events that conflict is also tried before the first.
    fn reverse(&mut self, first: usize, second: usize) {
        let between = (first + 1..second).filter(|event| !self.events[*event].comes_after(first));
        let later: Vec<usize> = between.chain([second]).collect();
        let is_initial = |event: &usize| {
            let mut before = later.iter().take_while(|other| *other != event);
            let mut own = before.clone();
            let is_first =
                |other: &usize| self.events[*other].process == self.events[*event].process;
            !own.any(is_first) && !before.any(|other| self.comes_before(*other, *event))
        };
        let initials: Vec<Process> = later
            .iter()
            .filter(|event| is_initial(event))
            .map(|event| self.events[*event].process)
            .collect();
        match first < self.floor {
            true => self.request(first, initials),
            false => self.plan(first, initials),
        }
    }

    /// Makes sure that one of these processes is tried at a choice.
    pub(super) fn plan(&mut self, at: usize, initials: Vec<Process>) {
        let node = &mut self.nodes[at];
        let is_planned = |process: &Process| {
            node.backtrack.contains(process) || node.done.iter().any(|(done, _)| done == process)
        };
        if initials.iter().any(is_planned) {
            return;
        }
        let possible = initials
            .iter()
            .rev()
            .find(|process| node.enabled.contains(process));
        match possible {
            Some(process) => node.backtrack.push(*process),
            None if initials.iter().all(|process| node.idle.contains(process)) => {}
            // The process did not exist yet under this name: lanes that have parted since.
            None => {
                for process in &node.enabled {
                    if !node.backtrack.contains(process) {
                        node.backtrack.push(*process);
                    }
                }
            }
        }
    }

    /// Returns whether an event happened before another one; `second` is of the last execution.
    fn comes_before(&self, first: usize, second: usize) -> bool {
        self.events[second].comes_after(first)
    }

    /// Forgets the step that was just taken: it has changed nothing.
    pub(super) fn forget(&mut self) {
        let depth = self.position;
        let node = &mut self.nodes[depth];
        node.idle.push(node.chosen);
        // A choice that was made only for this step leads where another one of the same node does.
        if self.schedule.is_none() && !node.done.is_empty() {
            self.end = End::Covered;
        } else {
            self.nodes.truncate(depth);
        }
    }

    /// Returns whether the execution ends since a step was forgotten.
    pub(super) fn is_covered(&self) -> bool {
        self.end == End::Covered
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.position >= MOST_EVENTS
    }

    /// Returns whether a process sleeps, so that the others go on without it.
    pub(super) fn spares_some(&self) -> bool {
        let last = self.nodes.last();
        last.is_some_and(|node| !node.sleep.is_empty())
    }

    pub(super) fn give_up(&mut self) {
        self.end = End::TooLong;
    }

    /// Ends the execution, since another one covers it.
    pub(super) fn cover(&mut self) {
        self.end = End::Covered;
    }

    /// Returns whether every order is tried.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Ends the execution, which has no more events; a schedule with choices of later events does not fit it.
    pub(super) fn complete(&mut self) {
        let last = self
            .schedule
            .as_ref()
            .and_then(|schedule| schedule.0.last());
        if last.is_some_and(|(event, _)| *event >= self.position) {
            self.diverge();
        }
    }

    pub(super) fn diverge(&mut self) {
        self.end = End::Diverged;
    }

    /// Goes back to the last choice with a process to be tried. Returns false if there is none.
    pub(super) fn next(&mut self) -> bool {
        while !self.nodes.is_empty() {
            let depth = self.nodes.len() - 1;
            let event = self.events.get(depth);
            self.nodes[depth].settle(event);
            if depth + 1 == self.floor {
                return false;
            }
            self.events.truncate(depth);
            if let Some(next) = self.nodes[depth].next() {
                self.nodes[depth].chosen = next;
                self.nodes[depth].is_given = false;
                self.is_pending = true;
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    /// Returns the choices of the last execution that differ from the usual ones.
    pub(super) fn schedule(&self) -> Schedule {
        let mut choices = Vec::new();
        for (depth, event) in self.events().iter().enumerate() {
            let enabled = &self.nodes[depth].enabled;
            if event.process != usual(&self.events[..depth], enabled)
                && let Some(index) = ready(enabled, &self.nodes[depth].idle)
                    .iter()
                    .position(|it| *it == event.process)
            {
                choices.push((depth, index));
            }
        }
        Schedule(choices)
    }
}

/// Returns the process that goes on without a reason for another: the one of the last event, or the first. One that has
/// gone on for long, as in a loop that waits, lets the next one go on.
fn usual(events: &[Event], enabled: &[Process]) -> Process {
    let Some(last) = events.last().map(|event| event.process) else {
        return enabled[0];
    };
    let turn = events
        .iter()
        .rev()
        .take_while(|event| event.process == last);
    if turn.take(LONG_TURN).count() == LONG_TURN {
        let next = enabled.iter().find(|process| **process > last);
        return *next.unwrap_or(&enabled[0]);
    }
    let last = enabled.iter().find(|process| **process == last);
    *last.unwrap_or(&enabled[0])
}

/// Returns all processes that could go on, in order.
fn ready(enabled: &[Process], idle: &[Process]) -> Vec<Process> {
    let mut all: Vec<Process> = enabled.iter().chain(idle).copied().collect();
    all.sort();
    all.dedup();
    all
}

impl Node {
    fn new(
        enabled: &[Process],
        chosen: Process,
        sleep: Vec<(Process, Vec<Use>)>,
        idle: Vec<Process>,
    ) -> Self {
        Self {
            enabled: enabled.to_vec(),
            chosen,
            sleep,
            done: Vec::new(),
            backtrack: Vec::new(),
            idle,
            instruction: None,
            is_given: false,
        }
    }

    /// Returns the processes to try that have not gone.
    fn left(&self) -> impl Iterator<Item = Process> {
        let is_left = |process: &&Process| {
            let is_same = |(other, _): &(Process, Vec<Use>)| other == *process;
            let is_settled = self.done.iter().chain(&self.sleep).any(is_same);
            !is_settled && !self.idle.contains(process)
        };
        self.backtrack.iter().filter(is_left).copied()
    }

    /// Returns whether processes are left beside the chosen one.
    pub(super) fn has_others(&self) -> bool {
        self.left().any(|process| process != self.chosen)
    }

    /// Returns the next process to try.
    pub(super) fn next(&self) -> Option<Process> {
        self.left().next()
    }

    /// Notes that the chosen process has gone, with this event.
    pub(super) fn settle(&mut self, event: Option<&Event>) {
        let chosen = self.chosen;
        if !self.idle.contains(&chosen) && !self.done.iter().any(|(done, _)| *done == chosen) {
            let uses = event.map(|event| event.uses.clone());
            self.done.push((chosen, uses.unwrap_or_default()));
        }
    }

    /// Returns the processes that sleep after an event of the chosen process.
    fn sleep_after(&self, event: &Event) -> Vec<(Process, Vec<Use>)> {
        let others = self.sleep.iter().chain(&self.done);
        let others = others.filter(|(process, uses)| {
            *process != event.process
                && !event.joins.is_some_and(|joined| process.is_of(joined))
                && !wakes(&event.uses, uses)
        });
        others.cloned().collect()
    }
}
