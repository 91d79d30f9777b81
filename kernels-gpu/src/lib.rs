//! GPU kernels, one file each: ports of the samples of NVIDIA's CUDA C++ Programming Guide, kernels that
//! users often port next, and kernels that reach the limits of a GPU's memory.
//!
//! `tma-build` compiles the crate to PTX. It also compiles for the host: there each kernel is a
//! function that makes a call of it, and a type has its arguments by name. The `launch()` of that type checks the
//! conditions of the kernel (sizes, alignment, divisibility, tile and cluster shapes), reports all broken conditions
//! together with valid values, and returns the `Launch` that a backend runs. The backend checks the conditions of
//! all launches (limits of the device, clusters, shared memory, buffers).
//!
//! ```
//! use kernels_gpu::add_one_1d::AddOne1d;
//!
//! let add_one = AddOne1d { blocks: 4, threads: 128, offset_elems: 8, ..AddOne1d::default() };
//! assert_eq!(add_one.launch().unwrap().entry, "add_one_1d");
//!
//! let refused = AddOne1d { threads: 100, offset_elems: 6, ..add_one }.launch().unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "kernel-condition: block size is 100; must be a multiple of 32 (elections need full warps); \
//!      use 96 or 128\n\
//!      kernel-condition: offset_elems is 6; must be a multiple of 4 (bulk copies start at multiples of \
//!      16 bytes); use 4 or 8"
//! );
//! ```
//!
//! Buffers are named by their index in the job, lengths and offsets are in elements.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
// A file of this folder is a kernel; shared parts are in folders.
#![allow(clippy::mod_module_files)]
// On the device one proof covers the steps of an operation.
#![allow(clippy::multiple_unsafe_ops_per_block)]

pub mod add_one_1d;
pub mod add_one_bulk;
pub mod add_one_ring;
pub mod add_one_tile;
pub mod add_one_tile_ring;
pub mod all_reduce;
// `wgmma` is an instruction of a single architecture.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub mod attention;
// See above.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub mod attention_backward;
// See above.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub mod attention_decode;
mod config;
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
// `wgmma` is an instruction of a single architecture.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub mod gemm;
// See above.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub mod gemm_fp8;
pub mod gemm_mma;
// See above.
#[cfg(any(tma_arch = "sm_90a", not(target_arch = "nvptx64")))]
pub mod gemm_step;
pub mod histogram;
pub mod hwc_tile;
pub mod layer_norm;
pub mod low_latency_exchange;
pub mod multicast_tile;
pub mod patch;
pub mod persistent_tiles;
pub mod prefetch;
pub mod prefetch_1d;
pub mod producer_consumer;
pub mod product;
pub mod reduce_scatter;
pub mod ring;
pub mod rms_norm;
pub mod rows;
pub mod softmax;
pub mod stencil;
pub mod tile_2d;
pub mod tile_gather;
pub mod transpose;
mod vectors;

#[cfg(not(target_arch = "nvptx64"))]
mod arguments;
#[cfg(not(target_arch = "nvptx64"))]
pub mod settings;

#[cfg(not(target_arch = "nvptx64"))]
pub use arguments::Matrix;
