//! Progress lines on a terminal.

use std::{
    collections::BTreeSet,
    io::{self, IsTerminal, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tma_launch::escape_name;

/// The first line comes after this time, and each of the others after twice the time of the one before.
const FIRST: Duration = Duration::from_secs(2);

/// Steps of kernels, and schedules of searches.
#[derive(Debug, Default)]
struct Counts {
    steps: AtomicU64,
    schedules: AtomicU64,
}

/// The counts of the process.
static COUNTS: Counts = Counts {
    steps: AtomicU64::new(0),
    schedules: AtomicU64::new(0),
};

/// Counts a schedule of a search.
pub(crate) fn count_schedule() {
    COUNTS.schedules.fetch_add(1, Ordering::Relaxed);
}

/// The steps of a kernel that are in [`COUNTS`].
#[derive(Default)]
pub(super) struct Counted(u64);

impl Counted {
    /// Counts the steps until now, now and then.
    #[inline]
    pub(super) fn count(&mut self, steps: u64) {
        const OFTEN: u64 = 1 << 12;
        let more = steps - self.0;
        if more >= OFTEN {
            COUNTS.steps.fetch_add(more, Ordering::Relaxed);
            self.0 = steps;
        }
    }
}

/// Writes the progress of the process's kernels to standard error until it is dropped: first after two seconds,
/// and then after twice the time of the line before. Notes on the kernels are written at once, one for each
/// instruction.
#[derive(Debug)]
pub struct Progress(Arc<Wait>);

#[derive(Debug, Default)]
struct Wait {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_over: bool,
    /// Notes that are not written yet.
    notes: Vec<String>,
    /// Instructions that have a note.
    noted: BTreeSet<String>,
}

/// All active watchers.
static WATCHES: Mutex<Vec<Weak<Wait>>> = Mutex::new(Vec::new());

/// The most instructions that have a note.
const MOST_NOTES: usize = 12;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a note on an instruction to each terminal that shows progress.
pub(super) fn note(place: &str, what: &str) {
    for wait in lock(&WATCHES).iter().filter_map(Weak::upgrade) {
        let mut state = lock(&wait.state);
        if state.noted.len() < MOST_NOTES && state.noted.insert(place.to_owned()) {
            state
                .notes
                .push(escape_name(&format!("{place}: {what}")).into_owned());
            wait.changed.notify_all();
        }
    }
}

impl Wait {
    /// Registers a new wait, which receives notes.
    fn begin() -> Arc<Self> {
        let wait = Arc::<Self>::default();
        let mut all = lock(&WATCHES);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&wait));
        wait
    }

    /// Writes progress lines that begin with `who`, with what was counted since the call.
    fn watch(
        &self,
        counts: &Counts,
        who: &str,
        first: Duration,
        mut out: impl Write,
    ) -> io::Result<()> {
        let start = Instant::now();
        let read = || [&counts.steps, &counts.schedules].map(|it| it.load(Ordering::Relaxed));
        let before = read();
        let mut next = first;
        loop {
            let left = next.saturating_sub(start.elapsed());
            let is_quiet = |state: &mut State| !state.is_over && state.notes.is_empty();
            let state = lock(&self.state);
            let waited = self.changed.wait_timeout_while(state, left, is_quiet);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let (notes, is_over) = (std::mem::take(&mut state.notes), state.is_over);
            drop(state);
            for note in &notes {
                writeln!(out, "{who}: note: {note}")?;
            }
            if is_over {
                return Ok(());
            }
            if start.elapsed() < next {
                continue;
            }
            let seconds = start.elapsed().as_secs();
            let now = read();
            let [steps, schedules] = [0, 1].map(|i| now[i] - before[i]);
            let done = match schedules {
                0 => format!("{steps} steps after {seconds} s; `--max-steps` limits them"),
                _ => format!("{schedules} schedules after {seconds} s; `--bound` limits them"),
            };
            writeln!(out, "{who}: {done}, and Ctrl-C ends the run with a report")?;
            next *= 2;
        }
    }
}

impl Progress {
    /// Starts to watch if standard error is a terminal; `who` is the first word of each line.
    pub fn on_terminal(who: &str) -> Option<Self> {
        let err = io::stderr();
        err.is_terminal().then(|| Self::on(who, err)).flatten()
    }

    /// Starts to watch and writes lines to `out`; `who` is the first word of each. Returns `None` if the system
    /// cannot start a thread.
    pub fn on(who: &str, out: impl Write + Send + 'static) -> Option<Self> {
        let wait = Wait::begin();
        let watched = Arc::clone(&wait);
        let who = who.to_owned();
        // Without a reader, no lines come.
        let watch = move || drop(watched.watch(&COUNTS, &who, FIRST, out));
        thread::Builder::new().spawn(watch).ok()?;
        Some(Self(wait))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        lock(&self.0.state).is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Sends each write as it comes.
    struct Lines(mpsc::Sender<String>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.0.send(text).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_come_after_twice_the_time_of_the_one_before() {
        const FIRST: Duration = Duration::from_millis(10);
        let counts = Arc::new(Counts::default());
        // Of earlier runs.
        counts.steps.store(500, Ordering::Relaxed);
        counts.schedules.store(7, Ordering::Relaxed);
        let wait = Arc::<Wait>::default();
        let progress = Progress(Arc::clone(&wait));
        let (sender, lines) = mpsc::channel();
        let start = Instant::now();
        let watch = {
            let counts = Arc::clone(&counts);
            let out = io::LineWriter::new(Lines(sender));
            thread::spawn(move || wait.watch(&counts, "tma test", FIRST, out))
        };
        let mut times = 0..;
        let mut next = || {
            let line = lines.recv().unwrap();
            let time = FIRST * 2_u32.pow(times.next().unwrap());
            assert!(start.elapsed() >= time, "{line}");
            // The system may let this process wait for seconds.
            let (done, seconds) = line.split_once(" after ").unwrap();
            let (_, hint) = seconds.split_once(" s; ").unwrap();
            (done.to_owned(), hint.to_owned())
        };
        let line = |done: &str, flag: &str| {
            let end = "Ctrl-C ends the run with a report\n";
            (
                format!("tma test: {done}"),
                format!("`{flag}` limits them, and {end}"),
            )
        };
        assert_eq!(next(), line("0 steps", "--max-steps"));
        counts.steps.fetch_add(42, Ordering::Relaxed);
        while next() != line("42 steps", "--max-steps") {}
        counts.schedules.fetch_add(3, Ordering::Relaxed);
        while next() != line("3 schedules", "--bound") {}
        drop(progress);
        watch.join().unwrap().unwrap();
    }

    #[test]
    fn nothing_is_said_of_what_is_over_soon() {
        let wait = Arc::<Wait>::default();
        drop(Progress(Arc::clone(&wait)));
        let mut out = Vec::new();
        wait.watch(&Counts::default(), "tma test", FIRST, &mut out)
            .unwrap();
        assert!(out.is_empty());
    }

    #[test]
    fn a_note_is_written_at_once_and_once() {
        let wait = Wait::begin();
        // Other tests run kernels meanwhile.
        let place = "a_note_is_written.ptx:1: `x`";
        for _ in 0..3 {
            note(place, "what\x1b[2J");
        }
        drop(Progress(Arc::clone(&wait)));
        let mut out = Vec::new();
        wait.watch(&Counts::default(), "tma test", FIRST, &mut out)
            .unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines = out.lines().filter(|line| line.contains(place));
        let expected = format!("tma test: note: {place}: what\\u001b[2J");
        assert_eq!(lines.collect::<Vec<_>>(), [expected]);
    }
}
