//! Kernels that show, one by one, what the device library does; the cases are in `tests`.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

mod by_value;
mod clusters;
mod lanes;
mod messages;
mod parameters;
mod places;
mod shared_memory;
mod typed;

pub use by_value::{Bits, Fields, Inner, by_value};
pub use clusters::{cluster_at_launch, cluster_of_two, cluster_places};
pub use lanes::{half_barriers, lanes};
pub use messages::{panics, prints};
pub use parameters::{parameters, trap};
pub use places::places;
pub use shared_memory::*;
pub use typed::*;
