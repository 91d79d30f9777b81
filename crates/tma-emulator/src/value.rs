//! Values of registers and memory, and their arithmetic, independent of the machine.

mod bytes;
mod float;
mod lanes;
mod reduction;
mod rounding;

pub(crate) use bytes::{read, write};
pub(crate) use float::Float;
pub(crate) use lanes::{
    Binary, Bits, LANES, Lanes, Ternary, Unary, blend, for_type, lane_names, lanes_of, lift,
};
pub(crate) use reduction::{Operator, Reduction};
pub(crate) use rounding::{
    Rounding, decompose, encode, format, nearest, round_to_integer, round_to_tf32,
};
