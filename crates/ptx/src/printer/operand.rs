use std::fmt::{self, Display, Formatter};

use super::{expression, joined};
use crate::ast::{Expression, ExpressionKind, Operand, OperandKind, Symbol, UnaryOperator};

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperandKind::Symbol(symbol) => symbol.fmt(f),
            OperandKind::Offset(sum) => {
                write!(f, "{}+", sum.0)?;
                expression::sum(f, &sum.1)
            }
            OperandKind::Element(element) => write!(f, "{}[{}]", element.0, element.1),
            // Without the parentheses, the name alone would be read as the operand.
            OperandKind::Constant(value) if begins_with_a_name(value) => write!(f, "({value})"),
            OperandKind::Constant(value) => value.fmt(f),
            OperandKind::Sink => f.write_str("_"),
            OperandKind::Not(operand) => write!(f, "!{operand}"),
            OperandKind::Pair(left, right) => write!(f, "{left}|{right}"),
            OperandKind::Vector(elements) => enclosed(f, "{", elements, "}"),
            OperandKind::List(elements) => enclosed(f, "(", elements, ")"),
            OperandKind::Memory { address, rest } if rest.is_empty() => write!(f, "[{address}]"),
            OperandKind::Memory { address, rest } => {
                write!(f, "[{address}, ")?;
                joined(f, rest, ", ")?;
                f.write_str("]")
            }
        }
    }
}

fn begins_with_a_name(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Symbol(_) | ExpressionKind::Generic(_) => true,
        ExpressionKind::Binary(_, left, _) => begins_with_a_name(left),
        ExpressionKind::Conditional(parts) => begins_with_a_name(&parts[0]),
        ExpressionKind::Unary(UnaryOperator::Not, operand) => begins_with_a_name(operand),
        _ => false,
    }
}

fn enclosed(f: &mut Formatter<'_>, open: &str, operands: &[Operand], close: &str) -> fmt::Result {
    f.write_str(open)?;
    joined(f, operands, ", ")?;
    f.write_str(close)
}

impl Display for Symbol {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        match &self.component {
            Some(component) => write!(f, ".{component}"),
            None => Ok(()),
        }
    }
}
