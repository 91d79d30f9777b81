//! Readers, compared with plain lists.

use super::*;
use crate::{
    check::shadow::Actor,
    machine::{Rng, observer::Proxy},
};

const THREADS: u32 = 70;

/// A set as it is described: sorted, and each reader once.
#[derive(Default)]
struct Plain(Vec<Access>);

impl Plain {
    fn add(&mut self, access: Access, known: &impl Fn(Access) -> bool) {
        if self.0.first().is_some_and(|first| known(*first)) {
            self.0.retain(|reader| !known(*reader));
        }
        self.0.retain(|reader| reader.key() != access.key());
        self.0.push(access);
        self.0.sort_by_key(Access::key);
    }
}

#[test]
fn readers_are_those_of_a_plain_list() {
    let mut rng = Rng::new(5);
    let mut runs = 0;
    for round in 0..300 {
        let mut readers = Readers::of_blocks(THREADS);
        let mut access = |most: usize| {
            let thread = 3 * THREADS + rng.below(most) as u32;
            let epoch = rng.below(3) as u32;
            let actor = match rng.below(400) {
                0 => Actor::Async(thread),
                1 => Actor::Thread(7),
                _ => Actor::Thread(thread),
            };
            let instruction = if rng.one_in(3) { 1 + rng.below(3) } else { 0 };
            let known = (rng.below(4) as u32, rng.below(2) as u32);
            (
                Access::new(actor, epoch, instruction, Proxy::Generic),
                known,
            )
        };
        let most = 1 + round % THREADS as usize;
        let (one, other) = (access(most).0, access(most).0);
        if one.key() == other.key() {
            continue;
        }
        let mut many = readers.pair(one, other, true);
        let mut plain = Plain(vec![one, other]);
        plain.0.sort_by_key(Access::key);
        let thread = one.index.wrapping_sub(3 * THREADS);
        if one.is_of_thread() && thread < THREADS && round % 3 == 0 {
            let lanes = (2 + round as u32 % 9)
                .min(THREADS - thread)
                .min(32 - thread % 32);
            let run = LaneRun {
                first: one,
                lanes: (u32::MAX >> (32 - lanes)) << (thread % 32),
            };
            many = readers.of_run(run, true);
            plain = Plain(
                (0..lanes)
                    .map(|next| one.by(one.index + next, one.epoch))
                    .collect(),
            );
        }
        for _ in 0..200 {
            let (access, (epoch, odd)) = access(most);
            // Most of the time the reader has no knowledge of others.
            let known =
                |reader: Access| reader.epoch + 3 < epoch + 2 * odd && reader.index % 2 == odd;
            // Add three lanes at once if they are in one warp and do not know of each other.
            let thread = access.index.wrapping_sub(3 * THREADS);
            let three = [0, 1, 2].map(|next| access.by(access.index + next, access.epoch));
            let run = LaneRun {
                first: access,
                lanes: 7 << (thread % 29),
            };
            let is_run = thread % LANES as u32 == thread % 29
                && thread + 2 < THREADS
                && !three.iter().any(|lane| known(*lane))
                && readers.takes_run(many, run, true, &known);
            if is_run {
                readers.add_run(many, run);
                three.into_iter().for_each(|lane| plain.add(lane, &known));
                runs += 1;
            } else {
                many = readers.add(many, access, true, &known);
                plain.add(access, &known);
            }
            assert_eq!(readers.all(many), plain.0);
            let all = |epoch: u32| plain.0.iter().all(|reader| reader.epoch < epoch);
            for epoch in 0..4 {
                let known = |reader: Access| reader.epoch < epoch;
                assert_eq!(readers.are_known(many, &known), all(epoch));
            }
        }
        let copy = readers.copy(many);
        readers.free(many);
        assert_eq!(readers.all(copy), plain.0);
    }
    assert!(runs > 100, "{runs}");
}

/// The knowledge of a thread of one block; `None` for other blocks that it does not know.
struct KnownBlock {
    block: u32,
    known: Option<Epoch>,
}

impl HappensBefore for KnownBlock {
    fn has(&self, access: Access) -> bool {
        access.index / THREADS != self.block
            && self.known.is_some_and(|known| access.epoch <= known)
    }

    fn knows_nothing_of(&self, first: u32) -> bool {
        first / THREADS != self.block && self.known.is_none()
    }
}

#[test]
fn readers_of_global_memory_are_the_first_few_of_a_plain_list() {
    let mut rng = Rng::new(11);
    let (mut full, mut runs) = (0, 0);
    for _ in 0..400 {
        let mut readers = Readers::of_blocks(THREADS);
        let first = Access::new(Actor::Thread(2 * THREADS + 9), 1, 0, Proxy::Generic);
        let run = LaneRun {
            first,
            lanes: 0b11_1111_1111 >> rng.below(9) << 9,
        };
        let all = (0..run.lanes.count_ones()).map(|next| first.by(first.index + next, 1));
        let mut plain: Vec<Access> = all.take(MAX_GLOBAL_READERS).collect();
        let mut many = readers.of_run(run, false);
        assert_eq!(readers.all(many), plain);
        for _ in 0..60 {
            let block = 1 + rng.below(3) as u32;
            let index = block * THREADS + rng.below(12) as u32;
            let actor = match rng.below(20) {
                0 => Actor::Async(index),
                _ => Actor::Thread(index),
            };
            let known = KnownBlock {
                block,
                known: rng.one_in(40).then(|| rng.below(3) as u32),
            };
            let epoch = 1 + rng.below(3) as u32;
            let access = Access::new(actor, epoch, rng.below(3), Proxy::Generic);
            let run = LaneRun {
                first: access,
                lanes: 0b1111 << (index % THREADS % 29),
            };
            full += u32::from(many.full_of_block().is_some());
            let is_run = rng.one_in(3) && readers.takes_run(many, run, false, &known);
            let lanes = if is_run { 4 } else { 1 };
            runs += u32::from(is_run);
            for access in (0..lanes).map(|next| access.by(index + next, epoch)) {
                if plain.first().is_some_and(|first| known.has(*first)) {
                    plain.retain(|reader| !known.has(*reader));
                }
                match plain.iter().position(|it| it.key() == access.key()) {
                    Some(at) => plain[at] = access,
                    None if plain.len() < MAX_GLOBAL_READERS => plain.push(access),
                    None => {}
                }
                plain.sort_by_key(Access::key);
            }
            match is_run {
                true => readers.add_run(many, run),
                false => many = readers.add(many, access, false, &known),
            }
            assert_eq!(readers.all(many), plain);
        }
    }
    assert!(full > 1000 && runs > 1000, "{full} {runs}");
}
