//! Prints trees as text: `Display` for every node.
//!
//! Each statement is on its own line, indented by tabs. Parsing the output yields an equal tree.

mod expression;
mod function;
mod module;
mod operand;
mod statement;
mod variable;

use std::fmt::{self, Display, Formatter};

/// Writes parts with a separator between them.
fn joined<T: Display>(f: &mut Formatter<'_>, parts: &[T], separator: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        part.fmt(f)?;
    }
    Ok(())
}

/// Writes an optional word followed by a space.
fn word(f: &mut Formatter<'_>, word: Option<impl Display>) -> fmt::Result {
    word.map_or(Ok(()), |word| write!(f, "{word} "))
}

impl Display for crate::ast::Identifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}
