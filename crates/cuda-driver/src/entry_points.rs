//! Driver functions that `cust`'s CUDA 11.4 bindings lack or return without detail, checked.
//!
//! Each is looked up by its symbol, whose name fixes its signature for ever (`_v2` and the like are
//! separate symbols). `cuGetProcAddress` would fix it by a CUDA version instead, and be one more
//! thing to find first.

pub mod device;
pub mod function;
pub mod launch;
pub mod module;
pub mod peer;
pub mod pointer;
pub mod tensor_map;
