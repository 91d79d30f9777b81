//! Collectives of the lanes of a warp: shuffles, votes, matches, elections, reductions,
//! `bar.warp.sync`.
//!
//! A lane at a collective waits until all live lanes of the member mask are at one of the same kind, with the
//! same mask (PTX ISA, section 9.7.9.6). They need not be at the same place in the code, and lanes at the same
//! place may have disjoint masks.

use crate::{
    inst::{
        Action, Decoder, Execute, Operation, Step, Waiting, elect_sync, match_sync, redux_sync,
        shfl_sync, vote_sync,
    },
    machine::{
        Constant, Flow, Group, Slot, Stuck, Trap, Trapped, Wait, Warp,
        observer::{Event, Origin},
    },
    value::{LANES, Lanes, blend, lane_names, lanes_of},
};

/// Kinds with their modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveKind {
    Shfl(ptx_isa::shfl_sync::Op),
    Vote(ptx_isa::vote_sync::Op),
    Match(match_sync::Mode),
    Elect,
    Redux(redux_sync::Mode),
    /// `bar.warp.sync`
    Meet,
    /// The `.sync.aligned` of other instructions.
    Align,
}

/// One collective.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    pub(crate) kind: CollectiveKind,
    pub(crate) d: Option<Slot>,
    pub(crate) p: Option<Slot>,
    /// The operands of the lanes; those that the kind does not need repeat the first.
    pub(crate) sources: [Slot; 3],
    /// The member mask; `None` for the lanes that execute it together.
    pub(crate) members: Option<Slot>,
}

/// Emits a meeting of all lanes (`.sync.aligned`) before the next operation.
pub(crate) fn align(decoder: &mut Decoder<'_>) {
    let all = decoder.constant(Constant::Value(u32::MAX.into()));
    decoder.emit(Action::Collective(Box::new(Collective {
        kind: CollectiveKind::Align,
        d: None,
        p: None,
        sources: [all; 3],
        members: Some(all),
    })));
}

/// Refuses an instruction that needs all lanes of a warp and has fewer.
pub(crate) fn whole_warp(step: &Step<'_>) -> Result<(), Trapped> {
    match step.active {
        u32::MAX => Ok(()),
        active => {
            let what = format!("only {} of the warp are here", lane_names(active));
            Err(step.trapped(Trap::IllegalInstruction, what))
        }
    }
}

/// Collectives with a mask of some lanes that a warp remembers.
const MAX_PARTIAL: usize = 16;

/// A group of participating lanes: its index unless it is the finishing group, its first register, lanes and
/// operation.
type Party<'a> = (Option<usize>, usize, u32, &'a Collective);

impl Collective {
    /// Returns whether all lanes of the warp that are left execute it, by the mask of any of them.
    pub(crate) fn is_of_all(&self, warp: &Warp) -> bool {
        let Some(group) = warp.groups.first() else {
            return false;
        };
        let masks = self
            .members
            .and_then(|members| warp.registers.get(group.base + members));
        let first = warp.alive.trailing_zeros() as usize;
        self.members.is_none()
            || masks.is_some_and(|masks| masks[first % LANES] as u32 & warp.alive == warp.alive)
    }
}

impl Execute for Collective {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let Some(members) = self.members else {
            return Ok(self.come_together(step));
        };
        let masks = *step.get(members);
        let first = lanes_of(step.active).next().unwrap_or(0);
        let members = masks[first] as u32;
        let mut others = 0;
        for lane in lanes_of(step.active) {
            let mask = masks[lane] as u32;
            if mask & 1 << lane == 0 {
                let what = format!("lane {lane} is not in its own member mask {mask:#010x}");
                return Err(step.fault(lane, Trap::InvalidCollective, what));
            }
            if mask != members && mask & members != 0 {
                let what = format!(
                    "lane {lane} has the member mask {mask:#010x}, lane {first} {members:#010x}"
                );
                return Err(step.fault(lane, Trap::InvalidCollective, what));
            }
            others |= u32::from(mask != members) << lane;
        }
        // Lanes with disjoint masks do not wait for each other.
        if others != 0 {
            let rest = Group {
                mask: others,
                ..step.group.clone()
            };
            step.warp.groups.push(rest);
            step.group.mask &= !others;
            step.active &= !others;
        }
        if members & step.warp.alive & !step.active == 0 {
            self.finish(step, members);
            return Ok(Flow::Next);
        }
        Ok(step.wait(Wait::Collective { members }))
    }

    fn splits(&self) -> bool {
        true
    }

    fn is_over(&self, waiting: &Waiting<'_>) -> bool {
        let Wait::Collective { members } = waiting.wait else {
            return true;
        };
        if self.members.is_none() {
            return all_wait(waiting.warp);
        }
        let partners = self.partners(waiting.warp, waiting.operations, *members);
        let own = waiting.group.mask;
        let there = partners.fold(own, |mask, (_, group, _)| mask | group.mask);
        members & waiting.warp.alive & !there == 0
    }

    fn resume(&self, step: &mut Step<'_>, wait: Wait, _: bool) -> Result<Flow, Trapped> {
        if let Wait::Collective { members } = wait {
            self.finish(step, members);
        }
        Ok(Flow::Next)
    }

    fn describe(&self, waiting: &Waiting<'_>) -> String {
        let Wait::Collective { members } = waiting.wait else {
            return String::new();
        };
        if self.members.is_none() {
            return "for the lanes of its warp that can still arrive".into();
        }
        let missing = members & waiting.warp.alive & !waiting.group.mask;
        let went_on = match other_mask(waiting) {
            Some(mask) => {
                format!(
                    ", which have executed it with the member mask {mask:#010x}, not {members:#010x}"
                )
            }
            None => String::new(),
        };
        format!("for {} of its warp{went_on}", lane_names(missing))
    }

    fn stuck(&self, waiting: &Waiting<'_>) -> Option<Stuck> {
        other_mask(waiting).map(|_| Stuck::MasksDiffer)
    }
}

/// Returns the mask of a collective that the missing lanes have executed instead of this group's.
fn other_mask(waiting: &Waiting<'_>) -> Option<u32> {
    let Wait::Collective { members } = waiting.wait else {
        return None;
    };
    let missing = members & waiting.warp.alive & !waiting.group.mask;
    let mut partial = waiting.warp.partial.iter().rev();
    let other = partial
        .find(|(at, mask)| *at == waiting.group.pc && mask != members && mask & missing == missing);
    other.map(|(_, mask)| *mask)
}

/// Returns whether no group of a warp can go on by itself.
fn all_wait(warp: &Warp) -> bool {
    warp.groups.iter().all(|group| group.wait.is_some())
}

impl Collective {
    /// Waits for lanes that may still arrive, then runs with all that did. Before `.sync` was required, the
    /// lanes of a warp met where their control flow converged.
    fn come_together(&self, step: &mut Step<'_>) -> Flow {
        let members = 0;
        if !all_wait(step.warp) {
            return step.wait(Wait::Collective { members });
        }
        self.finish(step, members);
        Flow::Next
    }

    /// Returns the groups that this group waits for, and that wait for it.
    fn partners<'w>(
        &'w self,
        warp: &'w Warp,
        operations: &'w [Operation],
        members: u32,
    ) -> impl Iterator<Item = (usize, &'w Group, &'w Collective)> {
        warp.groups
            .iter()
            .enumerate()
            .filter_map(move |(index, group)| {
                let Some(Action::Collective(other)) = operations.get(group.pc).map(|o| &o.action)
                else {
                    return None;
                };
                let waits = group.wait == Some(Wait::Collective { members });
                let is_alike = match self.members {
                    Some(_) => other.members.is_some() && other.kind == self.kind,
                    None => std::ptr::eq(self, &**other),
                };
                (waits && is_alike).then_some((index, group, &**other))
            })
    }

    /// Passes uninitialised values on with the data of the collective: from lane to lane, or to all.
    #[cold]
    fn follow(&self, warp: &mut Warp, parties: &[Party<'_>], there: u32, [_, b, c]: &[Lanes; 3]) {
        let (mut lanes, mut read) = (0, 0);
        for (_, base, mask, party) in parties {
            let (found, by) = warp.unwritten(base + party.sources[0]);
            if found & mask != 0 {
                (lanes, read) = (lanes | found & mask, by);
            }
        }
        let results = match self.kind {
            CollectiveKind::Shfl(mode) => {
                let from = |lane: &usize| {
                    let from = shfl_sync::source(mode, *lane, b, c).unwrap_or(*lane);
                    lanes & 1 << from != 0
                };
                let results = lanes_of(there).filter(from);
                results.fold(0, |mask, lane| mask | 1 << lane)
            }
            _ if lanes == 0 => 0,
            _ => there,
        };
        for (_, base, mask, party) in parties {
            for (slot, results) in [(party.d, results), (party.p, 0)] {
                if let Some(slot) = slot {
                    warp.set_unwritten(base + slot, *mask, results, read);
                }
            }
        }
    }

    /// Lanes that meet at other instructions, one of each; of `bar.warp.sync` alone.
    fn elsewhere(&self, step: &Step<'_>, parties: &[Party<'_>]) -> Vec<Origin> {
        if !step.world.watches || self.kind != CollectiveKind::Meet {
            return Vec::new();
        }
        let own = (step.group.pc, step.group.calls);
        let others = parties.iter().filter_map(|(index, ..)| *index);
        let others = others.map(|index| &step.warp.groups[index]);
        let others = others.filter(|group| (group.pc, group.calls) != own);
        let origin = |group: &Group| Origin {
            instruction: group.pc,
            calls: group.calls,
            ..step.origin(group.mask.trailing_zeros() as usize)
        };
        others.map(origin).collect()
    }

    /// Computes the results for all participants and lets the other groups continue.
    fn finish(&self, step: &mut Step<'_>, members: u32) {
        let partial = (step.group.pc, members);
        if step.warp.alive & !members != 0 && !step.warp.partial.contains(&partial) {
            step.warp.partial.truncate(MAX_PARTIAL - 1);
            step.warp.partial.push(partial);
        }
        let mut parties = vec![(None, step.group.base, step.group.mask, self)];
        let partners = self.partners(step.warp, step.operations, members);
        let partners =
            partners.map(|(index, group, other)| (Some(index), group.base, group.mask, other));
        // The others are of this program, so they live as long.
        let partners: Vec<_> = partners.map(|(i, b, m, o)| (i, b, m, o.clone())).collect();
        parties.extend(partners.iter().map(|(i, b, m, o)| (*i, *b, *m, o)));
        let mut there = 0;
        let mut sources: [Lanes; 3] = [[0; LANES]; 3];
        for (_, base, mask, party) in &parties {
            there |= mask;
            for (source, slot) in sources.iter_mut().zip(party.sources) {
                blend(source, &step.warp.registers[base + slot], *mask);
            }
        }
        let elsewhere = self.elsewhere(step, &parties);
        let [a, b, c] = &sources;
        let (d, p) = match self.kind {
            CollectiveKind::Shfl(mode) => shfl_sync::compute(mode, there, a, b, c),
            CollectiveKind::Vote(mode) => vote_sync::compute(mode, there, a),
            CollectiveKind::Match(mode) => match_sync::compute(mode, there, a),
            CollectiveKind::Elect => elect_sync::compute(there),
            CollectiveKind::Redux(mode) => redux_sync::compute(mode, there, a),
            CollectiveKind::Meet | CollectiveKind::Align => ([0; LANES], [0; LANES]),
        };
        if step.world.watches && step.warp.unwritten.is_some() {
            self.follow(&mut *step.warp, &parties, there, &sources);
        }
        for (_, base, mask, party) in &parties {
            for (slot, value) in [(party.d, &d), (party.p, &p)] {
                if let Some(slot) = slot {
                    blend(&mut step.warp.registers[base + slot], value, *mask);
                }
            }
        }
        for index in parties.iter().filter_map(|(index, ..)| *index) {
            let group = &mut step.warp.groups[index];
            group.wait = None;
            group.pc += 1;
        }
        if step.world.watches {
            let first = there.trailing_zeros() as usize;
            let active = std::mem::replace(&mut step.active, there);
            for there in elsewhere {
                step.tell(first, |_| Event::WarpMeetElsewhere(there));
            }
            step.tell_all(Event::WarpMeet {
                members,
                orders: self.kind == CollectiveKind::Meet,
            });
            if !matches!(self.kind, CollectiveKind::Meet | CollectiveKind::Align) {
                let exchanges = !matches!(self.kind, CollectiveKind::Elect);
                step.tell(first, |_| Event::WarpCollective {
                    lanes: there,
                    exchanges,
                });
            }
            if let CollectiveKind::Shfl(mode) = self.kind {
                for lane in lanes_of(there) {
                    let from = shfl_sync::source(mode, lane, b, c);
                    if let Some(from) = from.filter(|from| there & 1 << from == 0) {
                        step.tell(lane, |_| Event::ShuffleOutside { from: from as u32 });
                    }
                }
            }
            step.active = active;
        }
        step.world.progress += 1;
    }
}
