//! A kernel for each instruction form, to inspect and never to launch.
//!
//! `build.rs` writes them from the table `ptx-isa`. The parameters of a kernel are the names in its call; the kernel
//! stores the wrapper's result.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
#![cfg(target_arch = "nvptx64")]

#[cfg(feature = "bad_constants")]
mod bad_constants;

use half::{bf16, f16};
use tma::{ClusterPtr, GlobalPtr, SharedPtr, ptx::*};

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// An address in this block's shared memory.
fn shared<T>(address: u32) -> SharedPtr<T> {
    SharedPtr::from_address(address)
}

/// An address in the shared memory of a block of the cluster.
fn cluster<T>(address: u32) -> ClusterPtr<T> {
    ClusterPtr::from_address(address)
}

/// An address in global memory.
fn global(pointer: *mut u8) -> GlobalPtr<tma::TensorMap> {
    GlobalPtr::from_ptr(pointer.cast())
}

/// A generic address.
fn generic<T>(pointer: *mut u8) -> *mut T {
    pointer.cast()
}

/// Stores a result.
unsafe fn keep<T>(out: *mut u64, value: T) {
    if size_of::<T>() > 0 {
        // SAFETY: the caller's.
        unsafe { out.cast::<T>().write(value) };
    }
}

/// Registers for the sums of a product.
fn zeros<T>() -> T {
    // SAFETY: it is only used for arrays of numbers.
    unsafe { core::mem::zeroed() }
}
