//! Ctrl-C: what was found is printed. A second one ends the program at once.

/// Has the kernels end at the first signal.
#[cfg(unix)]
pub(crate) fn watch() {
    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    const DEFAULT: usize = 0;

    unsafe extern "C" {
        fn signal(signal: i32, handler: usize) -> usize;
    }

    extern "C" fn handle(number: i32) {
        tma_emulator::interrupt();
        // SAFETY: `signal` may be called in a handler, and the default action is a handler.
        unsafe { signal(number, DEFAULT) };
    }

    for number in [SIGINT, SIGTERM] {
        // SAFETY: `handle` stores to an atomic and calls `signal`, which handlers may do.
        unsafe { signal(number, handle as *const () as usize) };
    }
}

#[cfg(not(unix))]
pub(crate) fn watch() {}
