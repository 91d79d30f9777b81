//! The elements of a matrix that the registers of a warp hold. PTX ISA 9.7.14.5.

use crate::value::{LANES, Lanes};

/// Row and column of a fragment's element in its matrix.
pub(crate) type Place = (usize, usize);

/// Returns row and K of element `i` of register `r` of A, with 8 or 16 rows and `per` elements in a register.
pub(crate) fn a(rows: usize, lane: usize, r: usize, i: usize, per: usize) -> Place {
    let (group, thread) = (lane / 4, lane % 4);
    match rows {
        8 => (group, r * 4 * per + thread * per + i),
        _ => (group + 8 * (r & 1), (r >> 1) * 4 * per + thread * per + i),
    }
}

/// Returns column and K of an element of B with 8 columns.
pub(crate) fn b(lane: usize, r: usize, i: usize, per: usize) -> Place {
    (lane / 4, r * 4 * per + lane % 4 * per + i)
}

/// Returns row and column of element `e` of C and D, with 8 or 16 rows and groups of 8 columns.
pub(crate) fn c(rows: usize, lane: usize, e: usize) -> Place {
    let (group, thread) = (lane / 4, lane % 4);
    let column = 2 * thread + (e & 1);
    match rows {
        8 => (group, 8 * (e >> 1) + column),
        _ => (group + 8 * (e >> 1 & 1), 8 * (e >> 2) + column),
    }
}

/// Returns the product of `mma.sync.m8n8k4` in half precision, out of four, that a lane belongs to.
pub(crate) const fn quad_pair(lane: usize) -> usize {
    lane / 4 % 4
}

/// Returns the place in a `quad` product of A by rows or B by columns (`along`), or the other way.
pub(crate) fn quad_factor(along: bool, lane: usize, e: usize) -> Place {
    let high = 4 * (lane / 16);
    match along {
        true => (lane % 4 + high, e),
        false => (e + high, lane % 4),
    }
}

/// Returns the place in a `quad` product of C and D.
pub(crate) fn quad_sum(bits: u32, lane: usize, e: usize) -> Place {
    let high = 4 * (lane / 16);
    match bits {
        16 => (lane % 4 + high, e),
        _ => ((lane & 1) + (e & 2) + high, (e & 4) + (lane & 2) + (e & 1)),
    }
}

/// Returns element `i` of a register, with elements of `bits` bits.
pub(crate) fn element(register: u64, i: usize, bits: u32) -> u64 {
    match bits {
        64 => register,
        _ => register >> (i as u32 * bits) & ((1 << bits) - 1),
    }
}

/// Reads a fragment into a matrix with rows of `width` elements.
pub(crate) fn gather(
    registers: &[&Lanes],
    bits: u32,
    row_elements: usize,
    matrix: &mut [u64],
    lanes: impl Fn(usize) -> bool,
    place: impl Fn(usize, usize, usize) -> Place,
) {
    let per = (32 / bits.min(32)) as usize;
    for (r, register) in registers.iter().enumerate() {
        for (lane, value) in register.iter().enumerate().filter(|(lane, _)| lanes(*lane)) {
            for i in 0..per {
                let (row, column) = place(lane, r, i);
                matrix[row * row_elements + column] = element(*value, i, bits);
            }
        }
    }
}

/// Returns register `r` of a fragment, from a matrix.
pub(crate) fn spread(
    matrix: &[u64],
    bits: u32,
    row_elements: usize,
    r: usize,
    place: impl Fn(usize, usize, usize) -> Place,
) -> Lanes {
    let per = (32 / bits.min(32)) as usize;
    std::array::from_fn::<u64, LANES, _>(|lane| {
        (0..per).fold(0, |register, i| {
            let (row, column) = place(lane, r, i);
            register | matrix[row * row_elements + column] << (i as u32 * bits)
        })
    })
}
