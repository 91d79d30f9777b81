//! Reads a PTX text or file, and what its kernels need of a launch.

mod file;
mod signature;
mod source;

pub use file::read_file;
pub use source::Source;
