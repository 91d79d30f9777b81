//! The loops that several kernels share: copies run ahead of the work through a ring of stages.

mod add_one;
mod pipeline;
mod ring;
mod stream;
mod tickets;

pub(crate) use add_one::{VECTOR_BYTES, add_one};
pub(crate) use pipeline::{Schedule, pipeline};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use ring::ring_bytes;
pub(crate) use stream::stream;
