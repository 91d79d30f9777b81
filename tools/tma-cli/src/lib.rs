//! Launch files and recorded launches, which the command `tma` and other programs run.

pub mod emulate;
pub mod replay;
