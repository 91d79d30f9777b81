//! Kernels with one bug each, and the same kernels without it: the tests of the emulator's checker.
//!
//! The kernels are in `tests/gpu/bugs`: in Rust, where a constant is named after the bug, or as PTX, where
//! lines are marked with the names of their bugs. Marks in the same file declare the bugs and the kinds of findings
//! that the checker must report; `marks` reads them. The report on a bug is next to the source, in the folder of the
//! same stem. This module has the launches.

mod barriers;
mod clean;
mod clusters;
mod copies;
mod marks;
mod memory;
mod tensors;

use std::{
    fs,
    path::{Path, PathBuf},
};

use tma_emulator::check::DiagnosticKind;
use tma_launch::{Buffer, Launch};

use crate::{Expected, Scenario};

/// A kernel, correct and with each of its bugs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The kernel's name, and the stem of its source. Several correct kernels share a file.
    pub name: &'static str,
    /// The launches, by the name of the entry.
    pub scenario: fn(&str) -> Scenario,
}

/// A bug of a kernel, and the diagnostics that must report it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The name, in words that make a file name.
    pub name: String,
    /// The kinds of the diagnostics: exactly these, whatever the seed. The first is the subject
    /// of the bug.
    pub finds: Vec<DiagnosticKind>,
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

/// Returns the folders of the sources in Rust and as PTX.
pub fn folders() -> [PathBuf; 2] {
    let bugs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/bugs");
    [bugs.join("src"), bugs.join("ptx")]
}

impl Family {
    const fn new(name: &'static str, scenario: fn(&str) -> Scenario) -> Self {
        Self { name, scenario }
    }

    /// Returns the path of the source. A kernel without one of its own has no bugs.
    pub fn source(&self) -> Option<PathBuf> {
        let [rust, ptx] = folders().map(|folder| folder.join(self.name));
        let sources = [rust.with_extension("rs"), ptx.with_extension("ptx")];
        sources.into_iter().find(|source| source.exists())
    }

    /// Returns whether the kernel is written as PTX.
    pub fn is_ptx(&self) -> bool {
        let source = self.source();
        source.is_some_and(|source| source.extension().is_some_and(|it| it == "ptx"))
    }

    /// Returns the bugs that the source declares.
    pub fn bugs(&self) -> Vec<Bug> {
        self.source_text().lines().filter_map(marks::bug).collect()
    }

    /// Returns the path of the report on a bug.
    pub fn report(&self, bug: &Bug) -> Option<PathBuf> {
        let folder = self.source()?.with_extension("");
        Some(folder.join(&bug.name).with_extension("txt"))
    }

    /// Returns the entry with this bug, or the correct one.
    pub fn entry(&self, bug: Option<&Bug>) -> String {
        match self.is_ptx() || self.bugs().is_empty() {
            true => self.name.to_owned(),
            false => format!("{}_{}", self.name, name_of(bug)),
        }
    }

    /// Returns the PTX with this bug, and its name; for a kernel in Rust `module` contains all entries.
    pub fn text(&self, bug: Option<&Bug>, module: &ptx::Module) -> (String, String) {
        let entry = self.entry(bug);
        let text = match self.is_ptx() {
            true => marks::with_bug(&self.source_text(), name_of(bug)),
            false => {
                let one = module.extract(&entry);
                one.map(|one| one.to_string()).unwrap_or_default()
            }
        };
        (format!("{entry}.ptx"), text)
    }

    fn source_text(&self) -> String {
        let text = self.source().map(fs::read_to_string);
        text.map_or(String::new(), |text| text.expect("a source is UTF-8"))
    }
}

fn name_of(bug: Option<&Bug>) -> &str {
    bug.map_or("correct", |bug| &bug.name)
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
