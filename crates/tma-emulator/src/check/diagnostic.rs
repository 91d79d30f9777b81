//! Diagnostics of the checker, for people and for programs.

use std::fmt::{self, Display, Formatter};

use super::kind::{DiagnosticKind, Severity};
use crate::{
    machine::{Location, Trap},
    run::{FailingSchedule, Report},
};

/// A finding: one defect of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Kind of the violation, which determines its severity.
    pub kind: DiagnosticKind,
    /// The message of the kernel's own panic.
    pub panic_message: Option<String>,
    /// Name of the kernel's entry in the PTX.
    pub entry: String,
    /// Location of the defect. `None` if no single instruction is to blame.
    pub here: Option<Site>,
    /// The other of two locations. If the two are not ordered, either may come first.
    pub there: Option<Site>,
    /// Notes on the state that explains it, a line each.
    pub notes: Vec<String>,
    /// Number of occurrences at these two locations.
    pub count: u64,
    /// The trap that ended the kernel, if one did.
    pub trap: Option<Trap>,
    /// The fix in this case, if the usual fix of the kind does not address the cause.
    pub(super) fix: Option<&'static str>,
    /// True if this only notes a gap in the run's coverage. A strict checker makes it a warning.
    pub is_note: bool,
    /// The schedule that has the error, if a search has found it or a name has repeated it.
    pub schedule: Option<Box<FailingSchedule>>,
}

impl Diagnostic {
    /// Returns a one-sentence description: the kind's title, or its form for products.
    pub fn title(&self) -> &'static str {
        self.of_product()
            .map_or(self.kind.title(), |[title, _]| title)
    }

    /// Returns the fix for this case if there is one, else the kind's usual fix.
    pub fn help(&self) -> &'static str {
        let of_product = self.of_product().map(|[_, help]| help);
        let help = self.fix.or(of_product).or_else(|| self.of_access());
        help.unwrap_or(self.kind.help())
    }

    /// Returns the fix if a load, a store or an atomic is to blame instead of a copy.
    fn of_access(&self) -> Option<&'static str> {
        let opcode = &self.here.as_ref()?.instruction;
        let is_access = ["ld.", "st.", "atom.", "red."]
            .iter()
            .any(|stem| opcode.starts_with(stem));
        (self.kind == DiagnosticKind::Misaligned && is_access).then_some(
            "a load, a store or an atomic needs an address that is a multiple of its access size, which for a \
             vector is the size of all its elements",
        )
    }

    fn of_product(&self) -> Option<[&'static str; 2]> {
        let here = self.here.as_ref()?;
        let is_product = here.instruction.starts_with("wgmma.");
        self.kind.of_product().filter(|_| is_product)
    }

    /// Returns whether another diagnostic has the same kind and instructions, perhaps in another launch or
    /// under another seed.
    pub fn is_like(&self, other: &Self) -> bool {
        let location = |site: &Option<Site>| site.as_ref().map(|site| site.location.clone());
        let places = |it: &Self| [location(&it.here), location(&it.there)];
        self.kind == other.kind && places(self) == places(other)
    }

    /// Returns whether the kernel did not run to its end.
    pub fn ends_kernel(&self) -> bool {
        self.trap.is_some()
    }
}

/// An instruction, the thread that executed it, and its action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Site {
    /// Location in PTX, and in the source where known.
    pub location: Location,
    /// PTX name of the function that contains it.
    pub function: String,
    /// Opcode of the instruction, with its modifiers.
    pub instruction: String,
    /// Index of the thread's block in the grid.
    pub block: [u32; 3],
    /// The thread's index in its block.
    pub thread: [u32; 3],
    /// The action, as `writes 4 bytes at shared address 0x410`.
    pub what: String,
}

/// Outcome of a job that ran under the checker.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckReport {
    /// Findings in the order of discovery; each pair of locations once.
    pub diagnostics: Vec<Diagnostic>,
    /// Notes on parts that the run has not tested; a strict checker reports these as diagnostics.
    pub notes: Vec<Diagnostic>,
    /// Reports of the launches that ran to their end.
    pub reports: Vec<Report>,
    /// Output of all launches, including one that did not run to its end.
    pub printed: String,
}

impl CheckReport {
    /// Appends the outcome of the next launch.
    pub fn extend(&mut self, next: Self) {
        self.diagnostics.extend(next.diagnostics);
        self.notes.extend(next.notes);
        self.reports.extend(next.reports);
        self.printed.push_str(&next.printed);
    }

    /// Returns whether no diagnostic is worse than a warning.
    pub fn is_clean(&self) -> bool {
        let mut diagnostics = self.diagnostics.iter();
        diagnostics.all(|diagnostic| diagnostic.kind.severity() < Severity::Error)
    }
}

impl Display for Site {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            location,
            instruction,
            block,
            thread,
            what,
            ..
        } = self;
        let Location {
            file,
            line,
            column,
            source,
            ..
        } = location;
        match source {
            Some((source, number)) => {
                writeln!(f, "  --> {source}:{number}")?;
                if let Some(chain) = location.chain() {
                    writeln!(f, "      {chain}")?;
                }
                writeln!(f, "      {file}:{line}:{column}")?;
            }
            None => {
                writeln!(f, "  --> {file}:{line}:{column}")?;
                if let Some(chain) = location.chain() {
                    writeln!(f, "      {chain}")?;
                }
            }
        }
        writeln!(f, "      `{instruction}`")?;
        write!(f, "      thread {thread:?} of block {block:?} {what}")
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let severity = match self.kind.severity() {
            _ if self.is_note => "note",
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let title = self.panic_message.as_deref().unwrap_or(self.title());
        write!(f, "{severity}[{}]: {title}", self.kind)?;
        if let Some(here) = &self.here {
            write!(f, "\n{here}")?;
        }
        if let Some(there) = &self.there {
            write!(f, "\n  and\n{there}")?;
        }
        for note in &self.notes {
            for (index, line) in note.lines().enumerate() {
                let mark = if index == 0 { "= note:" } else { "       " };
                write!(f, "\n  {mark} {line}")?;
            }
        }
        if self.count > 1 {
            write!(
                f,
                "\n  = note: found {} times at these locations",
                self.count
            )?;
        }
        write!(f, "\n  = rule: PTX ISA {}", self.kind.rule())?;
        write!(f, "\n  = help: {}", self.help())?;
        let Some(FailingSchedule { name, story, .. }) = self.schedule.as_deref() else {
            return Ok(());
        };
        if !story.is_empty() {
            let head = "how it comes to this; `*` marks the choices of the schedule";
            write!(f, "\n  = story: {head}\n{}", story.to_string().trim_end())?;
        }
        write!(f, "\n  = schedule: {name}")
    }
}
