//! Operands and modifiers of instructions, as types.

pub mod address;
pub(crate) mod modifier;
pub(crate) mod pointer;
pub mod value;

pub(crate) use pointer::{ClusterPtr, GlobalPtr, SharedPtr};
