//! The targets that take arbitrary input, for libFuzzer and for `fuzz-smoke`.
//!
//! A target panics when it has found something, itself or in its calls.

pub mod corpus;
pub mod mutate;
mod rng;
mod targets;

pub use rng::Rng;
pub use targets::{Depth, Target};
