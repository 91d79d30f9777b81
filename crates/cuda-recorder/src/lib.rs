//! A library between a program and the CUDA driver. `tma record` puts it before the driver, under the driver's name, and
//! each launch of a kernel becomes an archive: its PTX, its arguments, the memory that it can reach before and after.
//!
//! Every exported function calls the driver's function of the same name and takes note of what it did (`hooks`). What
//! the program gets from the driver is never changed, and what cannot be recorded is passed through and named. Unsafe
//! code is in `hooks`, `arguments`, `driver`, `host` and `slots` alone.

// Loaders of other systems find libraries in other ways.
#![cfg(target_os = "linux")]
// The names of exported functions are CUDA's.
#![allow(non_snake_case)]
// They panic where nobody reads the output of the program, which goes on then.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod allocations;
mod arguments;
mod code;
mod copies;
mod driver;
mod hooks;
mod host;
mod launch;
mod objects;
mod options;
mod parts;
mod recording;
mod slots;
mod state;
mod times;
mod triton;
mod writer;
