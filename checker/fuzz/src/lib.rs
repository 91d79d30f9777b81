//! The targets that take arbitrary input, for libFuzzer and for `fuzz-smoke`.
//!
//! A target panics on a failure, its own or one of its calls.

pub mod corpus;
pub mod mutate;
mod rng;
mod targets;

pub use rng::Rng;
pub use targets::{Depth, Target};
