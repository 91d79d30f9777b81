//! Mistakes in what a verb is given, which have an exit code of their own.

use anyhow::{Error, Result};

/// A file that cannot be read or written or is of another kind: the exit code is 2, whatever the verb.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub(crate) struct WrongInput(Error);

pub(crate) trait OrWrongInput<T> {
    /// Marks an error as one of the input.
    fn or_wrong_input(self) -> Result<T>;
}

impl<T, E: Into<Error>> OrWrongInput<T> for Result<T, E> {
    fn or_wrong_input(self) -> Result<T> {
        self.map_err(|error| WrongInput(error.into()).into())
    }
}
