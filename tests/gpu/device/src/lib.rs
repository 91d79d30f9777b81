//! Kernels that show one feature of the device library each; the cases are in `tests`.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
// On the device one proof covers the steps of an operation.
#![allow(clippy::multiple_unsafe_ops_per_block)]

mod by_value;
mod clusters;
// `wgmma` is an instruction of a single architecture.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
mod fragments;
mod from_rust_cuda;
mod groups;
mod halves;
mod indices;
mod lanes;
mod math;
mod messages;
mod multicast;
mod parameters;
mod pipelines;
mod shared_memory;
mod tiles;
mod typed;
mod typed_tiles;
mod values;
mod vectors;

pub use by_value::{Bits, Fields, Inner, by_value};
pub use clusters::{cluster_at_launch, cluster_indices, cluster_of_two};
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub use fragments::*;
pub use from_rust_cuda::*;
pub use groups::*;
pub use halves::*;
pub use indices::indices;
pub use lanes::{half_barriers, lanes};
pub use math::*;
pub use messages::{panics, prints};
pub use multicast::*;
pub use parameters::{parameters, trap};
pub use pipelines::*;
pub use shared_memory::*;
pub use tiles::*;
pub use typed::*;
pub use typed_tiles::*;
pub use values::*;
pub use vectors::*;
