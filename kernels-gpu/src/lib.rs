//! Kernels that port the samples of NVIDIA's CUDA C++ Programming Guide, and what people port next;
//! one file each.
//!
//! `ptx-builder` compiles the crate to PTX. For the host it compiles too, for documentation and
//! editors; calling a kernel there panics.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

pub mod add_one_1d;
pub mod deform_attn;
pub mod gather_rows;
pub mod hwc_tile;
pub mod persistent_tiles;
pub mod prefetch_1d;
pub mod tile_2d;
pub mod transpose;
