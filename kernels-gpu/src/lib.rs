//! Kernels, one file each: ports of the samples of NVIDIA's CUDA C++ Programming Guide
//! and what people port next, and such as are made to reach the limits of a GPU's memory.
//!
//! `ptx-builder` compiles the crate to PTX. For the host it compiles too, for documentation and
//! editors; calling a kernel there panics.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

pub mod add_one_1d;
pub mod add_one_bulk;
pub mod add_one_ring;
pub mod add_one_tile;
pub mod add_one_tile_ring;
pub mod consume_map;
pub mod conv_im2col;
pub mod copy_bulk;
pub mod copy_tile;
pub mod deform_attn;
// `tensormap.replace` is an instruction of single architectures.
#[cfg(not(any(
    tma_arch = "sm_90",
    tma_arch = "sm_100",
    tma_arch = "sm_103",
    tma_arch = "sm_110",
    tma_arch = "sm_120",
    tma_arch = "sm_121",
)))]
pub mod encode_map;
pub mod gather_rows;
pub mod histogram;
pub mod hwc_tile;
pub mod multicast_tile;
mod parts;
pub mod persistent_tiles;
pub mod prefetch;
pub mod prefetch_1d;
pub mod producer_consumer;
pub mod ring;
pub mod stencil;
pub mod tile_2d;
pub mod tile_gather;
pub mod transpose;
