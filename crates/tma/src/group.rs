//! Threads that work together.

#[macro_use]
mod positions;

mod block;
pub mod cluster;
mod lanes;
mod roles;
pub mod thread;
mod threads;
pub mod warp;
mod warpgroup;
pub(crate) mod warps;

pub use block::Block;
pub(crate) use cluster::Cluster;
pub use lanes::Lanes;
pub use threads::Threads;
pub(crate) use threads::publish;
pub(crate) use warp::Warp;
pub use warpgroup::Warpgroup;
pub use warps::Warps;
