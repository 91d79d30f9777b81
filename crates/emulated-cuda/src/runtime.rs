//! The runtime, `libcudart`.

mod device;
mod entry_points;
mod functions;
mod host_memory;
mod launches;
mod memory;
mod missing;
mod registration;
mod streams;
mod symbols;
