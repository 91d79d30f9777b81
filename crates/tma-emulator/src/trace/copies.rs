//! Copies in flight.

use std::collections::BTreeMap;

use super::json::{Json, Track};
use crate::machine::{
    Program,
    observer::{AccessKind, CopyCompletion, CopyId, Memory},
};

/// The copies of a launch that are not complete.
#[derive(Debug)]
pub(super) struct Copies {
    /// Copies of other launches have other names.
    launch: u64,
    copies: BTreeMap<CopyId, Copy>,
}

#[derive(Debug)]
struct Copy {
    instruction: usize,
    bytes: u32,
    completion: CopyCompletion,
    issued: (Track, u64),
    from: Option<&'static str>,
    to: Option<&'static str>,
    read: Option<u64>,
    done: Option<u64>,
    /// The mbarrier that has counted all of its bytes, and when.
    counted: Option<(Track, u64)>,
}

impl Copies {
    pub(super) fn new(launch: u64) -> Self {
        Self {
            launch,
            copies: BTreeMap::new(),
        }
    }

    pub(super) fn issue(
        &mut self,
        copy: CopyId,
        issued: (Track, u64),
        instruction: usize,
        (completion, bytes): (CopyCompletion, u32),
    ) {
        let copy_of = Copy {
            instruction,
            bytes,
            completion,
            issued,
            from: None,
            to: None,
            read: None,
            done: None,
            counted: None,
        };
        self.copies.insert(copy, copy_of);
    }

    /// Adds the source or the destination of a copy.
    pub(super) fn plan(&mut self, copy: CopyId, kind: AccessKind, memory: Memory) {
        let Some(copy) = self.copies.get_mut(&copy) else {
            return;
        };
        let name = match memory {
            Memory::Global => "global",
            Memory::Shared { .. } => "shared",
            _ => return,
        };
        match kind {
            AccessKind::Read => copy.from = Some(name),
            AccessKind::Write | AccessKind::Atomic => copy.to = Some(name),
        }
    }

    pub(super) fn read(&mut self, copy: CopyId, now: u64) {
        if let Some(copy) = self.copies.get_mut(&copy) {
            copy.read = Some(now);
        }
    }

    pub(super) fn done(&mut self, json: &mut Json, id: CopyId, now: u64, program: &Program) {
        let Some(copy) = self.copies.get_mut(&id) else {
            return;
        };
        copy.done = Some(now);
        // The barrier counts the last bytes right after.
        if !matches!(copy.completion, CopyCompletion::Mbarrier(_)) {
            self.end(json, id, now, program);
        }
    }

    /// Records that an mbarrier has counted bytes of the copy.
    pub(super) fn counted(
        &mut self,
        json: &mut Json,
        id: CopyId,
        (barrier, now): (Track, u64),
        program: &Program,
    ) {
        let Some(copy) = self.copies.get_mut(&id) else {
            return;
        };
        copy.counted = Some((barrier, now));
        if copy.done.is_some() {
            self.end(json, id, now, program);
        }
    }

    fn end(&mut self, json: &mut Json, id: CopyId, now: u64, program: &Program) {
        let Some(copy) = self.copies.remove(&id) else {
            return;
        };
        let Copy {
            bytes,
            issued: (track, issued),
            ..
        } = copy;
        let name = match (copy.from, copy.to) {
            (Some(from), Some(to)) => format!("{bytes} bytes, {from} to {to}"),
            _ => format!("{bytes} bytes"),
        };
        let location = super::location(program, copy.instruction);
        let state = match copy.done {
            Some(_) => String::new(),
            None => ",\"state\":\"not complete\"".to_owned(),
        };
        let completion = match copy.completion {
            CopyCompletion::Mbarrier(range) => format!("mbarrier at {:#x}", range.address),
            CopyCompletion::Group(_, group) => format!("group {group} of its thread"),
            CopyCompletion::Nothing => "completion is not observable".to_owned(),
        };
        let completion = super::json::quoted(&completion);
        let args = format!("{location},\"copy\":{id},\"completion\":{completion}{state}");
        let id = format!("{}.{id}", self.launch);
        let of = (id.as_str(), track);
        json.asynchronous('b', of, issued, (&name, &args));
        if let Some(read) = copy.read {
            json.asynchronous('n', of, read, ("source is read", ""));
        }
        json.asynchronous('e', of, copy.done.unwrap_or(now), (&name, ""));
        if let (Some(counted), Some(_)) = (copy.counted, copy.done) {
            json.arrow(&id, copy.issued, counted);
        }
    }

    /// Closes all copies.
    pub(super) fn close(mut self, json: &mut Json, now: u64, program: &Program) {
        while let Some((id, _)) = self.copies.first_key_value() {
            self.end(json, *id, now, program);
        }
    }
}
