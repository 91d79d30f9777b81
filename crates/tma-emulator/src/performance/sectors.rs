//! Sectors of global memory: units of 32 bytes. A line of the L1 cache has four.

use super::warp_access::WarpAccess;
use crate::value::lanes_of;

pub(super) const SECTOR_BYTES: u64 = 32;
const LINE_BYTES: u64 = 128;

/// The memory that one request of a warp touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sectors {
    pub(super) count: u64,
    /// Sectors of the same number of bytes without gaps.
    pub(super) ideal: u64,
    /// Lines of the L1 cache.
    pub(super) lines: u64,
}

/// Counts the sectors of an access.
pub(super) fn sectors(access: &WarpAccess) -> Sectors {
    let lanes = lanes_of(access.lanes);
    let mut ranges: Vec<(u64, u64)> = lanes
        .map(|lane| (access.addresses[lane], u64::from(access.bytes[lane])))
        .collect();
    ranges.sort();
    Sectors {
        count: units(&ranges, SECTOR_BYTES),
        ideal: units(&ranges, 1).div_ceil(SECTOR_BYTES),
        lines: units(&ranges, LINE_BYTES),
    }
}

/// Counts the units of this size that sorted ranges of addresses, each with its length, touch.
pub(super) fn units(sorted: &[(u64, u64)], unit_bytes: u64) -> u64 {
    let (mut count, mut next) = (0, 0);
    for (address, bytes) in sorted.iter().filter(|(_, bytes)| *bytes > 0) {
        let first = (address / unit_bytes).max(next);
        let end = (address + bytes - 1) / unit_bytes + 1;
        count += end.saturating_sub(first);
        next = next.max(end);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: u32, lanes: u32, address: impl Fn(u64) -> u64) -> Sectors {
        let mut access = WarpAccess::default();
        for lane in lanes_of(lanes) {
            access.add(lane, 0x7f00_0000_0000 + address(lane as u64), bytes);
        }
        sectors(&access)
    }

    fn counts(count: u64, ideal: u64, lines: u64) -> Sectors {
        Sectors {
            count,
            ideal,
            lines,
        }
    }

    #[test]
    fn strides_spread_a_request() {
        assert_eq!(of(4, u32::MAX, |lane| 128 + 4 * lane), counts(4, 4, 1));
        assert_eq!(of(4, u32::MAX, |lane| 256 + 8 * lane), counts(8, 4, 2));
        // Each lane has a sector of its own, four to a line.
        assert_eq!(of(4, u32::MAX, |lane| 32 * lane), counts(32, 4, 8));
        assert_eq!(of(4, u32::MAX, |lane| 4096 * lane), counts(32, 4, 32));
    }

    #[test]
    fn a_misaligned_start_takes_one_more() {
        assert_eq!(of(4, u32::MAX, |lane| 132 + 4 * lane), counts(5, 4, 2));
        assert_eq!(of(16, u32::MAX, |lane| 144 + 16 * lane), counts(17, 16, 5));
        // Descending lanes are as good as ascending ones.
        assert_eq!(of(4, u32::MAX, |lane| 256 - 4 * lane), counts(5, 4, 2));
    }

    #[test]
    fn lanes_share_bytes_and_sectors() {
        assert_eq!(of(4, u32::MAX, |_| 36), counts(1, 1, 1));
        assert_eq!(of(2, u32::MAX, |lane| 64 + 2 * lane), counts(2, 2, 1));
        assert_eq!(of(4, u32::MAX, |lane| 64 + lane / 2 * 4), counts(2, 2, 1));
    }

    #[test]
    fn partial_warps_need_less() {
        assert_eq!(of(4, 0x0000_00ff, |lane| 32 + 4 * lane), counts(1, 1, 1));
        assert_eq!(of(4, 0x0000_01ff, |lane| 32 + 4 * lane), counts(2, 2, 1));
        assert_eq!(of(8, 0x8000_0000, |lane| 8 * lane), counts(1, 1, 1));
        assert_eq!(of(8, 0, |lane| 8 * lane), Sectors::default());
    }

    #[test]
    fn overlaps_count_once() {
        // The second range is inside the first, and the third begins in it.
        assert_eq!(units(&[(10, 100), (20, 4), (100, 20)], 1), 110);
        assert_eq!(units(&[(10, 100), (20, 4), (100, 20)], 32), 4);
    }
}
