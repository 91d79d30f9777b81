//! A library between a program and the CUDA driver. `tma record` loads it in place of the driver, and each launch
//! of a kernel becomes an archive with its PTX, its arguments, and the memory that it can reach before and after
//! it.
//!
//! Every exported function calls the driver's function of the same name and records its effect (`hooks`). Results
//! from the driver are never changed, and launches that cannot be recorded are passed through and reported. Unsafe
//! code is only in `hooks`, `arguments`, `driver`, `host` and `slots`.

// Loaders of other systems search for libraries differently.
#![cfg(target_os = "linux")]
// The names of exported functions are CUDA's.
#![allow(non_snake_case)]
// Printing panics if the reader of the program's output has exited, and the program must go on.
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
