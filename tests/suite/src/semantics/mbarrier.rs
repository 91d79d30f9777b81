//! The expected results of operations on a barrier, by counting.

use super::plan::{Plan, UNTOUCHED};

/// Results of each block.
const RESULTS: usize = 16;

/// Bytes that a phase waits for.
const BYTES: u32 = 48;

const ARRIVE: u32 = 1;
const COMPLETE: u32 = 2;

/// A barrier that counts.
struct Count {
    expected: u32,
    pending: u32,
    bytes: i64,
    phase: u32,
}

impl Count {
    fn new(expected: u32) -> Self {
        Self {
            expected,
            pending: expected,
            bytes: 0,
            phase: 0,
        }
    }

    fn arrive(&mut self, count: u32) {
        self.pending -= count;
        self.check();
    }

    fn complete(&mut self, bytes: u32) {
        self.bytes -= i64::from(bytes);
        self.check();
    }

    fn check(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase += 1;
            self.pending = self.expected;
        }
    }

    /// Reports after the form and after each step whether the number of phases is odd, and whether the first has ended.
    fn follow(&mut self, steps: &[u32], asked: usize) -> Vec<u32> {
        let mut results = Vec::new();
        for (index, step) in [0].iter().chain(steps).enumerate() {
            match *step {
                0 => {}
                ARRIVE => self.arrive(1),
                _ => self.complete(BYTES),
            }
            let state = u32::from(index < asked && self.phase > 0) << 1;
            results.push(self.phase & 1 | state);
        }
        results.resize(RESULTS, UNTOUCHED);
        results
    }
}

fn script(steps: &[u32]) -> u32 {
    let steps = steps.iter().rev();
    steps.fold(0, |script, step| script << 2 | step)
}

/// `mbarrier.init`, `.inval`, `.pending_count`, and everything that arrives or counts bytes.
pub(super) fn plans(text: &str) -> Vec<Plan> {
    let opcode = text.split(' ').next().unwrap_or_default();
    let has = |word: &str| opcode.split('.').any(|part| part == word);
    if has("init") {
        return [1, 3, 5].map(init).into();
    }
    if has("check_layout") {
        let mut results = [u32::from(has("layout::v0")), has("layout::v1").into()].to_vec();
        results.resize(RESULTS, UNTOUCHED);
        return vec![Plan::new(&[0; 6], results)];
    }
    if has("inval") {
        return vec![inval()];
    }
    if has("pending_count") {
        return vec![Plan::new(&[0; 6], (1..=RESULTS as u32).rev().collect())];
    }
    if has("test_wait") || has("try_wait") {
        let mut results = vec![0, 1, 0, 1];
        results.resize(RESULTS, UNTOUCHED);
        return vec![Plan::new(&[0; 6], results)];
    }
    let blocks = if has("shared::cluster") { 2 } else { 1 };
    if has("multicast::cluster::32b") {
        // If no bytes are expected, none may arrive; then all blocks are in the mask.
        let masks: &[(u32, u32)] = match has("expect_tx") || has("complete_tx") {
            true => &[(1, 0b1), (2, 0b11), (4, 0b1111)],
            false => &[(4, 0b1), (4, 0b1111), (4, 0b1010)],
        };
        return masks
            .iter()
            .map(|(blocks, mask)| multicast(text, opcode, *blocks, *mask))
            .collect();
    }
    let arrivals = arrivals(text, opcode, true);
    arrivals
        .into_iter()
        .map(|plan| plan.cluster(blocks))
        .collect()
}

fn init(count: u32) -> Plan {
    let steps = vec![ARRIVE; 2 * count as usize];
    let results = Count::new(count).follow(&steps, 0);
    Plan::new(&[0, count, 0, script(&steps), 0, 0], results)
}

fn inval() -> Plan {
    let (steps, number) = ([ARRIVE; 4], 0x1234_5678);
    let mut results = Count::new(2).follow(&steps, 0);
    results[14] = number;
    results[15] = !number;
    Plan::new(&[2, 0, 0, script(&steps), number, 0], results)
}

/// Plans the form's effect in the blocks of the mask, and none in the others.
fn multicast(text: &str, opcode: &str, blocks: u32, mask: u32) -> Plan {
    let [there, elsewhere] = [true, false].map(|happens| {
        let mut plans = arrivals(text, opcode, happens);
        plans.swap_remove(0)
    });
    let results = (0..blocks).flat_map(|rank| match mask >> rank & 1 {
        0 => elsewhere.expected.clone(),
        _ => there.expected.clone(),
    });
    let mut words = there.words.clone();
    words.push(mask);
    Plan {
        blocks,
        ..Plan::new(&words, results.collect())
    }
}

/// Plans the form's effect on a barrier that two more arrivals wait for, or the outcome without the form.
fn arrivals(text: &str, opcode: &str, happens: bool) -> Vec<Plan> {
    let has = |word: &str| opcode.split('.').any(|part| part == word);
    let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
    let counts_bytes = has("expect_tx") || has("complete_tx");
    let drops = has("arrive_drop");
    let arrives = drops || has("arrive");
    let has_count = operands.contains("], r") && !counts_bytes;
    let has_state = arrives && operands.starts_with('d');
    let counts: &[u32] = if has_count { &[1, 2, 3] } else { &[1] };
    let plan = |count: &u32| {
        let weight = if arrives { *count } else { 0 };
        let mut barrier = Count::new(weight + 2);
        let (mut before, mut steps) = (0, vec![ARRIVE, ARRIVE]);
        if has("complete_tx") {
            before = BYTES;
        } else if has("expect_tx") {
            steps.push(COMPLETE);
        }
        let expected = barrier.expected;
        if has("expect_tx") {
            barrier.bytes = BYTES.into();
        }
        if happens {
            if drops {
                barrier.expected -= weight;
            }
            barrier.arrive(weight);
        }
        // The phase after the first, if there is room for it.
        let left = if drops { expected - weight } else { expected };
        steps.extend(vec![ARRIVE; left as usize]);
        let asked = if has_state { 4 } else { 0 };
        let results = barrier.follow(&steps, asked);
        let operand = if counts_bytes { BYTES } else { *count };
        let words = [
            expected,
            operand,
            before,
            script(&steps),
            BYTES,
            asked as u32,
        ];
        Plan::new(&words, results)
    };
    counts.iter().map(plan).collect()
}
