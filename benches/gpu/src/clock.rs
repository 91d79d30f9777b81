use tma::{kernel, ptx::clock};

/// Runs for at least `cycles` cycles, and writes the actual cycles and nanoseconds.
///
/// # Safety
/// 1. `elapsed` points to two numbers of global memory without other users while the kernel runs.
/// 2. There is one thread.
#[kernel(max_threads = 1)]
pub unsafe fn clock(elapsed: *mut u64, cycles: u64) {
    let now = || (clock::clock64(), clock::globaltimer());
    let start = now();
    let mut end = start;
    while end.0 - start.0 < cycles {
        end = now();
    }
    // SAFETY: `elapsed` points to two numbers (1), which only this thread uses (2).
    unsafe {
        elapsed.write(end.0 - start.0);
        elapsed.add(1).write(end.1 - start.1);
    }
}
