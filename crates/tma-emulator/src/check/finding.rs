//! A finding before its locations and texts are looked up.

use super::{diagnostic::Site, kind::DiagnosticKind, sites::Sites};
use crate::machine::{
    Places, Program, Stuck,
    observer::{AccessKind, Origin},
};

/// One end of a finding: an instruction, and the block and thread that executed it.
#[derive(Clone, Debug)]
pub(super) struct FindingEnd {
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) instruction: usize,
    pub(super) what: String,
}

/// An instruction that explains a diagnostic.
#[derive(Clone, Debug)]
pub(super) struct RelatedInstruction {
    pub(super) instruction: usize,
    pub(super) what: String,
}

impl RelatedInstruction {
    pub(super) fn note(&self, program: &Program, sites: &Sites) -> String {
        let opcode = sites.opcode(program, self.instruction);
        let location = sites.location(program, self.instruction);
        format!("{}: `{opcode}` at {location}", self.what)
    }
}

/// A finding with unresolved locations.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) kind: DiagnosticKind,
    pub(super) here: Option<FindingEnd>,
    pub(super) there: Option<FindingEnd>,
    pub(super) notes: Vec<String>,
    pub(super) count: u64,
    /// More instructions, each with a note.
    pub(super) others: Vec<RelatedInstruction>,
    /// The other end, if it is in another launch.
    pub(super) elsewhere: Option<Site>,
    /// The mbarriers concerned, by block and number.
    pub(super) mbarriers: Vec<(u32, u32)>,
    /// The case, if the fix of the kind does not address the cause.
    pub(super) fix: Option<Fix>,
}

/// A case with a fix of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fix {
    /// An access to the destination of a `cp.async`.
    PlainCopy,
    /// A write to the source of a copy that an mbarrier of another block counts.
    SentToPeer,
    /// A write to the source of a copy that an mbarrier of its own block counts.
    CountedHere,
    /// An access to memory that the host has freed.
    FreedByHost,
    /// A deadlock in which a pipeline waits for a stage that threads have not released.
    Unreleased,
    /// A deadlock.
    Stuck(Stuck),
}

impl FindingEnd {
    pub(super) fn new(origin: Origin, what: impl Into<String>) -> Self {
        Self {
            block: origin.block as u32,
            thread: origin.thread,
            instruction: origin.instruction,
            what: what.into(),
        }
    }

    pub(super) fn site(&self, program: &Program, sites: &Sites, places: &Places) -> Site {
        Site {
            location: sites.location(program, self.instruction),
            function: sites.function(program, self.instruction).to_owned(),
            instruction: sites.opcode(program, self.instruction).to_owned(),
            block: places.block(self.block.into()),
            thread: places.thread(self.thread),
            what: self.what.clone(),
        }
    }
}

impl Finding {
    /// Adds an mbarrier that the finding concerns.
    pub(super) fn about(&mut self, mbarrier: Option<(u32, u32)>) {
        let known = &mut self.mbarriers;
        known.extend(mbarrier.filter(|new| known.len() < 64 && !known.contains(new)));
    }

    /// Returns whether both concern the same mbarrier.
    pub(super) fn shares_mbarrier(&self, other: &Self) -> bool {
        let mut all = self.mbarriers.iter();
        all.any(|mbarrier| other.mbarriers.contains(mbarrier))
    }

    /// Adds an instruction that explains the finding; the first one is kept.
    pub(super) fn because(&mut self, other: Option<RelatedInstruction>) {
        if self.others.is_empty() {
            self.others.extend(other);
        }
    }

    /// Returns the one or two ends.
    pub(super) fn ends(&self) -> impl Iterator<Item = &FindingEnd> {
        self.here.iter().chain(&self.there)
    }
}

pub(super) fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Atomic => "reads and writes",
    }
}
