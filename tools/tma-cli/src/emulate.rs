//! Launch files: a kernel of a PTX file, its buffers and arguments, and what it should do, as TOML.
//!
//! `docs/emulate.md` has all keys.

mod buffer;
mod contents;
mod element;
mod expect;
mod file;
mod finding;
mod launches;
mod maps;
mod mistakes;
mod reader;
mod run;

pub use element::ElementType;
pub use file::LaunchFile;
pub use finding::Finding;
pub use mistakes::{Mistake, Mistakes};
pub use run::{Emulation, Run, Stopped, Verdict};
