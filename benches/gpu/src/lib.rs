//! Helper kernels that fill memory, check it and read the clock. They use ordinary loads and stores, and share no
//! code with the measured kernels.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
// On the device one proof covers the steps of an operation.
#![allow(clippy::multiple_unsafe_ops_per_block)]

mod again;
mod clock;
mod latency;
mod pattern;

pub use again::read_again;
pub use clock::clock;
pub use latency::{box_latency, load_latency, replace_latency, ring_latency};
pub use pattern::{check, fill};
