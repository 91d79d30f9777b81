//! Findings of the checker as JSON, the form of `tma emulate --json`, and as a SARIF log.

mod artifact;
mod json;
mod rules;
mod sarif;

pub use json::to_json;
pub use sarif::{Origin, Sarif};
