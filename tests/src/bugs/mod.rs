//! Kernels with one bug each, and the same kernels without it: what proves the emulator's checker.
//!
//! The kernels are in `tests/bugs`: in Rust, where a constant chooses the bug, or as PTX, where lines
//! are marked with the bugs that they belong to. Here stand the launches, and what must be found.

mod copies;
mod text;

use emulator::check::Kind;

use crate::Scenario;

/// A kernel, as it should be and with each of its bugs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The kernel's name.
    pub name: &'static str,
    /// Its PTX, where it is not written in Rust.
    pub ptx: Option<&'static str>,
    /// How it is run; the parameter is the name of the entry.
    pub scenario: fn(&str) -> Scenario,
    /// In the order of their numbers, from 1; none where the kernel only tempts to false reports.
    pub bugs: &'static [Bug],
}

/// What is wrong with a kernel, and what must be said of it.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// In words that make a file name.
    pub name: &'static str,
    /// The kinds of the findings: exactly these, whatever the seed. The first is what the bug is
    /// there for.
    pub finds: &'static [Kind],
    /// Other kinds that some schedules give, and why that is right.
    pub or: &'static [Other],
}

/// What a schedule may legitimately find in place of the usual.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// Why it depends on the schedule.
    pub because: &'static str,
    /// The kinds of the findings.
    pub finds: &'static [Kind],
}

/// All kernels.
pub fn families() -> impl Iterator<Item = &'static Family> {
    [copies::FAMILIES].into_iter().flatten()
}

impl Family {
    /// The entry with this bug; 0 is the kernel as it should be.
    pub fn entry(&self, bug: usize) -> String {
        match self.ptx {
            Some(_) => self.name.to_owned(),
            None => format!("{}_{bug}", self.name),
        }
    }

    /// The PTX with this bug, and what to call it; for a kernel in Rust `module` has all of them.
    pub fn text(&self, bug: usize, module: &ptx::Module) -> (String, String) {
        match self.ptx {
            Some(text) => (format!("{}.ptx", self.name), text::with_bug(text, bug)),
            None => {
                let entry = self.entry(bug);
                let one = module.extract(&entry);
                let text = one.map(|one| one.to_string()).unwrap_or_default();
                (format!("{entry}.ptx"), text)
            }
        }
    }
}

impl Bug {
    const fn new(name: &'static str, finds: &'static [Kind]) -> Self {
        Self {
            name,
            finds,
            or: &[],
        }
    }

    const fn or(mut self, or: &'static [Other]) -> Self {
        self.or = or;
        self
    }
}
