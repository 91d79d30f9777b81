use std::fmt::{self, Display, Formatter};

use super::{joined, word};
use crate::ast::{
    Block, CallPrototype, Guard, Instruction, LabelList, Location, Opcode, Statement,
};

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, self, 0)
    }
}

/// Writes a block with braces indented by `depth` tabs.
fn block(f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
    let tabs = |depth: usize| "\t".repeat(depth);
    f.write_str("{\n")?;
    for statement in &block.statements {
        if !matches!(statement, Statement::Label(_)) {
            f.write_str(&tabs(depth + 1))?;
        }
        match statement {
            Statement::Block(inner) => self::block(f, inner, depth + 1)?,
            other => other.fmt(f)?,
        }
        f.write_str("\n")?;
    }
    write!(f, "{}}}", tabs(depth))
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Instruction(instruction) => instruction.fmt(f),
            Statement::Label(label) => write!(f, "{label}:"),
            Statement::Variable(variable) => variable.fmt(f),
            Statement::Block(block) => block.fmt(f),
            Statement::Location(location) => location.fmt(f),
            Statement::Pragma(pragma) => pragma.fmt(f),
            Statement::LabelList(list) => list.fmt(f),
            Statement::CallPrototype(prototype) => prototype.fmt(f),
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".loc {} {} {}", self.file, self.line, self.column)?;
        let Some(inlined) = &self.inlined else {
            return Ok(());
        };
        write!(f, ", function_name {}", inlined.function_name)?;
        if let Some(offset) = inlined.offset {
            write!(f, "+{offset}")?;
        }
        write!(
            f,
            ", inlined_at {} {} {}",
            inlined.file, inlined.line, inlined.column
        )
    }
}

impl Display for LabelList {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ", self.label, self.kind.as_str())?;
        joined(f, &self.targets, ", ")?;
        f.write_str(";")
    }
}

impl Display for CallPrototype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype (", self.label)?;
        joined(f, &self.returns, ", ")?;
        write!(f, ") {} (", self.name)?;
        joined(f, &self.parameters, ", ")?;
        f.write_str(")")?;
        for directive in &self.directives {
            write!(f, " {directive}")?;
        }
        f.write_str(";")
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        word(f, self.guard.as_ref())?;
        self.opcode.fmt(f)?;
        if !self.operands.is_empty() {
            f.write_str(" ")?;
        }
        joined(f, &self.operands, ", ")?;
        f.write_str(";")
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "@{}{}",
            if self.negated { "!" } else { "" },
            self.register
        )
    }
}

impl Display for Opcode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
