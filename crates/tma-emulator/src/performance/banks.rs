//! Bank conflicts: the wavefronts that a warp's access to shared memory takes.
//!
//! Shared memory has 32 banks, each with every 32nd word of 4 bytes. A wavefront serves lanes that need at most one word
//! of each bank; lanes with the same word share it, atomics too. Accesses of 8 bytes a lane are served by halves of the
//! warp, those of 16 bytes, and the rows of a matrix, by quarters; by twice as many lanes if all lanes share their address
//! with a neighbour. An H100's counters agree.

use super::warp_access::WarpAccess;
use crate::value::{LANES, lanes_of};

const BANKS: usize = 32;
const WORD_BYTES: u64 = 4;

/// The wavefronts of one access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wavefronts {
    pub(super) count: u64,
    /// Wavefronts without conflicts: one for each part of the warp that has active lanes.
    pub(super) ideal: u64,
    /// Wavefronts of the slowest part.
    pub(super) ways: u64,
}

/// Counts the wavefronts of an access.
pub(super) fn wavefronts(access: &WarpAccess) -> Wavefronts {
    let widest = lanes_of(access.lanes).map(|lane| access.bytes[lane]).max();
    let together = match widest.unwrap_or(0) {
        0..=4 => LANES,
        5..=8 if shares_addresses(access) => LANES,
        5..=8 => LANES / 2,
        _ if shares_addresses(access) => LANES / 2,
        _ => LANES / 4,
    };
    let mut all = Wavefronts::default();
    for first in (0..LANES).step_by(together) {
        let part = u32::MAX >> (LANES - together) << first;
        let lanes = access.lanes & part;
        if lanes == 0 {
            continue;
        }
        let ways = ways(access, lanes);
        all.count += ways;
        all.ideal += 1;
        all.ways = all.ways.max(ways);
    }
    all
}

/// Returns whether each active lane has the address of the lane next to it, or of the one after that.
fn shares_addresses(access: &WarpAccess) -> bool {
    let shares_at = |distance: usize| {
        let mut lanes = lanes_of(access.lanes);
        lanes.all(|lane| {
            let other = lane ^ distance;
            access.lanes >> other & 1 != 0 && access.addresses[lane] == access.addresses[other]
        })
    };
    shares_at(1) || shares_at(2)
}

/// Returns the number of words that the busiest bank provides to these lanes.
fn ways(access: &WarpAccess, lanes: u32) -> u64 {
    let mut words: Vec<u64> = Vec::with_capacity(BANKS);
    for lane in lanes_of(lanes) {
        let first = access.addresses[lane];
        let last = first + u64::from(access.bytes[lane].max(1)) - 1;
        words.extend(first / WORD_BYTES..=last / WORD_BYTES);
    }
    words.sort();
    words.dedup();
    let mut banks = [0; BANKS];
    for word in words {
        banks[word as usize % BANKS] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: u32, lanes: u32, address: impl Fn(u64) -> u64) -> Wavefronts {
        let mut access = WarpAccess::default();
        for lane in lanes_of(lanes) {
            access.add(lane, address(lane as u64), bytes);
        }
        wavefronts(&access)
    }

    fn counts(count: u64, ideal: u64, ways: u64) -> Wavefronts {
        Wavefronts { count, ideal, ways }
    }

    #[test]
    fn strides_of_words_conflict_by_their_common_divisor_with_32() {
        // A warp of words at a stride of s has 32 / gcd(s, 32) banks.
        for (stride, ways) in [(1, 1), (2, 2), (3, 1), (6, 2), (8, 8), (32, 32), (33, 1)] {
            let of_stride = of(4, u32::MAX, |lane| 1028 + 4 * stride * lane);
            assert_eq!(of_stride, counts(ways, 1, ways), "stride {stride}");
        }
    }

    #[test]
    fn lanes_share_a_word() {
        assert_eq!(of(4, u32::MAX, |_| 2056), counts(1, 1, 1));
        // Bytes and halves of one word, and of 8 or 16 words.
        assert_eq!(of(1, u32::MAX, |lane| 1027 + lane), counts(1, 1, 1));
        assert_eq!(of(2, u32::MAX, |lane| 1030 + 2 * lane), counts(1, 1, 1));
        // Two words of one bank, with 16 lanes each.
        assert_eq!(of(4, u32::MAX, |lane| lane % 2 * 128), counts(2, 1, 2));
    }

    #[test]
    fn wide_accesses_go_by_halves_and_quarters() {
        assert_eq!(of(8, u32::MAX, |lane| 1032 + 8 * lane), counts(2, 2, 1));
        assert_eq!(of(16, u32::MAX, |lane| 1040 + 16 * lane), counts(4, 4, 1));
        // At 16 bytes, a half of the warp covers 64 words.
        assert_eq!(of(8, u32::MAX, |lane| 1032 + 16 * lane), counts(4, 2, 2));
        // At 128 bytes, each of 8 lanes has the same 4 banks.
        assert_eq!(of(16, u32::MAX, |lane| 1040 + 128 * lane), counts(32, 4, 8));
        // Padding by 16 bytes moves each row by 4 banks.
        assert_eq!(of(16, u32::MAX, |lane| 1040 + 144 * lane), counts(4, 4, 1));
    }

    #[test]
    fn parts_without_active_lanes_take_no_wavefront() {
        assert_eq!(of(16, 0x0000_00f0, |lane| 16 * lane), counts(1, 1, 1));
        assert_eq!(of(16, 0x8000_0001, |lane| 16 * lane), counts(2, 2, 1));
        // Lanes 16 to 31 alone, 8 bytes each at the same bank.
        assert_eq!(of(8, 0xffff_0000, |lane| 128 * lane), counts(16, 1, 16));
        assert_eq!(of(4, 0x0000_0300, |lane| 128 * lane), counts(2, 1, 2));
    }

    #[test]
    fn neighbours_with_one_address_are_served_together() {
        let pairs = |lane: u64| lane / 2 * 16;
        assert_eq!(of(16, u32::MAX, pairs), counts(2, 2, 1));
        assert_eq!(of(8, u32::MAX, |lane| lane / 2 * 8), counts(1, 1, 1));
        // Lanes 0 and 2, 1 and 3.
        let crossed = |lane: u64| 16 * (lane / 4 * 2 + lane % 2);
        assert_eq!(of(16, u32::MAX, crossed), counts(2, 2, 1));
        // One lane has an address of its own.
        let odd_one = |lane: u64| pairs(lane) + if lane == 31 { 16 } else { 0 };
        assert_eq!(of(16, u32::MAX, odd_one), counts(4, 4, 1));
        assert_eq!(of(16, u32::MAX >> 1, pairs), counts(4, 4, 1));
    }
}
