//! Checked driver functions that `cust`'s CUDA 11.4 bindings lack or return without detail.
//!
//! Each is looked up by its symbol, whose name determines its signature permanently (`_v2` and the like are
//! separate symbols). `cuGetProcAddress` would determine it by a CUDA version instead, and would have to be found
//! first.

pub mod device;
pub mod function;
pub mod launch;
pub mod module;
pub mod peer;
pub mod pointer;
pub mod tensor_map;
