//! Compiles a Rust GPU crate to PTX, from a build script or by hand.
//!
//! ```no_run
//! // build.rs
//! use tma_build::{Arch, PtxBuilder};
//!
//! fn main() {
//!     let ptx = PtxBuilder::new("../kernels-gpu").arch(Arch::Sm90a).build_or_exit();
//!     println!("cargo::rustc-env=KERNELS_PTX={}", ptx.path.display());
//! }
//! ```
//!
//! The device code is compiled by a stock rustc, 1.96.0 or later, with the source of `core`
//! ([`DeviceCompiler`] says where one is looked for); no CUDA toolkit is needed. What rustc writes
//! is then
//!
//! 1. *finished* ([`finish`]): what the `#[kernel]` attributes ask for becomes directives, tensor
//!    map parameters are aligned to 64 bytes, debug sections go, line tables stay and
//!    name the crate's own lines, also for what is inlined from others;
//! 2. *linted* ([`lint`]): barriers that the compiler copied into divergent arms, instructions
//!    newer than the module's PTX version, local memory where none was asked for;
//! 3. *assembled* by `ptxas`, where one is found ([`Ptxas`]), which reports registers, spills and
//!    shared memory; that it makes products of a warpgroup wait for each other is an error, unless the kernel allows it.
//!
//! [`CodeGenerator::LibNvvm`] has NVIDIA's libNVVM make PTX of rustc's LLVM IR in place of LLVM; the steps are the same.
//!
//! [`CodeGenerator::RustCuda`] has rust-cuda's backend compile the crate.
//! [`finish_ptx`] takes PTX that another compiler wrote, such as rust-cuda or nvcc, through the same steps.
//!
//! The shape of [`PtxBuilder`] is that of `cuda_builder::CudaBuilder`.

mod advice;
mod any_ptx;
mod arch;
mod builder;
mod calls;
mod code_generator;
mod compile;
mod compiler;
mod control_flow;
mod core_cache;
mod error;
pub mod finish;
mod formatters;
pub mod lint;
mod locations;
mod mixed_sums;
mod narrow_stores;
mod nvvm;
mod ptxas;
mod rust_cuda;
mod self_test;
mod shared_matrices;
mod target_dir;

pub use any_ptx::{FinishOptions, FinishedPtx, finish_ptx};
pub use arch::{Arch, PtxIsa, UnknownArch};
pub use builder::{Assemble, Ptx, PtxBuilder};
pub use code_generator::CodeGenerator;
pub use compiler::{DeviceCompiler, Origin, TRIED_VERSION, Version};
pub use error::Error;
pub use nvvm::{LibNvvm, nvvm_cache};
pub use ptxas::{Ptxas, Resources, cuda_cache, tool_dirs};
pub use rust_cuda::RustCuda;
pub use target_dir::user_cache;
