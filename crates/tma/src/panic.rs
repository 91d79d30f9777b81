//! A panicking thread stops the kernel: the host sees `CUDA_ERROR_LAUNCH_FAILED`.

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: `trap` has no conditions.
    unsafe { core::arch::nvptx::trap() }
}
