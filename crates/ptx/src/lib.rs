//! Parses PTX into a syntax tree and prints the tree.
//!
//! The crate covers the syntax of PTX (ISA up to 9.x) but not the meaning of instructions: an [`Instruction`] is a
//! guard, a dotted [`Opcode`] and [`Operand`]s. It parses the output of `rustc` and `nvcc`. Comments are dropped,
//! and DWARF sections are kept as text.
//!
//! ```
//! let mut module = ptx::parse(
//!     ".version 8.6
//!      .target sm_90a
//!      .address_size 64
//!      .visible .entry copy(.param .align 16 .b8 map[128])
//!      {
//!          ret;
//!      }",
//! )?;
//! let copy = module.function_mut("copy").unwrap();
//! copy.set_directive(".maxntid", [128, 1, 1]);
//! copy.parameter_mut("map").unwrap().align = Some(64);
//!
//! assert_eq!(
//!     copy.to_string(),
//!     ".visible .entry copy(\n\t.param .align 64 .b8 map[128]\n)\n.maxntid 128, 1, 1\n{\n\tret;\n}"
//! );
//! # Ok::<(), ptx::SyntaxErrors>(())
//! ```
//!
//! All errors are reported at once, each with its line:
//!
//! ```
//! let errors = ptx::parse_statements("add.s32 %r1, %r2 %r3;\nbra ;").unwrap_err();
//! assert_eq!(
//!     errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
//!     ["1:18: expected `,` or `;` after the operand, found `%r3`"]
//! );
//! ```

#![forbid(unsafe_code)]

pub mod ast;
mod error;
mod extract;
mod lexer;
mod parser;
mod printer;
mod span;
mod visit;

pub use ast::*;
pub use error::{SyntaxError, SyntaxErrors};
pub use extract::Definitions;
pub use span::{At, LineColumn, LineIndex, Span};

use parser::Parser;

/// Parses a module. Errors call it `<ptx>`.
pub fn parse(text: &str) -> Result<Module, SyntaxErrors> {
    parse_named("<ptx>", text)
}

/// Parses a module from a file of this name.
pub fn parse_named(file: &str, text: &str) -> Result<Module, SyntaxErrors> {
    let mut parser = Parser::new(text);
    let module = parser.module();
    parser.finish(file, module)
}

/// Parses statements outside of a function, such as a single instruction.
///
/// ```
/// let statements = ptx::parse_statements("@!%p1 bra $L__BB0_2;")?;
/// let [ptx::Statement::Instruction(branch)] = &statements[..] else { unreachable!() };
/// assert_eq!(branch.operands[0].as_name(), Some("$L__BB0_2"));
/// # Ok::<(), ptx::SyntaxErrors>(())
/// ```
pub fn parse_statements(text: &str) -> Result<Vec<Statement>, SyntaxErrors> {
    let mut parser = Parser::new(text);
    let statements = parser.statements(true);
    parser.finish("<ptx>", Ok(statements))
}
