use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tma_emulator::{Config, Session};

/// The emulator as a device. Launches, reads and writes lock it while they run.
#[derive(Clone, Debug)]
pub(crate) struct Emulator {
    session: Arc<Mutex<Session>>,
}

impl Emulator {
    pub(crate) fn new(seed: u64) -> Self {
        let config = Config {
            seed,
            ..Config::default()
        };
        Self {
            session: Arc::new(Mutex::new(Session::new(config))),
        }
    }

    /// Returns whether both share their memory.
    pub(crate) fn has_memory_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
    }

    /// Locks the session. Ignores poisoning, since a thread that panicked left it in the state between two steps.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
