//! The profile of an entry in a case: a case is selected if it brings instructions to states that
//! other cases do not.

use std::collections::{BTreeSet, HashMap, HashSet};

use tma_emulator::observer::{Event, MbarrierEvent, Memory, Observer, Origin, Range};

/// The observations of one launch or several.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// The number of times that each thread of each block executed each observed instruction.
    counts: HashMap<(u64, u32), HashMap<usize, u32>>,
    /// Instruction, block and address of the mbarrier, and its phase.
    phases: HashSet<(usize, u64, u64, u64)>,
}

/// Something that a kernel did with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Feature {
    /// One thread executed it this often, up to [`MANY`].
    Often(usize, u32),
    /// One thread executed it and not the other.
    Without(usize, usize),
    /// Several warps executed it.
    Warps(usize),
    /// Several blocks executed it.
    Blocks(usize),
    /// One thread used the mbarrier of this index in its block, up to [`BARRIERS`], in this phase, up to
    /// [`PHASES`].
    Phase(usize, usize, u64),
}

const MANY: u32 = 4;
const BARRIERS: usize = 32;
/// The first phase whose parity repeats.
const PHASES: u64 = 2;

impl Observer for Profile {
    fn see(&mut self, origin: Origin, event: Event) {
        let at = origin.instruction;
        match event {
            // Steps of copies happen at any time.
            Event::CopyPlan { .. } | Event::CopyRead(_) | Event::CopyDone(_) => return,
            Event::Access { copy: Some(_), .. } => return,
            Event::Mbarrier {
                range, operation, ..
            } => match operation {
                MbarrierEvent::WaitDone { phase, .. } | MbarrierEvent::Arrive { phase, .. } => {
                    self.phase(at, range, phase);
                }
                MbarrierEvent::Init { .. } => self.phase(at, range, 0),
                MbarrierEvent::CompleteTx { .. }
                | MbarrierEvent::PhaseDone { .. }
                | MbarrierEvent::WaitPending { .. } => return,
                _ => {}
            },
            _ => {}
        }
        let thread = (origin.block, origin.thread);
        let counts = self.counts.entry(thread).or_default();
        *counts.entry(at).or_insert(0) += 1;
    }
}

impl Profile {
    fn phase(&mut self, at: usize, range: Range, phase: u64) {
        if let Memory::Shared { block } = range.memory {
            self.phases
                .insert((at, block, range.address, phase.min(PHASES)));
        }
    }

    pub(super) fn features(self) -> HashSet<Feature> {
        let mut features = HashSet::new();
        let every = self.counts.values().flat_map(HashMap::keys).copied();
        let every: BTreeSet<usize> = every.collect();
        // Most threads do the same.
        let mut ways = HashSet::new();
        for ((block, thread), counts) in self.counts {
            let mut way: Vec<(usize, u32)> = Vec::new();
            for (at, count) in counts {
                way.push((at, count.min(MANY)));
                features.extend((thread >= 32).then_some(Feature::Warps(at)));
                features.extend((block >= 1).then_some(Feature::Blocks(at)));
            }
            way.sort_unstable();
            ways.insert(way);
        }
        for way in ways {
            let done: BTreeSet<usize> = way.iter().map(|(at, _)| *at).collect();
            for (at, count) in way {
                features.extend((1..=count).map(|count| Feature::Often(at, count)));
                let others = every.difference(&done);
                features.extend(others.map(|other| Feature::Without(at, *other)));
            }
        }
        let barriers = self
            .phases
            .iter()
            .map(|(_, block, address, _)| (*block, *address));
        let barriers: BTreeSet<(u64, u64)> = barriers.collect();
        for (at, block, address, phase) in self.phases {
            let before = barriers.range((block, 0)..(block, address)).count();
            let barrier = before.min(BARRIERS);
            features.extend((0..=phase).map(|phase| Feature::Phase(at, barrier, phase)));
        }
        features
    }
}

/// Returns the indices of the cases that together have every feature, each feature in its cheapest case,
/// and of one case of middling cost, for differences that no feature shows; cheap cases first. `cases`
/// has the cost and the features of each.
pub(super) fn telling(cases: &[(u64, HashSet<Feature>)]) -> Vec<usize> {
    let mut by_cost: Vec<usize> = (0..cases.len()).collect();
    by_cost.sort_by_key(|index| cases[*index].0);
    let mut cheapest: HashMap<Feature, usize> = HashMap::new();
    for (rank, index) in by_cost.iter().enumerate() {
        for feature in &cases[*index].1 {
            cheapest.entry(*feature).or_insert(rank);
        }
    }
    // Features of expensive cases come first: these cases have the features of cheap ones, too.
    let mut missing: HashSet<Feature> = cheapest.keys().copied().collect();
    let mut chosen = vec![by_cost.len() / 2];
    while let Some(rank) = missing.iter().map(|feature| cheapest[feature]).max() {
        chosen.push(rank);
        let brought = &cases[by_cost[rank]].1;
        missing.retain(|feature| !brought.contains(feature));
    }
    chosen.sort_unstable();
    chosen.dedup();
    let chosen = chosen.into_iter().filter_map(|rank| by_cost.get(rank));
    chosen.copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(cost: u64, features: &[usize]) -> (u64, HashSet<Feature>) {
        let features = features.iter().map(|at| Feature::Warps(*at));
        (cost, features.collect())
    }

    #[test]
    fn few_cheap_cases_have_all_features() {
        let cases = [
            case(900, &[1, 2, 3]),
            case(10, &[1]),
            case(50, &[1, 3]),
            case(40, &[2]),
            case(20, &[1]),
        ];
        // By cost they are 1, 4, 3, 2, 0. 3 is cheapest in the case that also has 1, and 2 is missing
        // then, which the one in the middle has.
        assert_eq!(telling(&cases), [3, 2]);
        assert_eq!(telling(&cases[..3]), [2, 0]);
        assert_eq!(telling(&[]), [0; 0]);
    }

    fn origin(thread: u32, instruction: usize) -> Origin {
        Origin {
            block: 0,
            thread,
            instruction,
            calls: 0,
        }
    }

    fn sorted(profile: Profile) -> Vec<Feature> {
        let mut features: Vec<_> = profile.features().into_iter().collect();
        features.sort();
        features
    }

    #[test]
    fn a_thread_that_comes_again_is_a_feature_until_it_is_many() {
        let mut profile = Profile::default();
        for _ in 0..9 {
            profile.see(origin(3, 7), Event::ThreadStart);
        }
        profile.see(origin(40, 7), Event::ThreadStart);
        let often = (1..=MANY).map(|count| Feature::Often(7, count));
        let expected: Vec<_> = often.chain([Feature::Warps(7)]).collect();
        assert_eq!(sorted(profile), expected);
    }

    #[test]
    fn what_some_thread_leaves_out_is_a_feature() {
        let mut profile = Profile::default();
        for (thread, instruction) in [(0, 7), (0, 9), (1, 7)] {
            profile.see(origin(thread, instruction), Event::ThreadStart);
        }
        let expected = [
            Feature::Often(7, 1),
            Feature::Often(9, 1),
            Feature::Without(7, 9),
        ];
        assert_eq!(sorted(profile), expected);
    }

    #[test]
    fn barriers_are_told_apart_by_their_order() {
        let mut profile = Profile::default();
        for (address, phase) in [(64, 0), (128, 0), (128, 1)] {
            let range = Range {
                memory: Memory::Shared { block: 0 },
                address,
                bytes: 8,
            };
            let event = Event::Mbarrier {
                range,
                operation: MbarrierEvent::WaitDone {
                    phase,
                    by_parity: true,
                },
                sem: Default::default(),
                scope: Default::default(),
            };
            profile.see(origin(0, 7), event);
        }
        let often = (1..=3).map(|count| Feature::Often(7, count));
        let phases = [(0, 0), (1, 0), (1, 1)];
        let phases = phases.map(|(barrier, phase)| Feature::Phase(7, barrier, phase));
        assert_eq!(sorted(profile), often.chain(phases).collect::<Vec<_>>());
    }
}
