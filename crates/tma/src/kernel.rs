//! A kernel: its parameters, its output of text and its panics.

#[doc(hidden)]
pub mod expansion;
pub mod global;
pub(crate) mod kernel_arg;
// rust-cuda has no atomic fences, and `cuda_std` has a panic handler.
#[cfg(all(target_arch = "nvptx64", not(target_feature = "compute_60")))]
mod panic;
#[doc(hidden)]
pub mod print;
#[cfg(all(target_feature = "compute_60", tma_panic_handler))]
mod trap;
