//! Work on several cores, with results in order.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
    num::NonZero,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    str::FromStr,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Sender},
    },
    thread::{self, Scope, ScopedJoinHandle},
};

use super::is_interrupted;

/// Number of schedules to run at a time, each on its own core; by default the number of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jobs(NonZero<usize>);

/// Limit of threads for each core. More do not speed anything up, and all of them must run once before a
/// request to end is answered.
const THREADS_OF_CORE: usize = 4;
/// Lower bound of that limit on machines with few cores.
const LEAST_THREADS: usize = 16;

/// The stack size of the main thread on Linux.
const STACK_BYTES: usize = 8 << 20;

thread_local! {
    /// Set when the result of this thread's kernels is no longer wanted.
    static CALLED_OFF: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Runs `work` on a thread of its own, whose kernels end as soon as they can once the flag is set. Returns `None` if the
/// system has no more threads.
pub(crate) fn in_thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    is_over: Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    let builder = thread::Builder::new().stack_size(STACK_BYTES);
    let work = move || {
        CALLED_OFF.set(Some(is_over));
        work()
    };
    builder.spawn_scoped(scope, work).ok()
}

/// Returns whether the result of this thread's kernels is no longer wanted.
pub(crate) fn is_called_off() -> bool {
    CALLED_OFF.with_borrow(|flag| flag.as_ref().is_some_and(|is| is.load(Ordering::Relaxed)))
}

impl Default for Jobs {
    fn default() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }
}

impl Display for Jobs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Jobs {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let number = given.trim().parse();
        number.map(Self).map_err(|_| {
            format!("`{given}` is not a number of jobs; use 1 to run the schedules one after the other, or 4 to run four at a time")
        })
    }
}

impl Jobs {
    /// Runs one schedule after another, on one thread.
    pub const ONE: Self = Self(NonZero::<usize>::MIN);

    /// Returns the number of threads, limited by the number of cores.
    pub(crate) fn threads(self) -> usize {
        let Self(cores) = Self::default();
        let most = (THREADS_OF_CORE.saturating_mul(cores.get())).max(LEAST_THREADS);
        self.0.get().min(most)
    }

    /// Runs `work` for all items and passes each result to `take`, on this thread and in the order of the
    /// items, until `take` breaks. Kernels that still run for later items then end as soon as they can. At most
    /// twice as many results as jobs exist at a time, including unfinished ones.
    ///
    /// No more threads are started than there are items, nor many more than there are cores. After an
    /// [`interrupt`](crate::interrupt) they take no further items: this thread does the others.
    ///
    /// A panic of `work` continues here, after all earlier results were taken.
    pub fn in_order<I: Send, T: Send>(
        self,
        items: impl IntoIterator<Item = I, IntoIter: Send>,
        work: impl Fn(I) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) {
        let items = items.into_iter();
        let jobs = self.threads();
        let jobs = items
            .size_hint()
            .1
            .map_or(jobs, |most| jobs.min(most.max(1)));
        let queue = Queue {
            state: Mutex::new(State {
                items,
                next: 0,
                taken: 0,
            }),
            most: 2 * jobs,
            has_room: Condvar::new(),
            is_over: Arc::default(),
        };
        let (sender, results) = mpsc::channel();
        let worker = |sender: Sender<_>| {
            CALLED_OFF.set(Some(Arc::clone(&queue.is_over)));
            while !is_interrupted()
                && let Some((number, item)) = queue.next()
            {
                let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                if sender.send((number, result)).is_err() {
                    break;
                }
            }
        };
        thread::scope(|scope| {
            let _end = End(&queue);
            // If the system has no more threads, fewer do the work, or this one alone.
            let wanted = if jobs == 1 { 0 } else { jobs };
            let wanted = (0..wanted).take_while(|_| !is_interrupted());
            let threads = wanted.map_while(|_| {
                let sender = sender.clone();
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                builder.spawn_scoped(scope, || worker(sender)).ok()
            });
            let _ = threads.count();
            drop(sender);
            let mut early = BTreeMap::new();
            for number in 0.. {
                let result = loop {
                    if let Some(result) = early.remove(&number) {
                        break Some(result);
                    }
                    match results.recv() {
                        Ok((at, result)) => early.insert(at, result),
                        // All threads have ended, and all results were taken.
                        Err(_) => break None,
                    };
                };
                let Some(result) = result else { break };
                let result = result.unwrap_or_else(|panic| resume_unwind(panic));
                if take(result).is_break() {
                    return;
                }
                queue.add_room();
            }
            // Items that no thread has taken.
            while let Some((_, item)) = queue.next() {
                if take(work(item)).is_break() {
                    return;
                }
                queue.add_room();
            }
        });
    }
}

/// State shared by the threads.
struct Queue<I> {
    state: Mutex<State<I>>,
    /// Limit of items in work or with results not yet taken.
    most: usize,
    has_room: Condvar,
    is_over: Arc<AtomicBool>,
}

struct State<I> {
    items: I,
    /// Number of the next item.
    next: usize,
    /// Number of results taken so far.
    taken: usize,
}

impl<I: Iterator> Queue<I> {
    /// Returns the next item and its number, once there is room for its result; `None` at the end.
    fn next(&self) -> Option<(usize, I::Item)> {
        let is_full = |state: &mut State<I>| {
            state.next >= state.taken + self.most && !self.is_over.load(Ordering::Relaxed)
        };
        let state = self.has_room.wait_while(self.lock(), is_full);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let item = state.items.next()?;
        state.next += 1;
        Some((state.next - 1, item))
    }

    fn add_room(&self) {
        self.lock().taken += 1;
        self.has_room.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the threads when it goes out of scope, also by a panic.
struct End<'a, I: Iterator>(&'a Queue<I>);

impl<I: Iterator> Drop for End<'_, I> {
    fn drop(&mut self) {
        // Under the lock, so that no thread begins to wait meanwhile.
        let state = self.0.lock();
        self.0.is_over.store(true, Ordering::Relaxed);
        drop(state);
        self.0.has_room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Barrier, atomic::AtomicUsize},
        time::Duration,
    };

    use super::*;

    const FOUR: Jobs = Jobs(NonZero::new(4).unwrap());

    #[test]
    fn results_come_in_order_and_few_wait() {
        for jobs in [Jobs::ONE, FOUR] {
            let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |item: u64| {
                let begun = begun.fetch_add(1, Ordering::SeqCst) + 1;
                assert!(begun <= taken.load(Ordering::SeqCst) + 2 * jobs.0.get());
                // Later items are done sooner.
                thread::sleep(Duration::from_millis(7 - item % 8));
                item * item
            };
            let mut all = Vec::new();
            jobs.in_order(3..40, work, |square| {
                taken.fetch_add(1, Ordering::SeqCst);
                all.push(square);
                ControlFlow::Continue(())
            });
            assert!(all.into_iter().eq((3..40).map(|item| item * item)));
        }
    }

    #[test]
    fn so_many_run_at_a_time() {
        // Each waits for the others.
        let all = Barrier::new(4);
        let mut count = 0;
        let work = |_| {
            let _ = all.wait();
        };
        FOUR.in_order(0..8, work, |()| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, 8);
    }

    #[test]
    fn there_are_no_more_threads_than_items() {
        let many: Jobs = "999999999".parse().unwrap();
        let here = thread::current().id();
        let threads = Mutex::new(std::collections::HashSet::new());
        let work = |_| threads.lock().unwrap().insert(thread::current().id());
        many.in_order(0..5, work, |_| ControlFlow::Continue(()));
        let count = threads.lock().unwrap().len();
        assert!((1..=5).contains(&count), "{count}");
        threads.lock().unwrap().clear();
        many.in_order(0..1, work, |_| ControlFlow::Continue(()));
        assert!(threads.lock().unwrap().contains(&here));
        // An endless list of items, too, is done by few threads.
        threads.lock().unwrap().clear();
        let work = |item: u64| {
            threads.lock().unwrap().insert(thread::current().id());
            thread::sleep(Duration::from_millis(1));
            item
        };
        many.in_order(0.., work, |item| match item {
            500 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        let most = LEAST_THREADS.max(THREADS_OF_CORE * Jobs::default().0.get());
        let count = threads.lock().unwrap().len();
        assert!((1..=most).contains(&count), "{count}");
    }

    #[test]
    fn what_is_not_wanted_is_called_off() {
        let work = |item: u32| {
            // Later items run until they are called off.
            while item > 2 && !is_called_off() {
                thread::yield_now();
            }
            item
        };
        let mut all = Vec::new();
        FOUR.in_order(0.., work, |item| {
            all.push(item);
            match item {
                2 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        assert_eq!(all, [0, 1, 2]);
        assert!(!is_called_off());
    }

    #[test]
    fn a_panic_comes_after_the_results_before_it() {
        for jobs in [Jobs::ONE, FOUR] {
            let mut all = Vec::new();
            let work = |item: u32| {
                assert!(item != 5, "not this one");
                item
            };
            let result = catch_unwind(AssertUnwindSafe(|| {
                jobs.in_order(0..9, work, |item| {
                    all.push(item);
                    ControlFlow::Continue(())
                });
            }));
            let message = *result.unwrap_err().downcast::<&str>().unwrap();
            assert!(message.contains("not this one"), "{message}");
            assert_eq!(all, [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn a_number_of_jobs_is_at_least_one() {
        assert_eq!("4".parse(), Ok(FOUR));
        assert_eq!(FOUR.to_string(), "4");
        for wrong in ["", "0", "-1", "two", "99999999999999999999999"] {
            let error = wrong.parse::<Jobs>().unwrap_err();
            assert!(error.starts_with(&format!("`{wrong}` is not a number of jobs")));
        }
    }
}
