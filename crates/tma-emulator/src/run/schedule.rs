//! The schedule: which group of lanes runs next, and for how long.
//!
//! A turn is a few operations of one group of lanes. Copies progress between turns. All choices come from the
//! seed. Groups of a warp that reach the same instruction merge. To help them converge, the group furthest back
//! in the code is usually preferred.

use super::{
    convergence, deadlock, is_interrupted,
    jobs::is_called_off,
    progress::{self, Counted},
};
use crate::{
    inst::{Code, Execute, Step, Waiting},
    machine::{
        Flow, Group, Here, MANY_GROUPS, Trap, Trapped, Wait, Warp, World,
        observer::{Event, Observer, Origin, Turn, View},
    },
    value::{LANES, lanes_of},
};

/// Operations of a turn, at most.
const TURN: usize = 64;
/// Length of a turn if the lanes of the warp have diverged.
const SHORT_TURN: usize = 12;
/// Operations of a turn of any length after which it ends if the kernel must.
const OFTEN: usize = 1 << 12;
/// Limit of waits that give up with no other progress, before the kernel counts as a deadlock.
const BARREN: u64 = 256;
/// Number of turns for each warp without a change of global memory, a copy or an ended thread, after which the
/// warps may be waiting for blocks that have not begun.
const PATIENCE: u64 = 256;
/// Steps of the launch in which a thread waits for the initialisation of an mbarrier that it uses.
const INIT_PATIENCE: u64 = 100_000;

/// The number of operations of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// As many as the seed chooses.
    Random,
    /// One, and those that follow up to the next that other threads can see.
    ToVisible,
}

/// Copies in flight: with this many, none is issued before one completes.
const MOST_TRANSFERS: usize = 4096;

impl World {
    /// Runs all clusters to their end.
    pub(crate) fn run(&mut self, code: &Code, observer: &mut dyn Observer) -> Result<(), Trapped> {
        if observer.keeps_warps_together() {
            self.convergence = convergence::order(code);
        }
        for _ in 0..self.resident(&code.program) {
            self.start(code, None, observer);
        }
        let mut barren = (self.progress, 0_u64);
        let mut idle = 0;
        let mut counted = Counted::default();
        let mut reported = 0;
        loop {
            if std::mem::take(&mut self.has_ended) {
                for index in (0..self.clusters.len()).rev() {
                    self.replace_if_over(index, code, observer);
                }
            }
            if self.clusters.is_empty() {
                return Ok(());
            }
            let is_full = self.transfers.len() >= MOST_TRANSFERS;
            if is_full || !self.transfers.is_empty() && self.rng.one_in(4) {
                self.progress_copy(observer)?;
                self.has_ended = true;
                continue;
            }
            let may_give_up = self.rng.one_in(32);
            if let Some((here, group)) = self.pick(code, may_give_up) {
                self.turn(code, observer, (here, group), may_give_up, Length::Random)?;
            } else if !self.transfers.is_empty() {
                self.progress_copy(observer)?;
                self.has_ended = true;
            } else if let Some((here, group)) = self.pick(code, true) {
                if barren.0 != self.progress {
                    barren = (self.progress, 0);
                }
                barren.1 += 1;
                let is_barren = barren.1 > BARREN + 8 * self.waiting_groups();
                let (here, group) = match is_barren {
                    true => self
                        .waits_for_init()
                        .ok_or_else(|| deadlock::describe(self, code))?,
                    false => (here, group),
                };
                self.turn(code, observer, (here, group), true, Length::Random)?;
            } else if let Some((here, group)) = self.waits_for_init() {
                self.turn(code, observer, (here, group), true, Length::Random)?;
            } else {
                return Err(deadlock::describe(self, code));
            }
            idle += 1;
            if std::mem::take(&mut self.has_changed) {
                idle = 0;
            } else if idle > PATIENCE * self.resident_warps() {
                idle = 0;
                self.start_more(code, observer);
            }
            counted.count(self.steps);
            self.report_unwaited(code, &mut reported);
            if self.must_end() {
                return Err(deadlock::endless(self, code));
            }
        }
    }

    /// Returns whether the kernel has come to its limit of steps, or its result is no longer wanted.
    pub(super) fn must_end(&self) -> bool {
        self.steps > self.config.max_steps || is_interrupted() || is_called_off()
    }

    /// Reports copies with groups that are never waited for; the first `reported` of them are already reported.
    fn report_unwaited(&self, code: &Code, reported: &mut usize) {
        for unwaited in &self.unwaited[*reported..] {
            let [place, what] = deadlock::unwaited_words(*unwaited, MANY_GROUPS, code);
            progress::note(&place, &what);
        }
        *reported = self.unwaited.len();
    }

    pub(super) fn start(&mut self, code: &Code, at: Option<usize>, observer: &mut dyn Observer) {
        let Some(cluster) = self.start_cluster(&code.program) else {
            return;
        };
        if self.watches {
            for cta in &cluster.ctas {
                for thread in 0..cta.alive {
                    let instruction = code
                        .program
                        .functions
                        .first()
                        .map_or(0, |entry| entry.start);
                    let origin = Origin {
                        block: cta.number,
                        thread,
                        instruction,
                        calls: 0,
                    };
                    observer.see(origin, Event::ThreadStart);
                }
            }
        }
        match at {
            Some(index) => self.clusters[index] = cluster,
            None => self.clusters.push(cluster),
        }
    }

    /// Doubles the number of running clusters, up to the device's limit.
    fn start_more(&mut self, code: &Code, observer: &mut dyn Observer) {
        let resident = self.clusters.len() as u64;
        for _ in resident..(2 * resident).min(self.most_resident(&code.program)) {
            self.start(code, None, observer);
        }
    }

    fn resident_warps(&self) -> u64 {
        let warps = self.places.threads().div_ceil(LANES as u32) * self.places.cluster_blocks();
        self.clusters.len() as u64 * u64::from(warps)
    }

    /// Replaces a cluster by the next one, once its threads and copies have ended.
    fn replace_if_over(&mut self, index: usize, code: &Code, observer: &mut dyn Observer) {
        let is_over = self.clusters[index].ctas.iter().all(|cta| cta.alive == 0)
            && !self
                .transfers
                .iter()
                .any(|transfer| transfer.here.cluster == index);
        if !is_over {
            return;
        }
        if self.next_cluster < self.cluster_count() {
            self.start(code, Some(index), observer);
        } else if index + 1 == self.clusters.len() {
            // Only the last goes, so that copies find their clusters by index.
            self.clusters.pop();
        }
    }

    /// Returns a group that waits for the initialisation of an mbarrier. No other group can run, so the
    /// mbarrier is never initialised.
    pub(super) fn waits_for_init(&self) -> Option<(Here, usize)> {
        let waits = |group: &Group| matches!(group.wait, Some(Wait::MbarrierInit { .. }));
        let found = deadlock::groups(self).find(|(.., group)| waits(group));
        found.map(|(here, index, _)| (here, index))
    }

    fn waiting_groups(&self) -> u64 {
        let warps = self
            .clusters
            .iter()
            .flat_map(|cluster| &cluster.ctas)
            .flat_map(|cta| &cta.warps);
        warps.map(|warp| warp.groups.len() as u64).sum()
    }

    /// Selects a group that can run; with `may_give_up`, also one that waits at an mbarrier and gives up.
    fn pick(&mut self, code: &Code, may_give_up: bool) -> Option<(Here, usize)> {
        let (clusters, ctas) = (self.clusters.len(), self.places.cluster_blocks() as usize);
        let warps = self.places.threads().div_ceil(LANES as u32) as usize;
        let count = clusters * ctas * warps;
        let first = self.rng.below(count);
        let prefers_last = !self.rng.one_in(4);
        let choice = self.rng.next() as usize;
        let mut held_back = None;
        for index in (first..count).chain(0..first) {
            let here = Here {
                cluster: index / (ctas * warps),
                rank: index / warps % ctas,
                warp: index % warps,
            };
            let warp = &self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
            if let [group] = &warp.groups[..] {
                if self.can_run(code, here, warp, group, may_give_up) {
                    return Some((here, 0));
                }
                continue;
            }
            if self.holds_back(warp) {
                match self.furthest_back(code, here, may_give_up) {
                    Some((group, false)) => return Some((here, group)),
                    Some((group, true)) => held_back = held_back.or(Some((here, group))),
                    None => {}
                }
                continue;
            }
            let ready = warp.groups.iter().enumerate();
            let ready =
                ready.filter(|(_, group)| self.can_run(code, here, warp, group, may_give_up));
            let chosen = if prefers_last {
                // Deepest in calls first, then furthest back in the code.
                ready
                    .min_by_key(|(_, group)| (usize::MAX - group.frames.len(), group.pc))
                    .map(|(i, _)| i)
            } else {
                let ready: Vec<usize> = ready.map(|(index, _)| index).collect();
                ready.get(choice % ready.len().max(1)).copied()
            };
            if let Some(group) = chosen {
                return Some((here, group));
            }
        }
        held_back.filter(|_| self.transfers.is_empty())
    }

    pub(super) fn can_run(
        &self,
        code: &Code,
        here: Here,
        warp: &Warp,
        group: &Group,
        may_give_up: bool,
    ) -> bool {
        match &group.wait {
            None => true,
            Some(Wait::Mbarrier) if may_give_up => true,
            Some(Wait::MbarrierInit { since }) if self.steps > since + INIT_PATIENCE => true,
            Some(wait) => {
                let waiting = Waiting {
                    world: self,
                    program: &code.program,
                    operations: &code.operations,
                    here,
                    warp,
                    group,
                    wait,
                };
                let operation = code.operations.get(group.pc);
                operation.is_none_or(|operation| operation.action.is_over(&waiting))
            }
        }
    }

    /// Executes operations of one group. Returns the mask of its lanes that have not ended.
    pub(super) fn turn(
        &mut self,
        code: &Code,
        observer: &mut dyn Observer,
        (here, group): (Here, usize),
        gives_up: bool,
        length: Length,
    ) -> Result<u32, Trapped> {
        // The warp leaves its block for the turn, so that both can be changed.
        let cta = &mut self.clusters[here.cluster].ctas[here.rank];
        let mut warp = std::mem::take(&mut cta.warps[here.warp]);
        let mut group = warp.groups.swap_remove(group);
        let (first, lanes, steps) = (group.pc, group.mask, self.steps);
        let lanes_and_warp = (here, &mut warp, &mut group);
        let result = self.operations(code, observer, lanes_and_warp, gives_up, length);
        if self.watches {
            observer.turn(Turn {
                block: self.clusters[here.cluster].ctas[here.rank].number,
                warp: here.warp as u32,
                lanes,
                alive: warp.alive,
                first,
                next: group.pc,
                steps: self.steps - steps,
                pause: group.wait.as_ref().map(|wait| (wait.pause(), group.mask)),
            });
        }
        let mask = group.mask;
        if mask != 0 {
            warp.groups.push(group);
        }
        self.clusters[here.cluster].ctas[here.rank].warps[here.warp] = warp;
        result.map(|()| mask)
    }

    fn operations(
        &mut self,
        code: &Code,
        observer: &mut dyn Observer,
        (here, warp, group): (Here, &mut Warp, &mut Group),
        mut gives_up: bool,
        length: Length,
    ) -> Result<(), Trapped> {
        let turn = match length {
            Length::ToVisible => usize::MAX,
            Length::Random if warp.groups.is_empty() => 1 + self.rng.below(TURN),
            Length::Random => 1 + self.rng.below(SHORT_TURN),
        };
        for number in 0..turn {
            if !warp.groups.is_empty() {
                join(warp, group);
            }
            if number > 0 && self.holds_back(warp) && self.is_ahead(group, warp) {
                break;
            }
            // A loop that others cannot see ends no turn by itself.
            if number % OFTEN == OFTEN - 1 && self.must_end() {
                break;
            }
            if length == Length::ToVisible
                && number > 0
                && (code.operations.get(group.pc))
                    .is_none_or(|operation| operation.action.is_visible())
            {
                break;
            }
            if self.inspects {
                observer.inspect(View::new(self, &code.program, here, warp, group));
            }
            let Some(operation) = code.operations.get(group.pc) else {
                return Err(Trapped {
                    trap: Trap::IllegalAddress,
                    what: "the code ends here".into(),
                    origin: None,
                    stuck: None,
                });
            };
            let mut active = group.mask;
            let mut guard = None;
            if let Some((slot, negated)) = operation.guard {
                let predicate = &warp.registers[group.base + slot];
                let holds = lanes_of(active).filter(|lane| (predicate[*lane] & 1 != 0) != negated);
                active = holds.fold(0, |mask, lane| mask | 1 << lane);
                if active == 0 {
                    if self.watches && warp.unwritten.is_some() {
                        let mut step = Step {
                            world: self,
                            program: &code.program,
                            operations: &code.operations,
                            observer,
                            warp,
                            here,
                            group,
                            active,
                        };
                        let guard = Some((slot, step.group.mask));
                        operation.action.follow(&mut step, guard);
                    }
                    self.steps += u64::from(operation.counts) * u64::from(group.mask.count_ones());
                    group.pc += 1;
                    continue;
                }
                if self.watches && warp.unwritten.is_some() {
                    guard = Some((slot, group.mask));
                }
                if active != group.mask && operation.action.splits() {
                    let rest = Group {
                        mask: group.mask & !active,
                        pc: group.pc + 1,
                        ..group.clone()
                    };
                    warp.groups.push(rest);
                    group.mask = active;
                }
            }
            let waited = group.wait.take();
            if waited.is_none() {
                observer.execute(group.pc);
                self.steps += u64::from(operation.counts) * u64::from(active.count_ones());
            }
            let mut step = Step {
                world: self,
                program: &code.program,
                operations: &code.operations,
                observer,
                warp,
                here,
                group,
                active,
            };
            if step.world.watches && waited.is_none() {
                step.tell_products();
            }
            let is_followed = step.world.watches && step.warp.unwritten.is_some();
            let before = match is_followed && operation.action.follow(&mut step, guard) {
                true => step.warp.unwritten_values(),
                false => Vec::new(),
            };
            let flow = match waited {
                None => operation.action.run(&mut step)?,
                Some(wait) => {
                    operation
                        .action
                        .resume(&mut step, wait, std::mem::take(&mut gives_up))?
                }
            };
            if !before.is_empty() {
                let end = group.base + code.program.functions[group.function].slots;
                warp.forget_unwritten(&before, end);
            }
            match flow {
                Flow::Next => group.pc += 1,
                Flow::Jumped => {}
                Flow::Waits => break,
                Flow::Ended => {
                    self.end_threads(observer, here, warp, group);
                    break;
                }
            }
        }
        Ok(())
    }

    fn end_threads(
        &mut self,
        observer: &mut dyn Observer,
        here: Here,
        warp: &mut Warp,
        group: &mut Group,
    ) {
        let cta = &mut self.clusters[here.cluster].ctas[here.rank];
        if self.watches {
            for lane in lanes_of(group.mask) {
                let thread = (here.warp * LANES + lane) as u32;
                let origin = Origin {
                    block: cta.number,
                    thread,
                    instruction: group.pc,
                    calls: group.calls,
                };
                observer.see(origin, Event::ThreadExit);
            }
        }
        warp.alive &= !group.mask;
        cta.alive -= group.mask.count_ones();
        group.mask = 0;
        self.progress += 1;
        (self.has_ended, self.has_changed) = (true, true);
        self.threads_ended(here, warp.alive);
    }
}

/// Lanes that are at the same instruction go on as one group.
fn join(warp: &mut Warp, group: &mut Group) {
    let mut index = 0;
    while index < warp.groups.len() {
        if warp.groups[index].joins(group) {
            group.mask |= warp.groups.swap_remove(index).mask;
        } else {
            index += 1;
        }
    }
}
