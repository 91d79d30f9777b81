//! Arithmetic on the registers of a frame.

use super::Slot;
use crate::value::{Binary, Lanes, Ternary, Unary, blend};

/// An operation that only reads and writes registers.
#[derive(Clone, Debug)]
pub(crate) enum Alu {
    Unary {
        f: Unary,
        d: Slot,
        a: Slot,
    },
    Binary {
        f: Binary,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ternary {
        f: Ternary,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    /// Like `Ternary`, with `.cc` in and out.
    Carry {
        f: WithCarry,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
        carry: Slot,
        writes: bool,
    },
    /// Copies, all at once: destination and source.
    Copy(Box<[(Slot, Slot)]>),
    /// Joins parts of `bits` bits, the lowest first.
    Pack {
        d: Slot,
        parts: Box<[Slot]>,
        bits: u32,
    },
    /// Splits a value into parts.
    Unpack {
        parts: Box<[Slot]>,
        a: Slot,
        bits: u32,
    },
}

/// `(d, carry) = f(a, b, c, carry)`.
pub(crate) type WithCarry = fn(&Lanes, &Lanes, &Lanes, &Lanes) -> (Lanes, Lanes);

impl Alu {
    #[inline]
    pub(crate) fn compute(&self, frame: &mut [Lanes], mask: u32) {
        match self {
            Self::Unary { f, d, a } => {
                let result = f(&frame[*a]);
                blend(&mut frame[*d], &result, mask);
            }
            Self::Binary { f, d, a, b } => {
                let result = f(&frame[*a], &frame[*b]);
                blend(&mut frame[*d], &result, mask);
            }
            Self::Ternary { f, d, a, b, c } => {
                let result = f(&frame[*a], &frame[*b], &frame[*c]);
                blend(&mut frame[*d], &result, mask);
            }
            Self::Carry {
                f,
                d,
                a,
                b,
                c,
                carry,
                writes,
            } => {
                let (result, out) = f(&frame[*a], &frame[*b], &frame[*c], &frame[*carry]);
                blend(&mut frame[*d], &result, mask);
                if *writes {
                    blend(&mut frame[*carry], &out, mask);
                }
            }
            Self::Copy(copies) => {
                if let [(d, a)] = **copies {
                    let value = frame[a];
                    return blend(&mut frame[d], &value, mask);
                }
                let values: Vec<_> = copies.iter().map(|(_, a)| frame[*a]).collect();
                for ((d, _), value) in copies.iter().zip(&values) {
                    blend(&mut frame[*d], value, mask);
                }
            }
            Self::Pack { d, parts, bits } => {
                let low = u64::MAX >> (64 - bits);
                let mut value: Lanes = [0; 32];
                for (index, part) in (0..).zip(parts.iter()) {
                    for (value, part) in value.iter_mut().zip(&frame[*part]) {
                        *value |= (part & low) << (bits * index);
                    }
                }
                blend(&mut frame[*d], &value, mask);
            }
            Self::Unpack { parts, a, bits } => {
                let (low, value) = (u64::MAX >> (64 - bits), frame[*a]);
                for (index, part) in (0..).zip(parts.iter()) {
                    let part_value = value.map(|value| (value >> (bits * index)) & low);
                    blend(&mut frame[*part], &part_value, mask);
                }
            }
        }
    }
}
