use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tma_emulator::{Config, Session};

/// The emulator as a device: whoever launches, reads or writes has it for so long.
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

    /// Returns whether the memory of both is one.
    pub(crate) fn has_memory_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
    }

    /// Its memory and modules. A thread that panicked left them as they were between two steps.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
