//! Loads and stores by all lanes of a warp at once, where one piece of memory has them all.

use crate::value::{LANES, Lanes, lanes_of};

/// Offset in the memory at which the access of each lane starts.
pub(super) type Starts = [usize; LANES];

/// Returns the starts for accesses of `size` bytes, a power of two, to memory of this length with the address
/// `first`. Inactive lanes get the start of an active one. Returns `None` if an active lane accesses other
/// memory or is not aligned.
#[inline]
pub(super) fn starts(
    addresses: &Lanes,
    active: u32,
    first: u64,
    length: usize,
    size: usize,
) -> Option<Starts> {
    let last = length.checked_sub(size)? as u64;
    let one = addresses[active.trailing_zeros() as usize % LANES];
    let mut starts = [0; LANES];
    let mut are_there = true;
    for (lane, (start, at)) in starts.iter_mut().zip(addresses).enumerate() {
        let at = match active >> lane & 1 {
            0 => one,
            _ => *at,
        };
        let from = at.wrapping_sub(first);
        are_there &= from <= last && at & (size as u64 - 1) == 0;
        *start = from as usize;
    }
    are_there.then_some(starts)
}

/// Loads the element of each lane that is `at` bytes after its start.
pub(super) fn load(bytes: &[u8], starts: &Starts, at: usize, element_bytes: usize) -> Lanes {
    match element_bytes {
        1 => load_of::<1>(bytes, starts, at),
        2 => load_of::<2>(bytes, starts, at),
        4 => load_of::<4>(bytes, starts, at),
        _ => load_of::<8>(bytes, starts, at),
    }
}

fn load_of<const N: usize>(bytes: &[u8], starts: &Starts, at: usize) -> Lanes {
    let mut values = [0; LANES];
    for (value, start) in values.iter_mut().zip(starts) {
        if let Some(element) = bytes.get(start + at..start + at + N) {
            *value = crate::value::read(element);
        }
    }
    values
}

/// Writes an element of each active lane, one lane after another. Sets a bit of the lane for each of its bytes
/// that changes.
pub(super) fn store(
    bytes: &mut [u8],
    starts: &Starts,
    at: usize,
    element_bytes: usize,
    (values, active): (&Lanes, u32),
    changed: &mut [u32; LANES],
) {
    let of = match element_bytes {
        1 => store_of::<1>,
        2 => store_of::<2>,
        4 => store_of::<4>,
        _ => store_of::<8>,
    };
    of(bytes, starts, at, (values, active), changed);
}

fn store_of<const N: usize>(
    bytes: &mut [u8],
    starts: &Starts,
    at: usize,
    (values, active): (&Lanes, u32),
    changed: &mut [u32; LANES],
) {
    for lane in lanes_of(active) {
        let start = starts[lane] + at;
        if let Some(element) = bytes.get_mut(start..start + N) {
            changed[lane] |= differing(crate::value::read(element) ^ values[lane], N) << at;
            crate::value::write(element, values[lane]);
        }
    }
}

/// Returns the bytes that contain a set bit, out of `size` bytes.
#[inline]
pub(super) fn differing(bits: u64, size: usize) -> u32 {
    if bits == 0 {
        return 0;
    }
    let of = |byte: usize| u32::from(bits >> (8 * byte) & 0xff != 0) << byte;
    (0..size).map(of).sum()
}
