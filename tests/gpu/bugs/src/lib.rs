//! Kernels with bugs, for the emulator's checker.
//!
//! Each kernel has a `const BUG`: `CORRECT` is the correct kernel, every other value plants one
//! bug, so that the two differ only by the bug. The mark `//~` after a value lists the expected findings; their
//! report is `<kernel>/<bug>.txt`, next to the source. Bugs that Rust cannot express are PTX files in `ptx`, with the
//! same marks. The launches are in `tests/suite/src/bugs`.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, asm_experimental_arch, stdarch_nvptx)
)]
// Most of these kernels break the conditions of their calls, so that no proof is possible.
#![allow(
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks
)]

mod barrier_life;
mod clean;
mod core_matrices;
mod count_bytes;
mod full_empty;
mod histogram;
mod items_of_a_pipeline;
mod items_of_barriers;
mod last_block;
mod load_store;
mod load_tile;
mod prefetch;
mod product_of_boxes;
mod reverse;
mod signal;
mod spin;
mod stages;
mod stages_once;
mod store_ring;
mod store_tile;
mod swizzled;
mod tensor_tile;
mod ticket;
mod two_phases;
mod two_rows;
mod unbounded_registers;
mod warpgroup_fragment;
mod warpgroup_product;
mod warpgroup_registers;
