//! Launch files and recorded launches, as run by the command `tma` and by other programs.

pub mod emulate;
pub mod replay;
