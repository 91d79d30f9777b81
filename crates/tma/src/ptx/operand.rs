//! Operands and modifiers of instructions, as types.

pub mod address;
pub(crate) mod modifier;
pub mod value;
