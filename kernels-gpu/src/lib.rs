//! Kernels that port the samples of NVIDIA's CUDA C++ Programming Guide, one file each.
//!
//! `ptx-builder` compiles the crate to PTX. For the host it compiles too, for documentation and
//! editors; calling a kernel there panics.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

mod add_one_1d;
mod gather_rows;
mod hwc_tile;
mod persistent_tiles;
mod prefetch_1d;
mod tile_2d;
mod transpose;

pub use add_one_1d::{BUF_LEN, add_one_1d, add_one_1d_raw, add_one_1d_tx};
pub use gather_rows::gather_rows;
pub use hwc_tile::{hwc_tile, hwc_tile_lanes};
pub use persistent_tiles::persistent_tiles;
pub use prefetch_1d::prefetch_1d;
pub use tile_2d::{
    SMEM_HEIGHT, SMEM_WIDTH, TILE_2D_MAP, tile_2d, tile_2d_constant, tile_2d_global, tile_2d_to,
};
pub use transpose::transpose;
