//! The state of the recorder under one lock: allocations, code and counts.

use std::{
    cell::Cell,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    process,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use crate::{
    allocations::Allocations,
    code::Codes,
    driver, host,
    objects::Objects,
    options::Options,
    times::{self, Wait, waiting},
    writer,
};

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) allocations: Allocations,
    pub(crate) objects: Objects,
    pub(crate) codes: Codes,
    /// True after a kernel was launched that calls `malloc` or `free`.
    pub(crate) heap: bool,
    /// Number of launches so far.
    pub(crate) launches: u64,
    /// Number of streams in capture.
    pub(crate) captures: u64,
    /// Bytes of memory copied so far.
    pub(crate) taken: u64,
    /// Number of launches that were not recorded, by kernel and reason.
    skipped: BTreeMap<(String, String), u64>,
}

/// The inner option is `None` if `tma record` did not start the program.
static STATE: Mutex<Option<Option<State>>> = Mutex::new(None);

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// While a value exists, calls of this thread go directly to the driver, since they come from the driver or from
/// this library.
#[derive(Debug)]
pub(crate) struct Inside(());

impl Inside {
    /// Returns `None` if the thread is already inside.
    pub(crate) fn enter() -> Option<Self> {
        (!IS_INSIDE.replace(true)).then_some(Self(()))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}

fn lock() -> MutexGuard<'static, Option<Option<State>>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on the state. Errors here must not affect the program.
pub(crate) fn with<T: Default>(work: impl FnOnce(&mut State) -> T) -> T {
    let mut guard = lock();
    let state = guard.get_or_insert_with(State::open);
    let done = state
        .as_mut()
        .map(|state| catch_unwind(AssertUnwindSafe(|| work(state))));
    done.and_then(Result::ok).unwrap_or_default()
}

impl State {
    fn open() -> Option<Self> {
        is_copy();
        let options = Options::read()?;
        driver::keep();
        host::at_exit(end);
        options.log("start");
        Some(Self {
            options,
            allocations: Allocations::default(),
            objects: Objects::default(),
            codes: Codes::default(),
            heap: false,
            launches: 0,
            captures: 0,
            taken: 0,
            skipped: BTreeMap::new(),
        })
    }

    /// Counts a launch that is not recorded, with the reason.
    pub(crate) fn skip(&mut self, kernel: &str, why: String) {
        *self.skipped.entry((kernel.to_owned(), why)).or_default() += 1;
    }
}

/// Waits for archives, and logs the number of launches.
extern "C" fn end() {
    if is_copy() {
        return;
    }
    waiting(Wait::End, || (writer::wait_until(|| false), 0));
    if let Some(Some(state)) = lock().as_ref() {
        state.options.log(&format!("launches {}", state.launches));
        for ((kernel, why), count) in &state.skipped {
            state
                .options
                .log(&format!("skipped {count} {kernel}\t{why}"));
        }
        for line in times::lines() {
            state.options.log(&line);
        }
    }
}

/// Returns whether this process is a `fork` of the first one, and so has no threads that write archives.
fn is_copy() -> bool {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let process = process::id();
    *FIRST.get_or_init(|| process) != process
}
