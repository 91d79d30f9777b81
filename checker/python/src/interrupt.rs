//! Ctrl-C while a kernel runs.

use std::{
    panic::resume_unwind,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use pyo3::{PyResult, Python};
use tma_emulator::{interrupt, resume};

/// The longest time that a signal may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does work in a thread of its own, without the interpreter's lock, while this one looks for signals.
///
/// # Errors
/// The handler of a signal raises an exception: kernels end then as soon as they can.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        // The work closes it when done, also by a panic.
        let (open, mut closed) = mpsc::channel::<()>();
        let worker = scope.spawn(move || {
            let _open = open;
            work()
        });
        let mut raised = Ok(());
        let mut wait = || {
            let closed = &mut closed;
            closed.recv_timeout(PATIENCE)
        };
        while py.detach(&mut wait) == Err(RecvTimeoutError::Timeout) {
            if raised.is_ok() {
                raised = py.check_signals();
                if raised.is_err() {
                    interrupt();
                }
            }
        }
        let done = py.detach(|| worker.join());
        if raised.is_err() {
            resume();
        }
        raised?;
        Ok(done.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
