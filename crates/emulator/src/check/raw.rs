//! A finding before its places and words are looked up.

use super::{
    Checker, Finding, Kind, Site,
    shadow::{Access, Actor},
};
use crate::{
    Program,
    machine::Places,
    observer::{AccessKind, Memory, Origin, Range},
};

/// One end of a finding: an instruction, and the block and thread that executed it.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) instruction: usize,
    pub(super) what: String,
}

/// A finding.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) kind: Kind,
    pub(super) here: Option<End>,
    pub(super) there: Option<End>,
    pub(super) notes: Vec<String>,
    pub(super) count: u64,
}

impl End {
    pub(super) fn new(origin: Origin, what: impl Into<String>) -> Self {
        Self {
            block: origin.block as u32,
            thread: origin.thread,
            instruction: origin.instruction,
            what: what.into(),
        }
    }

    fn site(&self, program: &Program, places: &Places) -> Site {
        Site {
            place: program.place(self.instruction),
            instruction: program.opcode(self.instruction).to_owned(),
            block: places.block(self.block.into()),
            thread: places.thread(self.thread),
            what: self.what.clone(),
        }
    }
}

impl Raw {
    pub(super) fn render(
        &self,
        checker: &Checker,
        program: &Program,
        places: &Places,
        entry: &str,
    ) -> Finding {
        let mut kind = self.kind;
        let mut notes = self.notes.clone();
        // Only at the end is it known whether there was any fence.
        if kind == Kind::MissingProxyFence && !checker.proxy_fences.is_empty() {
            kind = Kind::MisplacedProxyFence;
            let mut fences: Vec<usize> = checker.proxy_fences.iter().copied().collect();
            fences.sort_unstable();
            for fence in fences {
                let (opcode, place) = (program.opcode(fence), program.place(fence));
                notes.push(format!("`{opcode}` at {place} is not on the path"));
            }
        }
        let site = |end: &Option<End>| end.as_ref().map(|end| end.site(program, places));
        Finding {
            kind,
            entry: entry.to_owned(),
            here: site(&self.here),
            there: site(&self.there),
            notes,
            count: self.count,
            trap: None,
        }
    }
}

impl Checker {
    /// Keeps a finding, once for each pair of instructions.
    pub(super) fn report(
        &mut self,
        kind: Kind,
        here: End,
        there: Option<End>,
        notes: impl FnOnce(&Self) -> Vec<String>,
    ) {
        let second = there.as_ref().map_or(usize::MAX, |end| end.instruction);
        let key = (kind, here.instruction, second);
        if let Some(index) = self.known.get(&key) {
            self.found[*index].count += 1;
            return;
        }
        let notes = notes(self);
        self.known.insert(key, self.found.len());
        self.found.push(Raw {
            kind,
            here: Some(here),
            there,
            notes,
            count: 1,
        });
    }

    /// The end that an earlier access was.
    pub(super) fn end_of(&self, access: Access, kind: AccessKind, range: Range) -> End {
        let thread = match access.actor() {
            Actor::Thread(thread) | Actor::Async(thread) => thread,
            Actor::Copy { id, .. } => self.copies.get(id as usize).map_or(0, |copy| copy.issuer),
        };
        let (block, thread) = self.grid.extents.split(thread);
        let by = match access.actor() {
            Actor::Thread(_) if access.made_mbarrier() => "makes an mbarrier of".to_owned(),
            Actor::Thread(_) => verb(kind).to_owned(),
            Actor::Async(_) | Actor::Copy { .. } => format!("issues a copy that {}", verb(kind)),
        };
        End {
            block,
            thread,
            instruction: access.instruction(),
            what: format!("{by} {}", words(range)),
        }
    }
}

pub(super) fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Atomic => "reads and writes",
    }
}

/// A range in words.
pub(super) fn words(range: Range) -> String {
    let Range {
        memory,
        address,
        bytes,
    } = range;
    let of = match memory {
        Memory::Shared { block } => format!("shared address {address:#x} of block {block}"),
        Memory::Global => format!("global address {address:#x}"),
        Memory::Local => format!("local address {address:#x}"),
        Memory::Const => format!("constant address {address:#x}"),
        Memory::Param => format!("offset {address:#x} of the parameters"),
    };
    format!("{bytes} byte{} at {of}", if bytes == 1 { "" } else { "s" })
}
