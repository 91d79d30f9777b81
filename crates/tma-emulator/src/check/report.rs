//! Adds findings, and describes their ends.

use super::{
    checker::Checker,
    copy_table::Completion,
    diagnostic::Diagnostic,
    finding::{Finding, FindingEnd, verb},
    kind::DiagnosticKind,
    shadow::{Access, Actor},
};
use crate::machine::{
    Places, Program,
    observer::{AccessKind, GroupKind, Memory, Range},
};

impl Finding {
    pub(super) fn render(
        &self,
        checker: &Checker,
        program: &Program,
        places: &Places,
        entry: &str,
    ) -> Diagnostic {
        let sites = &checker.sites;
        let mut kind = self.kind;
        let mut notes = self.notes.clone();
        // Only at the end is it known whether there was any fence.
        if kind == DiagnosticKind::MissingProxyFence && !checker.proxy_fences.is_empty() {
            kind = DiagnosticKind::MisplacedProxyFence;
            let mut fences: Vec<usize> = checker.proxy_fences.iter().copied().collect();
            fences.sort();
            for fence in fences {
                let (opcode, location) =
                    (sites.opcode(program, fence), sites.location(program, fence));
                let alone = match opcode {
                    _ if opcode.contains(".global") => ", and orders global memory alone",
                    _ if opcode.contains(".shared") => ", and orders shared memory alone",
                    _ => "",
                };
                notes.push(format!(
                    "`{opcode}` at {location} is not on the path{alone}"
                ));
            }
        }
        notes.extend(self.others.iter().map(|other| other.note(program, sites)));
        notes.extend(checker.meetings_before(self, program));
        let site =
            |end: &Option<FindingEnd>| end.as_ref().map(|end| end.site(program, sites, places));
        Diagnostic {
            kind,
            panic_message: None,
            entry: entry.to_owned(),
            here: site(&self.here),
            there: site(&self.there).or_else(|| self.elsewhere.clone()),
            notes,
            count: self.count,
            trap: None,
            fix: self.fix.map(|fix| checker.fix(fix)),
            is_note: kind == DiagnosticKind::StagesFilledOnce && !checker.is_strict,
            schedule: None,
        }
    }
}

impl Checker {
    /// Adds a finding, once for each pair of instructions.
    pub(super) fn report(
        &mut self,
        kind: DiagnosticKind,
        here: FindingEnd,
        there: Option<FindingEnd>,
        notes: impl FnOnce(&Self) -> Vec<String>,
    ) -> &mut Finding {
        let second = there.as_ref().map_or(usize::MAX, |end| end.instruction);
        let finding = self.report_once(kind, here, second, notes);
        if finding.count == 1 {
            finding.there = there;
        }
        finding
    }

    /// Adds a finding, once for each instruction and number.
    pub(super) fn report_once(
        &mut self,
        kind: DiagnosticKind,
        here: FindingEnd,
        second: usize,
        notes: impl FnOnce(&Self) -> Vec<String>,
    ) -> &mut Finding {
        let key = (kind, here.instruction, second);
        let index = match self.known.get(&key) {
            Some(index) => {
                self.found[*index].count += 1;
                *index
            }
            None => {
                let notes = notes(self);
                self.keep(key, here, notes)
            }
        };
        &mut self.found[index]
    }

    /// Adds a finding with a new key and returns its index.
    fn keep(
        &mut self,
        key: (DiagnosticKind, usize, usize),
        here: FindingEnd,
        notes: Vec<String>,
    ) -> usize {
        let index = self.found.len();
        self.known.insert(key, index);
        self.found.push(Finding {
            kind: key.0,
            here: Some(here),
            there: None,
            notes,
            count: 1,
            others: Vec::new(),
            elsewhere: None,
            mbarriers: Vec::new(),
            fix: None,
        });
        index
    }

    /// Returns the noun for a copy in messages; a copy that only reads is a product of a warpgroup.
    pub(super) fn noun(&self, copy: u32) -> &'static str {
        match self.copies.get(copy as usize).map(|copy| copy.done) {
            Some(Completion::Group(GroupKind::Wgmma)) => "a product",
            _ => "a copy",
        }
    }

    /// Returns the end for an earlier access.
    pub(super) fn end_of(&self, access: Access, kind: AccessKind, range: Range) -> FindingEnd {
        let thread = match access.actor() {
            Actor::Thread(thread) | Actor::Async(thread) => thread,
            Actor::Copy { id, .. } => self.copies.get(id as usize).map_or(0, |copy| copy.issuer),
        };
        let (block, thread) = self.grid.extents.split(thread);
        let what = self.words(range);
        let what = match access.actor() {
            Actor::Thread(_) if access.made_mbarrier() => "makes an mbarrier there".to_owned(),
            Actor::Thread(_) if access.is_discard() => format!("leaves no value in {what}"),
            Actor::Thread(_) => format!("{} {what}", verb(kind)),
            Actor::Copy { .. } if access.reads_map() => {
                "issues a copy that uses the tensor map there".to_owned()
            }
            Actor::Copy { id, .. } => {
                format!("issues {} that {} {what}", self.noun(id), verb(kind))
            }
            Actor::Async(_) => format!("issues a copy that {} {what}", verb(kind)),
        };
        FindingEnd {
            block,
            thread,
            instruction: access.instruction(),
            what,
        }
    }

    /// Describes a range.
    pub(super) fn words(&self, range: Range) -> String {
        let bytes = range.bytes;
        let of = self.place(range);
        format!("{bytes} byte{} at {of}", if bytes == 1 { "" } else { "s" })
    }

    /// Describes the start of a range.
    pub(super) fn place(&self, range: Range) -> String {
        let Range {
            memory, address, ..
        } = range;
        match memory {
            Memory::Shared { block } => format!(
                "shared address {address:#x} of block {:?}{}",
                self.grid.extents.index(block as u32),
                self.shared_names.suffix(address)
            ),
            Memory::Global => format!(
                "global address {address:#x}{}",
                self.global_names.suffix(address)
            ),
            Memory::Local => format!("local address {address:#x}"),
            Memory::Const => format!("constant address {address:#x}"),
            Memory::Param => format!("offset {address:#x} of the parameters"),
        }
    }
}
