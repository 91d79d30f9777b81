//! What a case makes of an entry: a case is telling when it brings instructions to what other cases
//! do not.

use std::collections::{HashMap, HashSet};

use emulator::observer::{Event, MbarrierEvent, Observer, Origin};

/// What was seen of one launch or several.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// How often each thread executed each instruction that is watched.
    counts: HashMap<(usize, u64, u32), u32>,
    features: HashSet<Feature>,
}

/// Something that a kernel did with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Feature {
    /// One thread executed it so often, up to [`MANY`].
    Often(usize, u32),
    /// Several warps executed it.
    Warps(usize),
    /// Several blocks executed it.
    Blocks(usize),
    /// It was about this phase of an mbarrier, up to [`PHASES`].
    Phase(usize, u64),
}

const MANY: u32 = 4;
/// The parity has come back to where it was.
const PHASES: u64 = 3;

impl Observer for Profile {
    fn see(&mut self, origin: Origin, event: Event) {
        let at = origin.instruction;
        match event {
            // Steps of copies come when they like.
            Event::CopyPlan { .. } | Event::CopyRead(_) | Event::CopyDone(_) => return,
            Event::Access { copy: Some(_), .. } => return,
            Event::Mbarrier { operation, .. } => match operation {
                MbarrierEvent::WaitDone { phase } | MbarrierEvent::Arrive { phase, .. } => {
                    self.features.insert(Feature::Phase(at, phase.min(PHASES)));
                }
                MbarrierEvent::CompleteTx { .. }
                | MbarrierEvent::PhaseDone { .. }
                | MbarrierEvent::WaitPending { .. } => return,
                _ => {}
            },
            _ => {}
        }
        let count = self
            .counts
            .entry((at, origin.block, origin.thread))
            .or_insert(0);
        *count += 1;
        if *count <= MANY {
            self.features.insert(Feature::Often(at, *count));
        }
        if origin.thread >= 32 {
            self.features.insert(Feature::Warps(at));
        }
        if origin.block >= 1 {
            self.features.insert(Feature::Blocks(at));
        }
    }
}

impl Profile {
    pub(super) fn features(self) -> HashSet<Feature> {
        self.features
    }
}

/// The indices of the cases that have every feature that any has, each feature in the cheapest case
/// that has it, and of one of middling cost, for what features do not tell; cheap ones first. `cases`
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
    // What only a dear case has brings what cheap ones have, too.
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

    #[test]
    fn a_thread_that_comes_again_is_a_feature_until_it_is_many() {
        let mut profile = Profile::default();
        let origin = |thread| Origin {
            block: 0,
            thread,
            instruction: 7,
        };
        for _ in 0..9 {
            profile.see(origin(3), Event::ThreadStart);
        }
        profile.see(origin(40), Event::ThreadStart);
        let mut features: Vec<_> = profile.features().into_iter().collect();
        features.sort();
        let often = (1..=MANY).map(|count| Feature::Often(7, count));
        let expected: Vec<_> = often.chain([Feature::Warps(7)]).collect();
        assert_eq!(features, expected);
    }
}
