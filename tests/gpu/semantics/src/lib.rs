//! A kernel for each instruction form, whose launch shows the instruction's effect.
//!
//! `build.rs` writes them from the table `ptx-isa`: the call of the wrapper, in the template
//! of its family. A template prepares memory and barriers, calls, and writes the changes. The host's
//! numbers for a launch are in `words`; the cases in `tests` define their meaning.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![cfg(target_arch = "nvptx64")]
// The conditions of a template are the cases'; each is launched by one.
#![allow(
    unsafe_op_in_unsafe_fn,
    unused_imports,
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks
)]

mod io;
mod template;

use half::{bf16, f16};
use tma::{ClusterPtr, GlobalPtr, SharedPtr, TensorMap, kernel, ptx::*};

use io::{Io, Operands, cluster, generic, global, shared};
use template::*;

include!(concat!(env!("OUT_DIR"), "/semantics.rs"));
