//! Driver functions with checked results.
//!
//! Each is looked up by its symbol, whose name determines its signature permanently (`_v2` and the like are
//! separate symbols). `cuGetProcAddress` would determine it by a CUDA version instead, and would have to be found
//! first.

pub mod context;
pub mod device;
pub mod event;
pub mod function;
pub mod launch;
pub mod memory;
pub mod module;
pub mod peer;
pub mod pointer;
pub mod stream;
pub mod tensor_map;
