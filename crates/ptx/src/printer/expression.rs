use std::fmt::{self, Display, Formatter};

use crate::ast::{BinaryOperator, Expression, ExpressionKind, Literal};

/// Binds tighter than all binary operators.
const UNARY: u8 = 11;

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expression(f, self, 0)
    }
}

/// Writes the offset that is added to a symbol, which may itself be a sum.
pub(super) fn sum(f: &mut Formatter<'_>, offset: &Expression) -> fmt::Result {
    expression(f, offset, 0)
}

/// Writes an expression, in parentheses if it binds less tightly than `around`.
fn expression(f: &mut Formatter<'_>, node: &Expression, around: u8) -> fmt::Result {
    let own = match &node.kind {
        ExpressionKind::Conditional(_) => 0,
        ExpressionKind::Binary(operator, ..) => operator.precedence(),
        _ => UNARY,
    };
    if own < around {
        f.write_str("(")?;
        bare(f, node, own)?;
        f.write_str(")")
    } else {
        bare(f, node, own)
    }
}

fn bare(f: &mut Formatter<'_>, node: &Expression, own: u8) -> fmt::Result {
    match &node.kind {
        ExpressionKind::Literal(literal) => literal.fmt(f),
        ExpressionKind::Symbol(name) => name.fmt(f),
        ExpressionKind::Generic(name) => write!(f, "generic({name})"),
        ExpressionKind::Mask(mask, operand) => write!(f, "{mask}({operand})"),
        ExpressionKind::Unary(operator, operand) => {
            f.write_str(operator.as_str())?;
            expression(f, operand, UNARY)
        }
        ExpressionKind::Cast(ty, operand) => {
            write!(f, "({}) ", ty.as_str())?;
            expression(f, operand, UNARY)
        }
        ExpressionKind::Binary(operator, left, right) => {
            expression(f, left, own)?;
            // Without the space, `4%r` would be read as the register `%r`.
            let space = if *operator == BinaryOperator::Remainder {
                " "
            } else {
                ""
            };
            write!(f, "{space}{}{space}", operator.as_str())?;
            expression(f, right, own + 1)
        }
        ExpressionKind::Conditional(parts) => {
            let [condition, yes, no] = &**parts;
            expression(f, condition, 1)?;
            write!(f, " ? {yes} : {no}")
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}
