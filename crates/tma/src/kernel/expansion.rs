//! The expansion of the macros uses this; it is not for use by hand.

pub use core::arch::{asm, global_asm};
#[cfg(not(target_arch = "nvptx64"))]
pub use tma_launch as launch;

pub use crate::ptx::macros::device_only;

/// An entry as rustc's own backend takes it.
#[cfg(all(target_arch = "nvptx64", not(target_feature = "compute_60")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    ($entry:item) => {
        $entry
    };
}

/// An entry as rust-cuda's backend takes it, which drops an `extern "ptx-kernel"` function without this attribute.
#[cfg(all(target_arch = "nvptx64", target_feature = "compute_60"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    ($entry:item) => {
        #[nvvm_internal::kernel]
        $entry
    };
}

#[cfg(target_arch = "nvptx64")]
pub use __entry as entry;

/// Refuses a kernel parameter that has no layout in PTX.
pub const fn assert_kernel_arg<T: super::kernel_arg::KernelArg>() {}

/// Refuses a grid constant that is not a tensor map.
pub const fn assert_grid_constant<T: super::kernel_arg::GridConstantArg>() {}

/// The place of a grid constant in the kernel's parameter list: opaque bytes with a Rust address that is
/// never taken.
///
/// rustc passes at most 16-byte-aligned structs; the builder raises the alignment of the finished
/// PTX parameter to 64.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct GridConstant([u64; 16]);
