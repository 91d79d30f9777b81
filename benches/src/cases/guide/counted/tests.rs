//! Counts what a launch does on the emulator.

use std::collections::BTreeMap;

use tma_emulator::{
    EmulatorBackend, Fault, Observer, Program,
    observer::{Event, Memory, Origin},
};
use tma_launch::Shape;

use super::*;
use crate::{
    cases::guide::{
        all,
        tests::{BYTES, device, job},
    },
    modules::BUILT,
};

/// What is counted of each launch.
#[derive(Default)]
struct Counter {
    launches: Vec<Counted>,
    /// Of each instruction of the program, whether it is an addition, a multiplication or both of `f32`.
    is_fma: Vec<bool>,
    /// The bytes of shared memory that the lanes of a warp access by the instruction before, by block.
    accesses: BTreeMap<u64, Vec<(u64, u32)>>,
}

impl Observer for Counter {
    fn begin(&mut self, program: &Program, _: &Shape, _: [u32; 3]) {
        let is_fma = |index| {
            let opcode = program.opcode(index);
            let name = opcode.split('.').next().unwrap_or_default();
            ["fma", "add", "sub", "mul", "mad"].contains(&name) && opcode.ends_with(".f32")
        };
        self.is_fma = (0..program.instructions()).map(is_fma).collect();
        self.launches.push(Counted::default());
    }

    fn end(&mut self, _: Option<&Fault>) {
        self.flush();
    }

    fn execute(&mut self, instruction: usize) {
        self.flush();
        let launch = self.launches.last_mut().unwrap();
        launch.warp_instructions += 1.0;
        if self.is_fma[instruction] {
            launch.fmas += 32.0;
        }
    }

    fn see(&mut self, _: Origin, event: Event) {
        let Event::Access { range, copy, .. } = event else {
            return;
        };
        let Memory::Shared { block } = range.memory else {
            return;
        };
        match copy {
            Some(_) => self.launches.last_mut().unwrap().shared_bytes += f64::from(range.bytes),
            None => {
                let accesses = self.accesses.entry(block).or_default();
                accesses.push((range.address, range.bytes));
            }
        }
    }
}

impl Counter {
    fn flush(&mut self) {
        let launch = self.launches.last_mut().unwrap();
        for (_, accesses) in std::mem::take(&mut self.accesses) {
            launch.shared_bytes += 128.0 * f64::from(clocks(&accesses));
        }
    }
}

/// Clocks for which the banks are busy with the accesses of a warp: 32 banks of four bytes serve 128 bytes at once,
/// and each serves one word in a clock, to all lanes that ask for it.
fn clocks(accesses: &[(u64, u32)]) -> u32 {
    let widest = accesses.iter().map(|(_, bytes)| *bytes).max().unwrap_or(4);
    let together = 128 / widest.clamp(4, 128) as usize;
    let of_group = |group: &[(u64, u32)]| {
        let mut words: Vec<u64> = group
            .iter()
            .flat_map(|(address, bytes)| address / 4..(address + u64::from(*bytes)).div_ceil(4))
            .collect();
        words.sort_unstable();
        words.dedup();
        let mut banks = [0; 32];
        for word in words {
            banks[word as usize % 32] += 1;
        }
        banks.into_iter().max().unwrap_or(0)
    };
    accesses.chunks(together).map(of_group).sum()
}

#[test]
fn banks_are_busy_as_long_as_the_busiest() {
    let strided = |stride: u64, bytes: u32| -> Vec<(u64, u32)> {
        (0..32).map(|lane| (1024 + lane * stride, bytes)).collect()
    };
    assert_eq!(clocks(&strided(4, 4)), 1);
    assert_eq!(clocks(&strided(0, 4)), 1);
    assert_eq!(clocks(&strided(1, 1)), 1);
    assert_eq!(clocks(&strided(8, 4)), 2);
    assert_eq!(clocks(&strided(128, 4)), 32);
    assert_eq!(clocks(&strided(132, 4)), 1);
    // Two times sixteen lanes, four times eight.
    assert_eq!(clocks(&strided(8, 8)), 2);
    assert_eq!(clocks(&strided(16, 16)), 4);
    assert_eq!(clocks(&strided(32, 16)), 8);
    assert_eq!(clocks(&strided(4, 4)[..3]), 1);
    assert_eq!(clocks(&[]), 0);
}

#[test]
fn another_number_of_stages_has_the_counts_of_the_kernel() {
    assert_eq!(of("prefetch_8"), of("prefetch_8"));
    assert_ne!(of("prefetch_16"), Counted::default());
    assert_eq!(of("no_kernel"), Counted::default());
}

/// The table is what the emulator counts; where it is not, this prints what it should be.
#[test]
fn the_table_is_what_the_emulator_counts() {
    const TOLERANCE: f64 = 0.01;
    let mut lines = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in all(&device(), 2, BYTES).unwrap() {
        let mut counter = Counter::default();
        let mut job = job(&row, BUILT[0].kernels);
        let run = EmulatorBackend::new(3).observe(&mut job, &mut counter);
        run.unwrap_or_else(|wrong| panic!("{}: {wrong}", row.kernel));
        let main = usize::from(row.before.is_some());
        let entry = &row.launch.entry;
        let counted = counter.launches[main].times(1024.0 / row.amount.work() as f64);
        let known = of(entry);
        let pairs = [
            (counted.warp_instructions, known.warp_instructions),
            (counted.shared_bytes, known.shared_bytes),
            (counted.fmas, known.fmas),
        ];
        // Two rows of an entry differ in their size.
        let first = !lines.contains_key(entry);
        let close = |(a, b): &(f64, f64)| (a - b).abs() <= TOLERANCE * b.max(0.01);
        if first && !pairs.iter().all(close) {
            wrong.push(entry.clone());
        }
        let [a, b, c] = pairs.map(|(counted, _)| counted);
        let line = format!("    ({entry:?}, [{a:.2}, {b:.1}, {c:.1}]),");
        lines.entry(entry.clone()).or_insert(line);
    }
    let lines: Vec<String> = lines.into_values().collect();
    assert!(
        wrong.is_empty(),
        "of {wrong:?}; the table should be\n{}",
        lines.join("\n")
    );
}
