//! Counts the instructions and accesses of a launch on the emulator.

use std::collections::{BTreeMap, HashMap};

use tma_emulator::{
    EmulatorBackend, Observer, Program,
    observer::{Event, Memory, Origin, Turn},
};
use tma_launch::Shape;

use super::*;
use crate::{
    case::Amount,
    cases::guide::{
        Ported, all,
        tests::{BYTES, device, job},
    },
    modules::BUILT,
};

const LANES: usize = 32;

/// An instruction of a warp: block, warp and index.
type OfWarp = (u64, u32, usize);

/// The kind of an instruction, by its machine code from ptxas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An addition, a multiplication or both of `f32`.
    Fma,
    /// The case must execute at least one instruction.
    Kept,
    /// Possibly no instruction: addresses, comparisons, branches and moves.
    Other,
}

impl Kind {
    fn of(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        let (name, first) = (parts.next(), parts.next());
        match name.unwrap_or_default() {
            "fma" | "add" | "sub" | "mul" | "mad" if opcode.ends_with(".f32") => Self::Fma,
            "ld" if first == Some("param") => Self::Other,
            "ld" | "st" | "atom" | "red" | "cp" | "ldmatrix" | "stmatrix" | "mma" | "wgmma"
            | "bar" | "barrier" | "mbarrier" => Self::Kept,
            _ => Self::Other,
        }
    }
}

/// The work of the warps of a launch, assuming that lanes reconverge as early as possible: lanes that execute an
/// instruction at different times count once, and so do their accesses.
#[derive(Default)]
struct Counter {
    /// The kind of each instruction of the program.
    kinds: Vec<Kind>,
    /// Instructions of the current turn.
    turn: Vec<usize>,
    /// Number of times that each lane has executed the instruction.
    executed: HashMap<OfWarp, [u32; LANES]>,
    /// Number of shared memory accesses of each lane by the instruction.
    accessed: HashMap<OfWarp, [u32; LANES]>,
    /// Address and size of the n-th access of each lane.
    accesses: HashMap<(OfWarp, u32), Vec<(u64, u32)>>,
    /// Bytes copied.
    copied_bytes: f64,
}

impl Observer for Counter {
    /// Resets the counts: only the last launch counts.
    fn begin(&mut self, program: &Program, _: &Shape, _: [u32; 3]) {
        let kind = |index| Kind::of(program.opcode(index));
        *self = Self {
            kinds: (0..program.instructions()).map(kind).collect(),
            ..Self::default()
        };
    }

    fn execute(&mut self, instruction: usize) {
        self.turn.push(instruction);
    }

    fn turn(&mut self, turn: Turn) {
        self.end_turn(turn.block, turn.warp, turn.lanes);
    }

    fn see(&mut self, origin: Origin, event: Event) {
        let Event::Access { range, copy, .. } = event else {
            return;
        };
        if !matches!(range.memory, Memory::Shared { .. }) {
            return;
        }
        if copy.is_some() {
            self.copied_bytes += f64::from(range.bytes);
            return;
        }
        let (warp, lane) = (origin.thread / 32, origin.thread as usize % LANES);
        let of_warp = (origin.block, warp, origin.instruction);
        let times = &mut self.accessed.entry(of_warp).or_default()[lane];
        let accesses = self.accesses.entry((of_warp, *times)).or_default();
        accesses.push((range.address, range.bytes));
        *times += 1;
    }
}

impl Counter {
    fn end_turn(&mut self, block: u64, warp: u32, lanes: u32) {
        for instruction in std::mem::take(&mut self.turn) {
            let executed = self.executed.entry((block, warp, instruction));
            for (lane, times) in executed.or_default().iter_mut().enumerate() {
                *times += lanes >> lane & 1;
            }
        }
    }

    fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        for ((_, _, instruction), lanes) in &self.executed {
            let times = f64::from(lanes.iter().copied().max().unwrap_or(0));
            let kind = self.kinds[*instruction];
            if kind != Kind::Other {
                counted.warp_instructions += times;
            }
            if kind == Kind::Fma {
                counted.fmas += LANES as f64 * times;
            }
        }
        let clocks = self.accesses.values().map(|accesses| clocks(accesses));
        counted.shared_bytes = self.copied_bytes + 128.0 * f64::from(clocks.sum::<u32>());
        counted
    }
}

/// Returns the clocks that the banks need for the accesses of a warp: each of 32 banks of four bytes serves one
/// word per clock to all lanes that request it.
fn clocks(accesses: &[(u64, u32)]) -> u32 {
    let mut words: Vec<u64> = accesses
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
    assert_eq!(clocks(&strided(8, 8)), 2);
    assert_eq!(clocks(&strided(16, 16)), 4);
    assert_eq!(clocks(&strided(32, 16)), 8);
    assert_eq!(clocks(&strided(4, 4)[..3]), 1);
    assert_eq!(clocks(&[]), 0);
}

#[test]
fn addresses_and_parameters_do_not_count() {
    let kinds = [
        "ld.param.b64",
        "add.s32",
        "mov.b32",
        "setp.eq.s32",
        "mad.lo.s32",
    ];
    assert!(kinds.iter().all(|opcode| Kind::of(opcode) == Kind::Other));
    let kinds = [
        "ld.shared.v4.b32",
        "red.relaxed.cta.shared::cta.add.u32",
        "bar.sync",
    ];
    assert!(kinds.iter().all(|opcode| Kind::of(opcode) == Kind::Kept));
    assert_eq!(Kind::of("fma.rn.f32"), Kind::Fma);
}

#[test]
fn lanes_that_part_count_once() {
    let mut counter = Counter {
        kinds: vec![Kind::Kept, Kind::Fma, Kind::Other],
        ..Counter::default()
    };
    // The halves of warp 0 execute both instructions at different times, and one of them a second time.
    for lanes in [0xffff, 0xffff_0000] {
        counter.turn = vec![0, 1, 2];
        counter.end_turn(7, 0, lanes);
    }
    counter.turn = vec![0];
    counter.end_turn(7, 0, 0xffff);
    counter.turn = vec![1];
    counter.end_turn(7, 1, 1);
    let counted = counter.counted();
    assert_eq!((counted.warp_instructions, counted.fmas), (4.0, 64.0));
}

#[test]
fn another_number_of_stages_has_the_counts_of_the_kernel() {
    assert_ne!(of("prefetch_16"), Counted::default());
    assert_eq!(of("prefetch_16"), of("prefetch_4"));
    assert_eq!(of("no_kernel"), Counted::default());
}

/// Counts a row's launch.
fn count(row: &Ported) -> Counted {
    let mut counter = Counter::default();
    let mut job = job(row, BUILT[0].kernels);
    // Excludes launches that check the results.
    job.launches.truncate(1 + usize::from(row.before.is_some()));
    let run = EmulatorBackend::new(3).observe(&mut job, &mut counter);
    run.unwrap_or_else(|wrong| panic!("{}: {wrong}", row.kernel));
    counter.counted()
}

/// The table must match the emulator's counts; otherwise this prints the correct table.
///
/// Persistent blocks have the same work at their beginning and end whatever they do in between: the difference to a
/// launch of twice the size counts, if there is one.
#[test]
fn the_table_is_what_the_emulator_counts() {
    const TOLERANCE: f64 = 0.01;
    let rows = |size| all(&device(), 2, size).unwrap();
    let mut lines = BTreeMap::new();
    let mut wrong = Vec::new();
    for (row, half) in rows(BYTES).iter().zip(&rows(BYTES / 2)) {
        let entry = &row.launch.entry;
        // The rows of an entry differ in size.
        if lines.contains_key(entry) || matches!(row.amount, Amount::Products { .. }) {
            continue;
        }
        let (mut counted, mut bytes) = (count(row), row.amount.bytes());
        if half.amount.bytes() < bytes {
            let less = count(half);
            bytes -= half.amount.bytes();
            counted.warp_instructions -= less.warp_instructions;
            counted.shared_bytes -= less.shared_bytes;
            counted.fmas -= less.fmas;
        }
        let counted = counted.times(1024.0 / bytes as f64);
        let known = of(entry);
        let pairs = [
            (counted.warp_instructions, known.warp_instructions),
            (counted.shared_bytes, known.shared_bytes),
            (counted.fmas, known.fmas),
        ];
        let close = |(a, b): &(f64, f64)| (a - b).abs() <= TOLERANCE * b.max(1.0);
        if !pairs.iter().all(close) {
            wrong.push(entry.clone());
        }
        let [a, b, c] = pairs.map(|(counted, _)| counted);
        let line = format!("    ({entry:?}, [{a:.2}, {b:.1}, {c:.1}]),");
        lines.insert(entry.clone(), line);
    }
    let lines: Vec<String> = lines.into_values().collect();
    assert!(
        wrong.is_empty(),
        "of {wrong:?}; the table should be\n{}",
        lines.join("\n")
    );
}
