//! Errors in a verb's input, which have their own exit code.

use anyhow::{Error, Result};

/// A file that cannot be read or written, or that has the wrong format: exit code 2 for every verb.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub(crate) struct WrongInput(Error);

pub(crate) trait OrWrongInput<T> {
    /// Marks an error as an input error.
    fn or_wrong_input(self) -> Result<T>;
}

impl<T, E: Into<Error>> OrWrongInput<T> for Result<T, E> {
    fn or_wrong_input(self) -> Result<T> {
        self.map_err(|error| WrongInput(error.into()).into())
    }
}
