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

/// Runs a program to its end. Ctrl-C reaches it by itself, and a request to end is passed on, so that what it has found
/// until then is told.
#[cfg(target_os = "linux")]
pub(crate) fn run(
    program: &mut std::process::Command,
) -> std::io::Result<std::process::ExitStatus> {
    use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    /// The program's process, 0 until there is one.
    static CHILD: AtomicI32 = AtomicI32::new(0);
    static IS_TO_END: AtomicBool = AtomicBool::new(false);

    unsafe extern "C" {
        fn signal(signal: i32, handler: usize) -> usize;
        fn kill(process: i32, signal: i32) -> i32;
    }

    fn end_child() {
        let child = CHILD.load(Ordering::SeqCst);
        if child != 0 {
            // SAFETY: `kill` may be called in a handler, and changes nothing here.
            unsafe { kill(child, SIGTERM) };
        }
    }

    extern "C" fn handle(number: i32) {
        if number == SIGTERM {
            IS_TO_END.store(true, Ordering::SeqCst);
            end_child();
        }
    }

    // Before the program runs: a signal may come as soon as it says something.
    for number in [SIGINT, SIGTERM] {
        // SAFETY: `handle` uses atomics and calls `kill`, which handlers may do.
        unsafe { signal(number, handle as *const () as usize) };
    }
    let mut child = program.spawn()?;
    CHILD.store(child.id() as i32, Ordering::SeqCst);
    if IS_TO_END.load(Ordering::SeqCst) {
        end_child();
    }
    child.wait()
}
