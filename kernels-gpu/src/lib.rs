//! Kernels, one file each: ports of the samples of NVIDIA's CUDA C++ Programming Guide
//! ([`add_one_1d`], [`prefetch_1d`], [`tile_2d`]), and such as are made to reach the limits of a
//! GPU's memory.
//!
//! `ptx-builder` compiles the crate to PTX. For the host it compiles too, for documentation and
//! editors; calling a kernel there panics.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

mod add_one_1d;
mod add_one_bulk;
mod add_one_ring;
mod add_one_tile;
mod add_one_tile_ring;
mod copy_bulk;
mod copy_tile;
mod parts;
mod prefetch_1d;
mod tile_2d;
mod tile_gather;

pub use add_one_1d::{BUF_LEN, add_one_1d};
pub use add_one_bulk::add_one_bulk;
pub use add_one_ring::{add_one_ring, add_one_ring_static};
pub use add_one_tile::add_one_tile;
pub use add_one_tile_ring::add_one_tile_ring;
pub use copy_bulk::copy_bulk;
pub use copy_tile::copy_tile;
pub use prefetch_1d::prefetch_1d;
pub use tile_2d::{SMEM_HEIGHT, SMEM_WIDTH, tile_2d, tile_2d_to};
pub use tile_gather::{tile_gather, tile_gather_lanes, tile_gather_view};
