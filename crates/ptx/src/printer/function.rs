use std::fmt::{self, Display, Formatter};

use super::{joined, variable, word};
use crate::ast::{Function, FunctionDirective, FunctionKind, Parameter, Pointer};

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        word(f, self.linkage.map(|linkage| linkage.as_str()))?;
        f.write_str(match self.kind {
            FunctionKind::Entry => ".entry ",
            FunctionKind::Func => ".func ",
        })?;
        variable::attributes(f, &self.attributes)?;
        if !self.returns.is_empty() {
            f.write_str("(")?;
            joined(f, &self.returns, ", ")?;
            f.write_str(") ")?;
        }
        write!(f, "{}(", self.name)?;
        if !self.parameters.is_empty() {
            f.write_str("\n\t")?;
            joined(f, &self.parameters, ",\n\t")?;
            f.write_str("\n")?;
        }
        f.write_str(")")?;
        for directive in &self.directives {
            write!(f, "\n{directive}")?;
        }
        for pragma in &self.pragmas {
            write!(f, "\n{pragma}")?;
        }
        match &self.body {
            Some(body) => write!(f, "\n{body}"),
            None => f.write_str(";"),
        }
    }
}

impl Display for FunctionDirective {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.arguments.is_empty() {
            f.write_str(" ")?;
        }
        joined(f, &self.arguments, ", ")
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.space.as_str())?;
        variable::shape(f, self.align, self.vector, self.ty)?;
        word(f, self.pointer.as_ref())?;
        self.name.fmt(f)?;
        variable::dimensions(f, &self.dimensions)
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".ptr")?;
        if let Some(space) = self.space {
            write!(f, " {}", space.as_str())?;
        }
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        Ok(())
    }
}
