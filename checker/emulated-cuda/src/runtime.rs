//! The runtime, `libcudart`.

mod arrays;
mod captures;
mod conditionals;
pub(crate) mod copies;
pub(crate) mod device;
mod entry_points;
mod functions;
mod graph_memory;
mod graph_nodes;
mod graphs;
mod host_memory;
pub(crate) mod launches;
pub(crate) mod memory;
mod missing;
mod registration;
mod stream_attributes;
pub(crate) mod streams;
mod symbols;
pub(crate) mod textures;
