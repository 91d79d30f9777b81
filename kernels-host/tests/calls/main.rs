//! The calls, on the emulator, and on a GPU where there is one.

mod attention;
mod gemm;
mod rows;
mod support;
