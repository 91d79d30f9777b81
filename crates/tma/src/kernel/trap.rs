//! The panic handler under rust-cuda's backend where `tma-build` calls it: the crate need not depend on `cuda_std`, which
//! has one, too. The backend cannot compile a record of a panic, so that the kernel stops without a message.

use core::{arch::nvptx, panic::PanicInfo};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: `trap` has no conditions.
    unsafe { nvptx::trap() }
}
