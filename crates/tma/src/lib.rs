//! The Tensor Memory Accelerator for GPU kernels written in Rust.
//!
//! Two layers. [`ptx`] has functions for the instruction forms, named as in the PTX manual.
//! Above it stand types that keep a kernel in order. A kernel makes a [`Block`] by one `unsafe` call, and
//! from there on goes by safe methods: [`Warp`], [`Warps`] and [`Cluster`] synchronise and exchange values;
//! a [`Tile`] has its shape and swizzle in its type, as has the [`TileMap`] through which it is loaded; a
//! [`Pipeline`] has an end that fills and one that drains, and [`Outputs`] are stored while the next are
//! written. What these are made of is there as well: [`Barrier`] with its [`Token`]s, a [`Transaction`] of
//! loads that counts its bytes, [`Stores`] that are waited for, a [`Ring`] of stages; [`GlobalRef`] and [`GlobalMut`]
//! for parameters in global memory, [`SharedPtr`] for this
//! block's shared memory, [`kernel`], [`shared!`] and [`constant!`] for what Rust has no syntax for. Beside them
//! are [`math`] for numbers, [`halves`], [`float8`] and [`integer`] for those that Rust has no methods for, [`memory`] and
//! [`atomic`] for what kernels share.
//!
//! A kernel crate is `no_std` and asks for two compiler features on the device:
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
//! `tma-build` compiles it to PTX. In a build of the profile `dev`, or with its `debug_assertions(true)`,
//! the types check at run time what they can of the conditions: alignment, sizes, counts; a kernel that
//! breaks one panics. Otherwise that costs nothing. For the host the crate compiles too, with every device
//! function replaced by one that panics, so that documentation, lints and editors work. A kernel is
//! there a function that makes a call of it, and what does not fit its parameters does not compile:
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
//! A kernel that panics stops, as by `trap`. On the emulator and through the crate `tma-host` the error leads
//! with the line and the message: `index out of bounds: the len is 4 but the index is 7`. Only the first
//! thread to panic is heard. The message is formatted by the host, so that a panic takes few registers:
//! numbers, `bool`, `char`, `str` and references to them are shown as Rust shows them, values of other
//! types as `…`, and so is the message that `assert_eq!` is given.
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

#[cfg(not(target_arch = "nvptx64"))]
extern crate std;

// The macros name the crate by its name.
extern crate self as tma;

#[macro_use]
mod device_fn;
#[macro_use]
mod gate;
#[macro_use]
mod positions;

mod accumulator;
pub mod address;
pub mod atomic;
mod barrier;
mod block;
pub mod cluster;
mod counts;
mod deferred_stores;
pub mod float8;
mod fragment;
pub mod global;
pub mod halves;
pub mod integer;
mod intrinsics;
mod kernel_arg;
mod lanes;
pub mod math;
pub mod matrix;
pub mod memory;
mod modifier;
mod outputs;
#[cfg(target_arch = "nvptx64")]
mod panic;
pub mod pipeline;
#[doc(hidden)]
pub mod print;
pub mod ptx;
pub mod ring;
mod roles;
mod rows;
pub mod shared;
mod shared_buffer;
mod shared_tile;
mod split_sums;
mod stamps;
mod stores;
pub mod thread;
pub mod tile;
mod transaction;
pub mod value;
pub mod warp;
mod warp_sums;
mod warpgroup;
mod warps;

pub use accumulator::{Accumulator, Batch, Columns, Finish, InFlight};
pub use address::{ClusterPtr, GlobalPtr};
pub use barrier::{Barrier, NewBarrier, Token};
pub use block::{BarrierArray, Block, Loading, Threads};
pub use cluster::Cluster;
pub use counts::Counts;
pub use deferred_stores::DeferredStores;
pub use fragment::{Fragment, Steps};
pub use global::{Counter, GlobalMut, GlobalRef, PerBlock, PerGrid, PerThread};
pub use kernel_arg::{GridConstantArg, KernelArg};
pub use lanes::Lanes;
pub use matrix::Matrix;
pub use outputs::{OutputTile, Outputs};
pub use pipeline::Pipeline;
pub use ring::Ring;
pub use rows::Rows;
pub use shared::SharedPtr;
pub use shared_buffer::{LoadingBuffer, SharedBuffer};
pub use shared_tile::{LoadingTile, SharedTile};
pub use split_sums::{SplitSums, split_sums_bytes};
pub use stores::{Group, Stores};
pub use tensor_map::TensorMap;
pub use tile::{Rank, Swizzle32, Swizzle64, Swizzle128, Tile, TileArray, TileMap, Unswizzled};
pub use tma_macros::{KernelArg, constant, kernel, println, shared};
pub use transaction::Transaction;
pub use warp::Warp;
pub use warp_sums::{WarpColumns, WarpFragment, WarpRows, WarpSums};
pub use warpgroup::Warpgroup;
pub use warps::Warps;

#[doc(hidden)]
pub mod __private;

/// A trait that no other crate can implement.
mod sealed {
    pub trait Sealed {}

    /// Arrays of numbers of 32 bits.
    pub trait Array {}
    impl<const N: usize> Array for [f32; N] {}
    impl<const N: usize> Array for [i32; N] {}
    impl<const N: usize> Array for [u32; N] {}
}
