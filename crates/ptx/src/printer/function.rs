use std::fmt::{self, Display, Formatter};

use super::{joined, variable, word};
use crate::ast::{
    Expression, ExpressionKind, Function, FunctionDirective, FunctionKind, Literal, Number,
    Parameter, Pointer, UnaryOperator,
};

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
        let Some((first, rest)) = self.arguments.split_first() else {
            return Ok(());
        };
        // Without the parentheses, it would not be read as an argument.
        match begins_with_an_integer(first) {
            true => write!(f, " {first}")?,
            false => write!(f, " ({first})")?,
        }
        rest.iter().try_for_each(|it| write!(f, ", {it}"))
    }
}

fn begins_with_an_integer(expression: &Expression) -> bool {
    let is_integer = |literal: &Literal| matches!(literal.number(), Number::Integer { .. });
    match &expression.kind {
        ExpressionKind::Literal(literal) => is_integer(literal),
        ExpressionKind::Mask(mask, _) => is_integer(mask),
        ExpressionKind::Binary(_, left, _) => begins_with_an_integer(left),
        ExpressionKind::Conditional(parts) => begins_with_an_integer(&parts[0]),
        ExpressionKind::Cast(..) | ExpressionKind::Unary(UnaryOperator::Negate, _) => true,
        _ => false,
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
