//! Writes GPU kernels in Rust that move tiles with NVIDIA's Tensor Memory Accelerator (TMA). Blocks, warps, tiles,
//! barriers and pipelines are types that keep copies, phases and synchronisation in order.
//!
//! One thread of this kernel loads tiles ahead through a ring of stages, and the other warps add them up:
//!
//! ```
//! use tma::{Block, Tile, TileMap, kernel, pipeline, shared};
//!
//! /// 32 rows of 64 numbers, innermost last as Rust writes arrays.
//! type Rows = [[f32; 64]; 32];
//! const STAGES: u32 = 3;
//!
//! /// Writes the sum of each of `tiles` tiles, which are one below the other.
//! ///
//! /// # Safety
//! /// 1. `sums` has a number for each tile that no other code uses. No thread writes the tensor of `map`.
//! /// 2. Grid and blocks are one-dimensional, of whole warps; a block has at least two.
//! #[kernel(shared_bytes = pipeline::bytes::<Tile<Rows>>(STAGES, 1))]
//! pub unsafe fn sums(#[grid_constant] map: &TileMap<Rows>, sums: *mut f32, tiles: u32) {
//!     // SAFETY: every thread gets here (2), and the tensor may be read (1).
//!     let block = unsafe { Block::converged() };
//!     let pipeline = block.pipeline::<Tile<Rows>, STAGES>(shared::dynamic::<_, 128>(), 1);
//!     pipeline.split(
//!         |mut fill| {
//!             for tile in block.items(tiles) {
//!                 fill.next().load(map, [0, tile as i32 * 32]);
//!             }
//!         },
//!         |workers, mut drain| {
//!             for tile in block.items(tiles) {
//!                 let stage = drain.next();
//!                 let mut sum = 0.0;
//!                 let mut index = workers.warp().lane();
//!                 while index < 64 * 32 {
//!                     sum += stage.get(index);
//!                     index += 32;
//!                 }
//!                 stage.release();
//!                 let sum = workers.warp().reduce(sum, |a, b| a + b);
//!                 if workers.thread() == 0 {
//!                     // SAFETY: there is a number for each tile (1).
//!                     unsafe { *sums.add(tile as usize) = sum };
//!                 }
//!             }
//!         },
//!     );
//! }
//! # fn main() {}
//! ```
//!
//! The ends of the pipeline keep stage, parity and barriers, so that the kernel names none of them:
//!
//! ```text
//! producer thread   empty[0]? load 0   empty[1]? load 1   empty[2]? load 2   empty[0]? load 3  ...
//!                                  \                  \                  \
//! consumer warps              full[0]? sum 0, release  full[1]? sum 1, release  full[2]? ...
//! ```
//!
//! # Layers
//!
//! [`ptx`] has a function for each instruction form, named as in the PTX manual. The types are built on it:
//!
//! | for | types |
//! | --- | --- |
//! | threads that synchronise and exchange values | [`Block`], [`Warp`], [`Warps`], [`Warpgroup`], [`Cluster`] |
//! | tiles, with shape and swizzle in the type | [`Tile`], [`TileMap`], [`SharedTile`], [`SharedBuffer`] |
//! | stages between a producer and consumers | [`Pipeline`], [`Ring`] |
//! | results that are stored while the next are written | [`Outputs`], [`Stores`], [`DeferredStores`] |
//! | products on tensor cores | [`Matrix`], [`Accumulator`], [`WarpSums`] |
//! | phases, and loads that count their bytes | [`Barrier`], [`Token`], [`Transaction`] |
//! | parameters in global memory | [`GlobalRef`], [`GlobalMut`], [`memory`], [`atomic`] |
//! | syntax that Rust lacks | [`kernel`], [`shared!`], [`constant!`] |
//! | numbers | [`math`], [`halves`], [`float8`], [`integer`] |
//!
//! A kernel makes its [`Block`] by one `unsafe` call. The numbered conditions of that call cover the safe methods.
//!
//! # Kernel crates
//!
//! A kernel crate is `no_std` and enables two compiler features on the device:
//!
//! ```
//! #![no_std]
//! #![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
//! # extern crate std;
//! use tma::{kernel, thread};
//!
//! /// Multiplies `len` numbers by `factor`.
//! ///
//! /// # Safety
//! /// 1. `data` points to `len` numbers that only this kernel uses while it runs.
//! #[kernel(max_threads = 256)]
//! pub unsafe fn scale(data: *mut f32, len: u32, factor: f32) {
//!     let index = thread::block_idx().x * thread::block_dim().x + thread::thread_idx().x;
//!     if index < len {
//!         // SAFETY: the index is in bounds (1) and no other thread has it.
//!         unsafe { *data.add(index as usize) *= factor };
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! `tma-build` compiles the crate to PTX. In a build of the profile `dev`, or with its `debug_assertions(true)`, the
//! types check alignment, sizes and counts at run time, and a kernel that breaks a condition panics. Other builds have
//! no such checks.
//!
//! The crate also compiles for the host, so that documentation, lints and editors work; every device function then
//! panics. On the host a kernel is a function that makes a call of it. Arguments that do not fit the parameters do
//! not compile:
//!
//! ```
//! # #[tma::kernel(max_threads = 256)]
//! # unsafe fn scale(_data: *mut f32, _len: u32, _factor: f32) {}
//! use tma_launch::{BufferRef, Shape};
//!
//! let call = scale(BufferRef::new(0), 1000, 2.5);
//! let launch = call.launch(Shape::new(4, 256)).unwrap();
//! assert_eq!((launch.entry.as_str(), launch.arguments.len()), ("scale", 3));
//! ```
//!
//! # Panics
//!
//! A kernel that panics stops, as by `trap`. On the emulator and through the crate `tma-host` the error begins with the
//! line and the message: `index out of bounds: the len is 4 but the index is 7`. Only the first thread that panics is
//! reported.
//!
//! The host formats the message, so that a panic takes few registers. Numbers, `bool`, `char`, `str` and references to
//! them are shown as Rust shows them. Values of other types, and the message of `assert_eq!`, are shown as `…`.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(
        abi_unadjusted,
        asm_experimental_arch,
        core_intrinsics,
        f16,
        link_llvm_intrinsics,
        optimize_attribute,
        rustc_attrs,
        stdarch_nvptx
    )
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]
// Under rust-cuda there is no panic handler, and `cuda_builder` adds `no_std` to every crate.
#![cfg_attr(
    target_feature = "compute_60",
    allow(unused_attributes, unused_features)
)]

#[cfg(not(target_arch = "nvptx64"))]
extern crate std;

// libNVVM's older dialect loses barriers of clusters and `setmaxnreg` without a message.
#[cfg(all(target_feature = "compute_60", not(target_feature = "compute_100")))]
compile_error!(
    "`tma` under rust-cuda must be built for `NvvmArch::Compute100` or later, with the feature `llvm19`; for an H100 \
     or H200 build for `Compute100` and finish the PTX by `tma finish --arch sm_90a`"
);

// The macros name the crate by its name.
extern crate self as tma;
#[macro_use(device_fn)]
extern crate tma_macros;

// The floors, each of which imports only from those before it:
// sealed < ptx < number < memory < group < barrier < tile < matrix < pipeline < kernel
mod barrier;
mod group;
mod kernel;
pub mod matrix;
pub mod memory;
mod number;
pub mod pipeline;
pub mod ptx;
pub mod tile;

pub use barrier::{Barrier, BarrierArray, Loading, NewBarrier, Token, Transaction, ring};
pub use group::{Block, Lanes, Threads, Warpgroup, Warps, cluster, thread, warp};
pub use kernel::{
    global,
    kernel_arg::{GridConstantArg, KernelArg},
};
pub use matrix::{
    Matrix,
    accumulator::{Accumulator, Batch, Columns, Epilogue, InFlight},
    fragment::{Fragment, Steps},
    rows::Rows,
    split_sums::{SplitSums, split_sums_bytes},
    warp_sums::{WarpColumns, WarpFragment, WarpRows, WarpSums},
};
#[doc(inline)]
pub use memory::{atomic, shared};
pub use number::{float8, halves, integer, math};
pub use pipeline::{Pipeline, deferred_stores::DeferredStores};
pub use ptx::operand::{address, value};
pub use tensor_map::TensorMap;
pub use tile::{
    Rank, Swizzle32, Swizzle64, Swizzle128, Tile, TileArray, TileMap, Unswizzled,
    counts::Counts,
    outputs::{OutputTile, Outputs},
    shared_buffer::{LoadingBuffer, SharedBuffer},
    shared_tile::{LoadingTile, SharedTile},
    stores::{BulkGroup, Stores},
};
pub use tma_macros::{KernelArg, constant, kernel, println, shared};

// Documented in their modules.
#[doc(no_inline)]
pub use self::{
    address::{ClusterPtr, GlobalPtr},
    cluster::Cluster,
    global::{Counter, GlobalMut, GlobalRef, PerBlock, PerGrid, PerThread},
    ring::Ring,
    shared::SharedPtr,
    warp::Warp,
};

#[doc(hidden)]
pub use kernel::{expansion as __private, print};

/// A trait that no other crate can implement.
mod sealed {
    pub trait Sealed {}

    /// Arrays of numbers of 32 bits.
    pub trait Array {}
    impl<const N: usize> Array for [f32; N] {}
    impl<const N: usize> Array for [i32; N] {}
    impl<const N: usize> Array for [u32; N] {}
}
