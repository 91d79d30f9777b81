//! Numbers and their arithmetic.

pub(crate) mod element;
pub mod float8;
pub mod halves;
pub mod integer;
pub mod math;

pub use element::{Element, SharedValue};
