//! The verbs of `cargo tma` for projects with kernels: a new project, its tools, and its compiled kernels.
//!
//! Each module has the arguments of a verb for clap, and `run`. The command `cargo xtask` of this repository has the same
//! verbs for its own kernels.

#[macro_use]
mod output;
pub mod doctor;
pub mod inspect;
pub mod new;
pub mod process;
pub mod ptx;
pub mod run;
pub mod setup;

use std::env;

pub use output::{Mark, table};

/// Returns a verb of this program as the user types it: `cargo xtask setup` or `cargo tma setup`.
pub fn typed(verb: &str) -> String {
    let program = env::args_os().next().unwrap_or_default();
    let is_xtask = std::path::Path::new(&program)
        .file_stem()
        .is_some_and(|stem| stem == "xtask");
    format!("cargo {} {verb}", if is_xtask { "xtask" } else { "tma" })
}
