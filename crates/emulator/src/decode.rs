//! From the syntax tree to a flat list of operations.
//!
//! Registers become slots, symbols and constants become slots that are filled when a function is
//! entered, branches become indices. What an instruction is decoded to is the business of an
//! [`InstructionSet`]. What it does not know is collected, so that all of it is named before anything
//! runs.

mod alu;
mod body;
mod form;
mod image;
mod instruction_set;
mod lines;
mod modifiers;
mod operands;
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
