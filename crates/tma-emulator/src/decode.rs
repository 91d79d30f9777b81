//! The decoder: translates the syntax tree into a flat list of operations.
//!
//! Registers become slots. Symbols and constants become slots that are filled at the entry of a function.
//! Branches become indices. An [`InstructionSet`] decodes the instructions. Unsupported ones are collected, so
//! that all are reported before anything runs.

mod alu;
mod body;
mod form;
mod image;
mod instruction_set;
mod lines;
mod modifiers;
mod operands;
mod respelled;
mod results;
mod scope;
mod signature;
mod unsupported;
mod valid;

pub(crate) use alu::{binary, ternary, unary};
pub(crate) use body::{Decoder, decode};
pub(crate) use form::{exact, operator, space, ty};
pub(crate) use image::Image;
pub(crate) use instruction_set::{Decode, InstructionSet, Words};
pub(crate) use modifiers::Modifiers;
pub(crate) use operands::operands;
pub(crate) use scope::{Register, Symbol};
pub(crate) use signature::signature;
pub(crate) use unsupported::NotSupported;
pub use unsupported::Unsupported;
pub(crate) use valid::check;
