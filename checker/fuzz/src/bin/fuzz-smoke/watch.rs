//! Keeps the input at hand for when the program cannot go on.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    panic::PanicHookInfo,
    path::PathBuf,
    process,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fuzz::Target;

/// Longer is a finding.
pub(crate) const SLOW: Duration = Duration::from_secs(5);
/// Longer ends the search.
const HANGS: Duration = Duration::from_secs(60);

static FOLDER: OnceLock<PathBuf> = OnceLock::new();
static CURRENT: Mutex<Option<(Instant, Target, Vec<u8>)>> = Mutex::new(None);
static PANIC: Mutex<String> = Mutex::new(String::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches for inputs that do not end.
pub(crate) fn start(folder: PathBuf) {
    FOLDER.get_or_init(|| folder);
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            if let Some((began, target, input)) = &*lock(&CURRENT)
                && began.elapsed() > HANGS
            {
                let path = save(*target, input);
                println!("{}: hangs\n    {}", target.name(), path.display());
                process::exit(1);
            }
        }
    });
}

pub(crate) fn begin(target: Target, input: &[u8]) {
    *lock(&CURRENT) = Some((Instant::now(), target, input.to_vec()));
    if target.may_crash() {
        write(target, "last", input);
    }
}

pub(crate) fn end() {
    *lock(&CURRENT) = None;
}

/// Writes an input to a file, from which it can be run again.
pub(crate) fn save(target: Target, input: &[u8]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    write(target, &format!("{:016x}", hasher.finish()), input)
}

fn write(target: Target, name: &str, input: &[u8]) -> PathBuf {
    let folder = FOLDER
        .get()
        .cloned()
        .unwrap_or_default()
        .join(target.name());
    let path = folder.join(name);
    if let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, input)) {
        eprintln!("{}: {error}", path.display());
    }
    path
}

/// The location and message of a panic.
pub(crate) fn remember_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let message = payload.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| payload.downcast_ref::<&str>().copied());
    let first = message.unwrap_or("").lines().next().unwrap_or("");
    // Numbers differ from one input to the next.
    let message: String = first
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .take(100)
        .collect();
    *lock(&PANIC) = format!("panic at {location}: {message}");
}

pub(crate) fn last_panic() -> String {
    lock(&PANIC).clone()
}
