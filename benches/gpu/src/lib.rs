//! Kernels with which the measurements fill memory, check it and look at the clock. They use ordinary
//! loads and stores, and share nothing with what is measured.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

mod clock;
mod pattern;

pub use clock::clock;
pub use pattern::{check, fill};
