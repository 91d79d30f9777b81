//! Launch files in TOML: PTX modules, buffers, launches with arguments, and expected results.
//!
//! `docs/emulate.md` lists all keys.

mod buffer;
mod contents;
mod diagnostic;
mod element;
mod expect;
mod file;
mod holds;
mod json;
mod launches;
mod maps;
mod modules;
mod output;
mod reader;
mod run;
pub mod steps;
mod suppressions;
mod textures;
mod violations;

pub use diagnostic::Diagnostic;
pub use element::ElementType;
pub use file::LaunchFile;
pub use json::{exploration_to_json, finding_to_json, hex, run_to_json, violation_to_json};
pub use output::Output;
pub use run::{Emulation, Ran, Run, Stopped, Verdict, runs_here, stopped};
pub use suppressions::{parse_suppressions, read_suppressions};
pub use violations::{Violation, Violations};
