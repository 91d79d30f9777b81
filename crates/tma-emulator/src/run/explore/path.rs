//! The way of an execution through the choices, and the tree of choices that is left.

use std::{cell::RefCell, mem, rc::Rc};

use super::{
    Aftermath, Schedule,
    event::{Event, Process, Relation, Use, relation_among, wakes},
    recorder::Record,
};

/// Limit of events in one execution.
const MOST_EVENTS: usize = 20_000;

/// Events of one process after which another one goes on.
const LONG_TURN: usize = 64;

/// A choice: the processes that could go on, and those that have gone.
#[derive(Debug)]
struct Node {
    enabled: Vec<Process>,
    chosen: Process,
    /// Processes whose next event needs no execution of its own here: another one covers it.
    sleep: Vec<(Process, Vec<Use>)>,
    done: Vec<(Process, Vec<Use>)>,
    backtrack: Vec<Process>,
    /// Processes whose next step changes nothing here: they test a value in a loop.
    idle: Vec<Process>,
}

/// The next step of an execution.
pub(super) enum Step {
    /// This process goes on.
    Go(Process),
    /// The execution ends here.
    End,
}

/// The outcome of an execution beside that of the kernel.
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

/// The choices of an execution: those of the tree, or those of a schedule.
pub(crate) struct Path {
    record: Rc<RefCell<Record>>,
    nodes: Vec<Node>,
    events: Vec<Event>,
    end: End,
    /// The choices to repeat, if the path does not explore.
    schedule: Option<Schedule>,
    /// Without a reduction, every enabled process is tried at every choice.
    is_plain: bool,
    /// What the last execution has left, if it repeats a schedule.
    pub(in crate::run) after: Aftermath,
}

impl Path {
    pub(super) fn new(schedule: Option<Schedule>, is_plain: bool) -> Self {
        Self {
            record: Rc::default(),
            nodes: Vec::new(),
            events: Vec::new(),
            end: End::Complete,
            schedule,
            is_plain,
            after: Aftermath::default(),
        }
    }

    pub(super) fn record(&self) -> Rc<RefCell<Record>> {
        Rc::clone(&self.record)
    }

    pub(super) fn begin(&mut self) {
        self.events.clear();
        self.end = End::Complete;
        self.clear();
    }

    pub(super) fn clear(&self) {
        *self.record.borrow_mut() = Record::default();
    }

    pub(super) fn take(&self) -> Record {
        mem::take(&mut *self.record.borrow_mut())
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the choices that the path repeats, if it does not explore.
    pub(in crate::run) fn repeated(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Returns the number of choices with processes still to be tried.
    pub(super) fn open(&self) -> usize {
        let open = |node: &&Node| node.next().is_some();
        self.nodes.iter().filter(open).count()
    }

    /// Chooses one of these processes for the next event; those in `idle` would change nothing.
    pub(super) fn choose(&mut self, enabled: &[Process], idle: Vec<Process>) -> Step {
        let depth = self.events.len();
        let usual = usual(&self.events, enabled);
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
                    self.nodes
                        .push(Node::new(enabled, process, Vec::new(), idle));
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
        let index = self.events.len();
        let mut found = Vec::new();
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
        self.events.push(event);
        if self.schedule.is_none() && !self.is_plain {
            for earlier in found {
                self.reverse(earlier, index);
            }
        }
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
        let node = &mut self.nodes[first];
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
                let all = node.enabled.clone();
                for process in all {
                    if !node.backtrack.contains(&process) {
                        node.backtrack.push(process);
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
        let depth = self.events.len();
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
        self.events.len() >= MOST_EVENTS
    }

    pub(super) fn give_up(&mut self) {
        self.end = End::TooLong;
    }

    pub(super) fn diverge(&mut self) {
        self.end = End::Diverged;
    }

    /// Goes back to the last choice with a process to be tried. Returns false if there is none.
    pub(super) fn next(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            let chosen = node.chosen;
            if !node.idle.contains(&chosen) && !node.done.iter().any(|(done, _)| *done == chosen) {
                let depth = self.nodes.len() - 1;
                let uses = self.events.get(depth).map(|event| event.uses.clone());
                let node = &mut self.nodes[depth];
                node.done.push((chosen, uses.unwrap_or_default()));
            }
            let depth = self.nodes.len() - 1;
            if let Some(next) = self.nodes[depth].next() {
                self.nodes[depth].chosen = next;
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    /// Returns the choices of the last execution that differ from the usual ones.
    pub(super) fn schedule(&self) -> Schedule {
        let mut choices = Vec::new();
        for (depth, event) in self.events.iter().enumerate() {
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
    all.sort_unstable();
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
        }
    }

    /// Returns the next process to try.
    fn next(&self) -> Option<Process> {
        let is_left = |process: &&Process| {
            let is_same = |(other, _): &(Process, Vec<Use>)| other == *process;
            let is_settled = self.done.iter().chain(&self.sleep).any(is_same);
            !is_settled && !self.idle.contains(process)
        };
        self.backtrack.iter().find(is_left).copied()
    }

    /// Returns the processes that sleep after an event of the chosen process.
    fn sleep_after(&self, event: &Event) -> Vec<(Process, Vec<Use>)> {
        let others = self.sleep.iter().chain(&self.done);
        let others =
            others.filter(|(process, uses)| *process != event.process && !wakes(&event.uses, uses));
        others.cloned().collect()
    }
}
