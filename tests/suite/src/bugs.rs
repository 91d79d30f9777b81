//! Kernels with one bug each, and the same kernels without it: the tests of the emulator's checker.
//!
//! The kernels are in `tests/gpu/bugs`: in Rust, where a constant names the bug, or as PTX, where lines
//! are marked with the names of their bugs. This module has the launches and the expected findings.

mod barriers;
mod clean;
mod clusters;
mod copies;
mod memory;
mod tensors;
mod text;

use tma_emulator::check::DiagnosticKind;

use tma_launch::{Buffer, Launch};

use crate::{Expected, Scenario};

/// A kernel, correct and with each of its bugs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The kernel's name.
    pub name: &'static str,
    /// The PTX of a kernel that is not written in Rust.
    pub ptx: Option<&'static str>,
    /// The launches, by the name of the entry.
    pub scenario: fn(&str) -> Scenario,
    /// Empty for a kernel that only tempts to false reports.
    pub bugs: &'static [Bug],
}

/// A bug of a kernel, and the diagnostic that must report it.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// The name, in words that make a file name.
    pub name: &'static str,
    /// The kinds of the diagnostics: exactly these, whatever the seed. The first is the subject
    /// of the bug.
    pub finds: &'static [DiagnosticKind],
    /// Only a [strict](tma_emulator::Config::strict) checker reports it.
    pub strict: bool,
}

/// Returns all kernels.
pub fn families() -> impl Iterator<Item = &'static Family> {
    [
        copies::FAMILIES,
        barriers::FAMILIES,
        memory::FAMILIES,
        clusters::FAMILIES,
        tensors::FAMILIES,
        clean::FAMILIES,
    ]
    .into_iter()
    .flatten()
}

impl Family {
    /// Returns the entry with this bug, or the correct one.
    pub fn entry(&self, bug: Option<&Bug>) -> String {
        match self.ptx {
            None if !self.bugs.is_empty() => format!("{}_{}", self.name, name_of(bug)),
            _ => self.name.to_owned(),
        }
    }

    /// Returns the PTX with this bug, and its name; for a kernel in Rust `module` contains all entries.
    pub fn text(&self, bug: Option<&Bug>, module: &ptx::Module) -> (String, String) {
        match self.ptx {
            Some(text) => {
                let text = text::with_bug(text, name_of(bug));
                (format!("{}.ptx", self.name), text)
            }
            None => {
                let entry = self.entry(bug);
                let one = module.extract(&entry);
                let text = one.map(|one| one.to_string()).unwrap_or_default();
                (format!("{entry}.ptx"), text)
            }
        }
    }
}

fn name_of(bug: Option<&Bug>) -> &'static str {
    bug.map_or("correct", |bug| bug.name)
}

impl Bug {
    const fn new(name: &'static str, finds: &'static [DiagnosticKind]) -> Self {
        Self {
            name,
            finds,
            strict: false,
        }
    }

    const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }
}

/// Writes numbers by one block of this many threads.
fn writes(entry: &str, threads: u32, expected: fn(u32) -> u32, count: u32) -> Scenario {
    let expected: Vec<u32> = (0..count).map(expected).collect();
    Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::zeroed::<u32>("output", expected.len())],
        launches: vec![Launch::new(entry, 1, threads).buffer(0)],
        expected: vec![Expected::of(0, &expected)],
    }
}

/// Writes numbers like [`writes`], from an input of numbers from 1000 on.
fn loads(entry: &str, threads: u32, inputs: u32, expected: fn(u32) -> u32, count: u32) -> Scenario {
    let mut scenario = writes(entry, threads, expected, count);
    let input: Vec<u32> = (0..inputs).map(|i| 1000 + i).collect();
    scenario.buffers.push(Buffer::new("input", &input));
    scenario.launches = vec![Launch::new(entry, 1, threads).buffer(0).buffer(1)];
    scenario
}

/// Blocks of a warp, with memory for a number of each thread and a counter.
fn blocks(entry: &str, blocks: u32, expected: &[u32]) -> Scenario {
    let launch = Launch::new(entry, blocks, 32);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::zeroed::<u32>("output", expected.len()),
            Buffer::zeroed::<u32>("numbers", 32 * blocks as usize),
            Buffer::zeroed::<u32>("count", 1),
        ],
        launches: vec![launch.buffer(0).buffer(1).buffer(2)],
        expected: vec![Expected::of(0, expected)],
    }
}
