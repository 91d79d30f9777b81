//! Numbers and their arithmetic.

pub mod float8;
pub mod halves;
pub mod integer;
pub mod math;
