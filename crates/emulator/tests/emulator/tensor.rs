//! Tensor cores against what an H200 computed, bit for bit.

mod mma;
mod samples;
