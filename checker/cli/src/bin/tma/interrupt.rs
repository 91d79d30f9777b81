//! Ctrl-C handling: the first one stops the run and prints the findings, the second one exits at once.

/// Ends the kernels at the first signal.
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
        // SAFETY: handlers may call `signal`, and the default action is a valid handler.
        unsafe { signal(number, DEFAULT) };
    }

    for number in [SIGINT, SIGTERM] {
        // SAFETY: `handle` only stores to an atomic and calls `signal`, which handlers may do.
        unsafe { signal(number, handle as *const () as usize) };
    }
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

/// Runs a program to its end. Ctrl-C reaches the program directly; a SIGTERM is passed on, so that its findings so
/// far are reported.
#[cfg(target_os = "linux")]
pub(crate) fn run(
    program: &mut std::process::Command,
) -> std::io::Result<std::process::ExitStatus> {
    use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    /// The process of the program, 0 before it starts.
    static CHILD: AtomicI32 = AtomicI32::new(0);
    static IS_TO_END: AtomicBool = AtomicBool::new(false);

    unsafe extern "C" {
        fn signal(signal: i32, handler: usize) -> usize;
        fn kill(process: i32, signal: i32) -> i32;
    }

    fn end_child() {
        let child = CHILD.load(Ordering::SeqCst);
        if child != 0 {
            // SAFETY: handlers may call `kill`, and it changes no state of this process.
            unsafe { kill(child, SIGTERM) };
        }
    }

    extern "C" fn handle(number: i32) {
        if number == SIGTERM {
            IS_TO_END.store(true, Ordering::SeqCst);
            end_child();
        }
    }

    // Handlers are installed before the program starts, since a signal may follow its first output.
    for number in [SIGINT, SIGTERM] {
        // SAFETY: `handle` only uses atomics and calls `kill`, which handlers may do.
        unsafe { signal(number, handle as *const () as usize) };
    }
    let mut child = program.spawn()?;
    CHILD.store(child.id() as i32, Ordering::SeqCst);
    if IS_TO_END.load(Ordering::SeqCst) {
        end_child();
    }
    child.wait()
}
