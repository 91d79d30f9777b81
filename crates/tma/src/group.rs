//! Threads that work together.

#[macro_use]
mod positions;

pub(crate) mod block;
pub mod cluster;
pub(crate) mod lanes;
mod roles;
pub mod thread;
pub mod warp;
pub(crate) mod warpgroup;
pub(crate) mod warps;
