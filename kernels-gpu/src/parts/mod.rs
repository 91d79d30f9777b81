//! What several kernels share.

mod add_one;
mod pipeline;
mod ring;
mod stream;
mod tickets;

pub(crate) use add_one::add_one;
pub(crate) use pipeline::{Schedule, pipeline};
pub(crate) use stream::stream;
