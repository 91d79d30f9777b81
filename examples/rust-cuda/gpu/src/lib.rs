//! The kernels, compiled to PTX by rust-cuda. For the host they compile too, with the shapes that both sides share.
// `cuda_builder` adds this attribute for the device.
#![cfg_attr(not(target_arch = "nvptx64"), no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

// The panic handler and the allocator come from `cuda_std`.
#[cfg(target_arch = "nvptx64")]
extern crate cuda_std;

mod pipelined;
#[cfg(target_arch = "nvptx64")]
mod scale_1d;
mod scale_2d;

pub use pipelined::Numbers;
pub use scale_2d::Rows;

/// Numbers that a block of `scale_1d` scales.
pub const BLOCK_LEN: u32 = 1024;

/// Stages of `sum_pipelined` in shared memory.
pub const STAGES: u32 = 3;

/// Bytes of dynamic shared memory of `sum_pipelined`.
pub const PIPELINE_BYTES: u32 = tma::pipeline::bytes::<tma::Tile<Numbers>>(STAGES, 1) as u32;
