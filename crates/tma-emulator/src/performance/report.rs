//! The counts by line of the source, worst first.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    Occupancy,
    counts::{CopyCounts, Counts, FlightCounts, GlobalCounts, ProductCounts, SharedCounts},
};
use crate::machine::{Location, Program};

/// The counts of launches by line, worst first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PerformanceReport {
    /// Accesses to shared memory.
    pub shared: Vec<Line<SharedCounts>>,
    /// Requests to global memory.
    pub global: Vec<Line<GlobalCounts>>,
    /// Bulk and tensor copies from and to global memory.
    pub copies: Vec<Line<CopyCounts>>,
    /// Waits for groups of `wgmma`.
    pub products: Vec<Line<ProductCounts>>,
    /// Most bytes in flight of each kernel, at the instruction that issued the last of them.
    pub flights: Vec<Line<FlightCounts>>,
    /// Resident blocks of each kernel, once for each size of its blocks, in the order of the launches.
    pub occupancy: Vec<Occupancy>,
}

/// Instructions with one opcode at one line of the source, with their counts. Unrolled loops repeat instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line<T> {
    /// Name of the kernel in PTX.
    pub kernel: String,
    /// Opcode with its modifiers.
    pub opcode: String,
    /// Location of the first instruction.
    pub location: Location,
    /// Number of instructions.
    pub instructions: u64,
    /// Counts of all instructions together.
    pub counts: T,
}

/// Kernel, opcode, and file and line of the source.
type Key = (String, String, (String, usize));

/// Counts by line, over launches.
#[derive(Clone, Debug)]
pub(super) struct Lines<T>(BTreeMap<Key, (Location, BTreeSet<usize>, T)>);

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Counts> Lines<T> {
    /// Adds the counts of an instruction.
    pub(super) fn add(&mut self, program: &Program, instruction: usize, counts: &T) {
        let location = program.location(instruction);
        let opcode = program.opcode(instruction).to_owned();
        let key = (
            program.kernel().to_owned(),
            opcode,
            location.line_of_source(),
        );
        let line = self.0.entry(key);
        let (first, instructions, all) =
            line.or_insert_with(|| (location.clone(), BTreeSet::new(), T::default()));
        if location < *first {
            *first = location;
        }
        instructions.insert(instruction);
        all.add(counts);
    }

    /// Adds the counts of each instruction.
    pub(super) fn extend(&mut self, program: &Program, counts: &BTreeMap<usize, T>) {
        for (instruction, counts) in counts {
            self.add(program, *instruction, counts);
        }
    }

    /// Returns the lines, worst first.
    pub(super) fn finish(self) -> Vec<Line<T>> {
        let lines = self.0.into_iter();
        let lines = lines.map(
            |((kernel, opcode, _), (location, instructions, counts))| Line {
                kernel,
                opcode,
                location,
                instructions: instructions.len() as u64,
                counts,
            },
        );
        let mut lines: Vec<Line<T>> = lines.collect();
        lines.sort_by_key(|line| Reverse(line.counts.cost()));
        lines
    }
}
