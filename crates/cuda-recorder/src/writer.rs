//! Archives are written by threads of their own, while the program goes on.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use launch_archive::Archive;

use crate::{buffers, host, options::Options};

/// Threads, where so many archives wait.
const MOST_THREADS: usize = 4;

struct Job {
    archive: Archive,
    options: Options,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Bytes of those that are not written yet.
    waiting: u64,
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

fn bytes(archive: &Archive) -> u64 {
    let bytes = archive.memory.iter().map(|region| {
        let after = region.after.as_ref().map_or(0, Vec::len);
        region.before.len() + after
    });
    bytes.sum::<usize>() as u64
}

/// Has an archive written.
pub(crate) fn write(archive: Archive, options: &Options) {
    let mut guard = lock();
    let bytes = bytes(&archive);
    loop {
        let queue = guard.get_or_insert_default();
        // A launch waits for room.
        if queue.waiting == 0 || queue.waiting + bytes <= buffers::most_bytes() as u64 {
            break;
        }
        guard = wait(guard);
    }
    let queue = guard.get_or_insert_default();
    queue.waiting += bytes;
    queue.jobs.push_back(Job {
        archive,
        options: options.clone(),
    });
    // Another thread begins where more archives wait than there are threads.
    if queue.threads < queue.jobs.len().min(MOST_THREADS) {
        let thread = thread::Builder::new().name("tma record".to_owned());
        queue.threads += usize::from(thread.spawn(work).is_ok());
    }
    CHANGED.notify_all();
}

/// Waits until all is written.
pub(crate) fn finish() {
    let mut guard = lock();
    while let Some(queue) = guard.as_ref().filter(|queue| queue.waiting > 0) {
        if queue.threads == 0 {
            break;
        }
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
        let Job { archive, options } = job;
        match put(&archive, &options.archives) {
            Ok((path, bytes)) => options.log(&format!("recorded {bytes} {}", path.display())),
            Err(error) => options.log(&format!(
                "skipped 1 {}\tits archive cannot be written: {error}",
                archive.launch.entry
            )),
        }
        let bytes = bytes(&archive);
        for region in archive.memory {
            buffers::give_back(region.before);
            buffers::give_back(region.after.unwrap_or_default());
        }
        if let Some(queue) = lock().as_mut() {
            queue.waiting -= bytes;
        }
        CHANGED.notify_all();
    }
}

/// Writes an archive into a folder under a name that is free.
fn put(archive: &Archive, folder: &Path) -> io::Result<(PathBuf, u64)> {
    let process = std::process::id();
    let mut name = format!(
        "{:04}-{}",
        archive.launch.number,
        short(&archive.launch.entry)
    );
    if folder.join(format!("{name}.launch")).exists() {
        // Another process of the program was there.
        name = format!("{name}-{process}");
    }
    // Under its name is a whole archive or none.
    let part = folder.join(format!("{name}-{process}.part"));
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&part)?);
    let written = archive.write(&mut out).and_then(|()| out.flush());
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

/// Names of templates are longer than those of files may be.
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
