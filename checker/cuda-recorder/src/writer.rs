//! Threads that write archives while the program continues.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::{host, options::Options, recording::Recording};

/// Maximum number of threads.
const MOST_THREADS: usize = 8;

struct Job {
    recording: Recording,
    options: Options,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Number of archives that are not yet written.
    waiting: usize,
    threads: usize,
}

static QUEUE: Mutex<Option<Queue>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Option<Queue>> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait(queue: MutexGuard<'static, Option<Queue>>) -> MutexGuard<'static, Option<Queue>> {
    CHANGED.wait(queue).unwrap_or_else(PoisonError::into_inner)
}

/// Queues an archive for writing.
pub(crate) fn write(recording: Recording, options: &Options) {
    let mut guard = lock();
    let queue = guard.get_or_insert_default();
    queue.waiting += 1;
    queue.jobs.push_back(Job {
        recording,
        options: options.clone(),
    });
    // Starts another thread if more archives wait than there are threads.
    if queue.threads < queue.waiting.min(MOST_THREADS) {
        let thread = thread::Builder::new().name("tma record".to_owned());
        queue.threads += usize::from(thread.spawn(work).is_ok());
    }
    CHANGED.notify_all();
}

/// Waits until a condition that depends on archives holds, or all are written.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let mut guard = lock();
    while let Some(queue) = guard.as_ref()
        && queue.waiting > 0
        && queue.threads > 0
        && !is_so()
    {
        guard = wait(guard);
    }
}

fn work() {
    host::block_signals();
    loop {
        let mut guard = lock();
        let job = loop {
            match guard.as_mut().and_then(|queue| queue.jobs.pop_front()) {
                Some(job) => break job,
                None => guard = wait(guard),
            }
        };
        drop(guard);
        let Job { recording, options } = job;
        match put(&recording, &options.archives) {
            Ok((path, bytes)) => {
                options.log(&format!("recorded {bytes} {}", path.display()));
                for gap in &recording.launch.gaps {
                    options.log(&format!("gap 1 {}\t{gap}", recording.launch.entry));
                }
            }
            Err(error) => options.log(&format!(
                "skipped 1 {}\tits archive cannot be written: {error}",
                recording.launch.entry
            )),
        }
        drop(recording);
        if let Some(queue) = lock().as_mut() {
            queue.waiting -= 1;
        }
        CHANGED.notify_all();
    }
}

/// Writes an archive into a folder under an unused name.
fn put(recording: &Recording, folder: &Path) -> io::Result<(PathBuf, u64)> {
    let process = std::process::id();
    let mut name = format!(
        "{:04}-{}",
        recording.launch.number,
        short(&recording.launch.entry)
    );
    if folder.join(format!("{name}.launch")).exists() {
        // Another process of the program has used the name.
        name = format!("{name}-{process}");
    }
    // A file with the final name is always complete.
    let part = folder.join(format!("{name}-{process}.part"));
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&part)?);
    let written = recording.write(&mut out).and_then(|()| out.flush());
    drop(out);
    let path = folder.join(format!("{name}.launch"));
    let done = written.and_then(|()| {
        let bytes = fs::metadata(&part)?.len();
        fs::rename(&part, &path)?;
        Ok((path, bytes))
    });
    if done.is_err() {
        let _ = fs::remove_file(&part);
    }
    done
}

/// Shortens a name, since names of templates may exceed the limit of file names.
fn short(entry: &str) -> String {
    const MOST: usize = 80;
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "_$".contains(c) {
            c
        } else {
            '_'
        }
    };
    entry.chars().take(MOST).map(plain).collect()
}
