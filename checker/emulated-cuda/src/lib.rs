//! The CUDA runtime and driver as one library with the emulator as its device. `tma exec` loads it in place of the
//! real ones, so that a program runs without a GPU and the checker observes every launch.
//!
//! Exported functions are in `runtime` and `driver`. They convert C arguments (`ffi`) and call safe methods of the
//! process's only `Context` under a single lock. A launch has finished when its call returns, so streams keep their
//! order. Device memory has addresses of the emulator that are not mapped in the host. Memory shared by both sides
//! (pinned, managed) is host memory, copied to the emulator before a launch and back afterwards.

// Loaders of other systems search for libraries differently.
#![cfg(target_os = "linux")]
// The names of exported functions are CUDA's.
#![allow(non_snake_case)]
// Printing panics if the reader of the program's output has exited, and the program must go on.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod allocations;
mod array_memory;
mod arrays;
mod attributes;
mod calls;
mod code;
mod context;
mod descriptions;
mod driver;
mod export;
mod ffi;
mod host;
mod kernels;
mod launch;
mod memory;
mod modules;
mod options;
mod registered;
mod report;
mod runtime;
mod sides;
mod stream_work;
mod textures;
mod work;
