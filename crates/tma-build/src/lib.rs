//! Compiles a Rust GPU crate to PTX, from a build script or by hand. The example is a whole build script; it is only
//! compiled here, because a run needs the GPU crate.
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
//! The program loads the text as `include_str!(env!("KERNELS_PTX"))`. A stock rustc, 1.96.0 or later, compiles the
//! device code with the source of `core` ([`DeviceCompiler`] lists where it is searched); no CUDA toolkit is needed.
//!
//! ```text
//!  GPU crate --rustc--> PTX --finish--> PTX --lint--> PTX --ptxas--> registers, spills, shared memory
//!                                        \              \
//!                                         errors with file and line of the Rust source
//! ```
//!
//! 1. [`finish`] turns the options of `#[kernel]` into directives, aligns tensor map parameters to 64 bytes and drops
//!    debug sections. Line tables stay and name lines of the crate, even for inlined functions of other crates.
//! 2. [`lint`] reports barriers that the compiler copied into divergent arms, instructions newer than the module's PTX
//!    version, and local memory that no kernel option allows.
//! 3. [`Ptxas`] runs if one is found. The builder fails if ptxas serialises the products of a warpgroup, unless the
//!    kernel allows it.
//!
//! [`CodeGenerator::LibNvvm`] replaces LLVM's code generator by NVIDIA's libNVVM, and [`CodeGenerator::RustCuda`]
//! compiles the crate with rust-cuda's backend; the steps are the same. [`finish_ptx`] applies them to PTX from another
//! compiler, such as rust-cuda or nvcc.
//!
//! [`PtxBuilder`] is modelled on rust-cuda's `cuda_builder::CudaBuilder`.

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
mod on_host;
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
