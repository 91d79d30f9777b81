//! The bytes that the lanes of a warp access by one instruction.

use crate::value::LANES;

/// The access of each lane, to one memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WarpAccess {
    /// Lanes with an access, a bit for each.
    pub(super) lanes: u32,
    /// The first byte of each lane.
    pub(super) addresses: [u64; LANES],
    /// Bytes of each lane.
    pub(super) bytes: [u32; LANES],
}

impl WarpAccess {
    /// Adds bytes of a lane, which join neighbours that it has already.
    pub(super) fn add(&mut self, lane: usize, address: u64, bytes: u32) {
        let lane = lane % LANES;
        let (first, length) = (&mut self.addresses[lane], &mut self.bytes[lane]);
        if self.lanes >> lane & 1 == 0 {
            self.lanes |= 1 << lane;
            (*first, *length) = (address, bytes);
        } else if address == *first + u64::from(*length) {
            *length += bytes;
        } else if address + u64::from(bytes) == *first {
            *first = address;
            *length += bytes;
        }
    }
}
