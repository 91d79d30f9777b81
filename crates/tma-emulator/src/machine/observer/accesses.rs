//! The accesses of a warp by one instruction.

use super::{AccessKind, Event, Memory, OrdinaryAccess, Origin, Proxy, Range, Scope, Sem};
use crate::value::{LANES, lanes_of};

/// Weak accesses of lanes of a warp by one instruction, to one memory and with the same size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// Kind of all accesses: read, write, or atomic.
    pub kind: AccessKind,
    /// Proxy by which all accesses are made.
    pub proxy: Proxy,
    /// The scope that the instruction names.
    pub scope: Scope,
    /// Memory that contains all accessed bytes.
    pub memory: Memory,
    /// Bytes of each access, which is aligned to them.
    pub bytes: u32,
    /// The lanes that access it, a bit for each.
    pub lanes: u32,
    /// The first byte that each lane accesses.
    pub addresses: [u64; LANES],
    /// Changed bytes of each lane, as in [`OrdinaryAccess::changed`].
    pub changed: [u32; LANES],
}

impl Accesses {
    /// Returns the access of one lane and its origin, given the origin of the warp's first lane.
    #[inline]
    pub fn of(&self, origin: Origin, lane: usize) -> (Origin, OrdinaryAccess) {
        let origin = Origin {
            thread: origin.thread + lane as u32,
            ..origin
        };
        let range = Range {
            memory: self.memory,
            address: self.addresses[lane],
            bytes: self.bytes,
        };
        let access = OrdinaryAccess {
            kind: self.kind,
            sem: Sem::Weak,
            scope: self.scope,
            range,
            changed: self.changed[lane],
        };
        (origin, access)
    }

    /// Calls `see` for each lane and returns its results by lane.
    pub(super) fn each(
        &self,
        origin: Origin,
        mut see: impl FnMut(Origin, OrdinaryAccess) -> u32,
    ) -> [u32; LANES] {
        let mut all = [0; LANES];
        for lane in lanes_of(self.lanes) {
            let (origin, access) = self.of(origin, lane);
            all[lane] = see(origin, access);
        }
        all
    }
}

impl OrdinaryAccess {
    /// Returns the access as an event in a proxy.
    pub(super) fn event(self, proxy: Proxy) -> Event {
        let Self {
            kind,
            sem,
            scope,
            range,
            changed: _,
        } = self;
        Event::Access {
            proxy,
            kind,
            sem,
            scope,
            range,
            copy: None,
        }
    }
}

impl Range {
    /// Returns whether both contain a byte.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.memory == other.memory
            && self.address < other.address + u64::from(other.bytes)
            && other.address < self.address + u64::from(self.bytes)
    }
}
