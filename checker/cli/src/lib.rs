//! Launch files and recorded launches, as run by the command `tma` and by other programs.

pub mod replay;

/// Launch files, as run by `tma emulate`.
pub use launch_file as emulate;
