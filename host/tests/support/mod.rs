//! Helpers that the tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod everywhere;
pub(crate) mod matrix;
