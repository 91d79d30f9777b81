//! How far kernels are, on a terminal.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The first line comes after this time, and each of the others after twice the time of the one before.
const FIRST: Duration = Duration::from_secs(2);

/// Steps of all kernels of the process.
static STEPS: AtomicU64 = AtomicU64::new(0);

/// The steps of a kernel that are in [`STEPS`].
#[derive(Default)]
pub(super) struct Counted(u64);

impl Counted {
    /// Counts the steps until now, now and then.
    #[inline]
    pub(super) fn count(&mut self, steps: u64) {
        const OFTEN: u64 = 1 << 12;
        let more = steps - self.0;
        if more >= OFTEN {
            STEPS.fetch_add(more, Ordering::Relaxed);
            self.0 = steps;
        }
    }
}

/// Writes to standard error how far the kernels of the process are, until it is dropped: first after two seconds, and
/// then after twice the time of the line before.
#[derive(Debug)]
pub struct Progress(Arc<Wait>);

#[derive(Debug, Default)]
struct Wait {
    is_over: Mutex<bool>,
    ended: Condvar,
}

impl Wait {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines that begin with `who`.
    fn watch(&self, who: &str, first: Duration, mut out: impl Write) -> io::Result<()> {
        let (start, before) = (Instant::now(), STEPS.load(Ordering::Relaxed));
        let mut next = first;
        loop {
            let left = next.saturating_sub(start.elapsed());
            let waited = self
                .ended
                .wait_timeout_while(self.lock(), left, |is_over| !*is_over);
            let (is_over, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if *is_over {
                return Ok(());
            }
            drop(is_over);
            let steps = STEPS.load(Ordering::Relaxed) - before;
            let seconds = start.elapsed().as_secs();
            writeln!(
                out,
                "{who}: {steps} steps after {seconds} s; `--max-steps` limits them, and Ctrl-C ends the run with a report"
            )?;
            next *= 2;
        }
    }
}

impl Progress {
    /// Begins to watch where standard error is a terminal; `who` is the first word of each line.
    pub fn on_terminal(who: &str) -> Option<Self> {
        let err = io::stderr();
        if !err.is_terminal() {
            return None;
        }
        let wait = Arc::<Wait>::default();
        let watched = Arc::clone(&wait);
        // Without a thread, or with the terminal gone, no lines come.
        let who = who.to_owned();
        let watch = move || drop(watched.watch(&who, FIRST, err));
        thread::Builder::new().spawn(watch).ok()?;
        Some(Self(wait))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.0.lock() = true;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_after_twice_the_time_of_the_one_before() {
        let wait = Arc::<Wait>::default();
        let progress = Progress(Arc::clone(&wait));
        let watched = Arc::clone(&wait);
        let watch = thread::spawn(move || {
            let mut out = Vec::new();
            let written = watched.watch("tma test", Duration::from_millis(20), &mut out);
            written.map(|()| String::from_utf8(out).unwrap())
        });
        let mut counted = Counted::default();
        counted.count(1 << 13);
        thread::sleep(Duration::from_millis(200));
        drop(progress);
        let said = watch.join().unwrap().unwrap();
        let lines: Vec<&str> = said.lines().collect();
        // At 20, 40, 80 and 160 ms, where the machine is not too busy.
        assert!((1..=4).contains(&lines.len()), "{said}");
        assert!(
            lines[0].starts_with("tma test: ") && lines[0].contains(" steps after 0 s"),
            "{said}"
        );
    }

    #[test]
    fn nothing_is_said_of_what_is_over_soon() {
        let wait = Arc::<Wait>::default();
        drop(Progress(Arc::clone(&wait)));
        let mut out = Vec::new();
        wait.watch("tma test", FIRST, &mut out).unwrap();
        assert!(out.is_empty());
    }
}
