//! Time that a program spends waiting for the recorder.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The reasons why a program waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Previously launched kernels.
    Earlier,
    /// Copies of memory before launches.
    Before,
    /// The kernels of recorded launches.
    Kernel,
    /// Copies of memory after launches.
    After,
    /// Writing of archives, to free memory for more.
    Room,
    /// Writing of archives when the program ends.
    End,
}

const ALL: [(Wait, &str); 6] = [
    (Wait::Earlier, "earlier"),
    (Wait::Before, "before"),
    (Wait::Kernel, "kernel"),
    (Wait::After, "after"),
    (Wait::Room, "room"),
    (Wait::End, "end"),
];

static SUMS: Mutex<[(Duration, u64); ALL.len()]> = Mutex::new([(Duration::ZERO, 0); ALL.len()]);

/// Runs work that the program waits for. It returns a value and the number of copied bytes.
pub(crate) fn waiting<T>(wait: Wait, work: impl FnOnce() -> (T, u64)) -> T {
    let start = Instant::now();
    let (value, bytes) = work();
    let mut sums = SUMS.lock().unwrap_or_else(PoisonError::into_inner);
    let (time, all) = &mut sums[wait as usize];
    *time += start.elapsed();
    *all += bytes;
    value
}

/// Returns a line for each reason: its name, nanoseconds and bytes.
pub(crate) fn lines() -> Vec<String> {
    let sums = SUMS.lock().unwrap_or_else(PoisonError::into_inner);
    let lines = ALL.iter().map(|(wait, name)| {
        let (time, bytes) = sums[*wait as usize];
        format!("waited {} {bytes} {name}", time.as_nanos())
    });
    lines.collect()
}
