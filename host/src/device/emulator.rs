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

    /// The same for copies of it.
    pub(crate) fn id(&self) -> u64 {
        Arc::as_ptr(&self.session).addr() as u64
    }

    /// Its memory and modules. A thread that panicked left them as they were between two steps.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
