//! Launch files, which the command `tma` and other programs run.

pub mod emulate;
