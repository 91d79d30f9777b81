//! Registers with values read from uninitialised memory.

use std::collections::BTreeMap;

use super::{
    Slot, Step, Warp,
    observer::{Event, Used},
};
use crate::value::{Lanes, lanes_of};

/// Registers of a warp with uninitialised values, each with its lanes and the instruction that read the value
/// of one of them. Allocated only while there are any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unwritten(BTreeMap<usize, (u32, usize)>);

impl Warp {
    /// Returns the uninitialised lanes of a register, counted from the first frame on, and the instruction that
    /// read them.
    pub(crate) fn unwritten(&self, register: usize) -> (u32, usize) {
        let found = self.unwritten.as_ref().and_then(|it| it.0.get(&register));
        found.copied().unwrap_or_default()
    }

    /// Marks exactly `lanes` of the lanes in `mask` as uninitialised.
    pub(crate) fn set_unwritten(&mut self, register: usize, mask: u32, lanes: u32, read: usize) {
        let (before, by) = self.unwritten(register);
        let now = before & !mask | lanes & mask;
        if now == before {
            return;
        }
        let all = &mut self.unwritten.get_or_insert_default().0;
        match now {
            0 => all.remove(&register),
            _ => all.insert(register, (now, if lanes & mask == 0 { by } else { read })),
        };
        if all.is_empty() {
            self.unwritten = None;
        }
    }

    /// Returns the values of these registers.
    pub(crate) fn unwritten_values(&self) -> Vec<(usize, Lanes)> {
        let registers = self.unwritten.iter().flat_map(|it| it.0.keys());
        registers
            .filter_map(|register| Some((*register, *self.registers.get(*register)?)))
            .collect()
    }

    /// Clears registers that were written since `before`, and all registers from `end` on, where the frame
    /// ends.
    pub(crate) fn forget_unwritten(&mut self, before: &[(usize, Lanes)], end: usize) {
        for (register, values) in before {
            let now = &self.registers[*register];
            let changed = (0..values.len()).filter(|lane| now[*lane] != values[*lane]);
            let changed = changed.fold(0, |mask, lane| mask | 1 << lane);
            let gone = if *register < end { changed } else { u32::MAX };
            self.set_unwritten(*register, gone, 0, 0);
        }
    }
}

impl<A> Step<'_, A> {
    /// Returns the lanes of a slot with an uninitialised value, and the instruction that read it.
    pub(crate) fn unwritten(&self, slot: Slot) -> (u32, usize) {
        self.warp.unwritten(self.group.base + slot)
    }

    /// Marks the lanes in `lanes` of a slot as uninitialised by their sources, and those in `doubtful` as
    /// perhaps uninitialised.
    pub(crate) fn spread(&mut self, d: Slot, sources: &[Slot], lanes: u32, doubtful: (u32, usize)) {
        let from = sources.iter().map(|slot| self.unwritten(*slot));
        let read = from.chain([doubtful]).find(|(lanes, _)| *lanes != 0);
        let read = read.map_or(0, |(_, read)| read);
        let (mask, lanes) = (self.active | doubtful.0, lanes | doubtful.0);
        let register = self.group.base + d;
        self.warp.set_unwritten(register, mask, lanes, read);
    }

    /// Reports that any uninitialised value may be used.
    pub(crate) fn lose_unwritten(&mut self) {
        let all = self.warp.unwritten.iter().flat_map(|it| it.0.values());
        let there: Vec<_> = all
            .filter(|(lanes, _)| lanes & self.active != 0)
            .copied()
            .collect();
        for (lanes, read) in there {
            let lane = (lanes & self.active).trailing_zeros() as usize;
            let used = Used::Unknown;
            self.tell(lane, |_| Event::UnwrittenUse { read, used });
        }
    }

    /// Reports lanes that use an uninitialised value; from then on the value counts as written.
    pub(crate) fn use_unwritten(&mut self, slot: Slot, lanes: u32, used: Used) {
        let (found, read) = self.unwritten(slot);
        for lane in lanes_of(found & lanes) {
            self.tell(lane, |_| Event::UnwrittenUse { read, used });
        }
        let register = self.group.base + slot;
        self.warp.set_unwritten(register, found & lanes, 0, 0);
    }
}
