//! What the command `tma` does that programs can use too: launch files.

pub mod emulate;
