//! The CUDA runtime and driver as one library, whose device is the emulator: `tma exec` puts it before the real ones,
//! so that a program runs without a GPU, and the checker watches every launch.
//!
//! Exported functions are in `runtime` and `driver`. They take apart what C gives them (`ffi`) and call the safe methods
//! of the one `Context` of the process, behind one lock: a launch is over when its call returns, and so streams keep
//! their order. Memory of the device has addresses of the emulator, at which the host has nothing; memory that both
//! sides use (pinned, managed) is the host's own, which the emulator gets before a launch and gives back after it.

// Loaders of other systems find libraries in other ways.
#![cfg(target_os = "linux")]
// The names of exported functions are CUDA's.
#![allow(non_snake_case)]
// They panic where nobody reads the output of the program, which goes on then.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod arrays;
mod attributes;
mod calls;
mod code;
mod context;
mod driver;
mod ffi;
mod host;
mod kernels;
mod launch;
mod memory;
mod modules;
mod options;
mod report;
mod runtime;
mod sides;
mod textures;
mod work;
