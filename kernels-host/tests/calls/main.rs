//! The calls, on the emulator, and on a GPU where there is one.

mod attention;
mod attention_backward;
mod attention_decode;
mod gemm;
mod gemm_fp8;
mod rows;
mod support;
