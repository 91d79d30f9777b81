use super::{Expression, Identifier};
use crate::span::At;

/// One operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The form of the operand, with its parts.
    pub kind: OperandKind,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The forms of operands (PTX ISA, section 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// `%r1`, `%tid.x`, `table`, `$L__BB0_1`. Registers need no `%`: the declaration determines the kind of a name.
    Symbol(Symbol),
    /// `table+4`
    Offset(Box<(Symbol, Expression)>),
    /// `table[4]`
    Element(Box<(Symbol, Expression)>),
    /// A number, or an expression of numbers.
    Constant(Expression),
    /// `_`: the result is discarded.
    Sink,
    /// `!%p1`
    Not(Box<Operand>),
    /// `%p1|%p2`
    Pair(Box<Operand>, Box<Operand>),
    /// `{%r1, %r2}`
    Vector(Vec<Operand>),
    /// `[%rd1+8]`, or `[%rd1, {%r1, %r2}]` with further operands after the address.
    Memory {
        /// The address: a symbol, an offset or a constant.
        address: Box<Operand>,
        /// Further operands, such as coordinates.
        rest: Vec<Operand>,
    },
    /// `(%r1, param0)`: the arguments or results of a call.
    List(Vec<Operand>),
}

impl Operand {
    /// Creates an operand without a location.
    pub fn new(kind: OperandKind) -> Self {
        Self {
            kind,
            span: At::default(),
        }
    }

    /// Returns the register, variable or label if the operand is a plain name.
    pub fn as_name(&self) -> Option<&str> {
        match &self.kind {
            OperandKind::Symbol(symbol) if symbol.component.is_none() => Some(&symbol.name.name),
            _ => None,
        }
    }

    /// Returns the integer if the operand is a constant one.
    pub fn as_integer(&self) -> Option<i64> {
        match &self.kind {
            OperandKind::Constant(expression) => expression.value(),
            _ => None,
        }
    }

    /// Returns the symbol and the byte offset of an address, or of an operand that may be one; `None` if there is
    /// no symbol or the offset is not constant.
    pub fn base_and_offset(&self) -> Option<(&Symbol, i64)> {
        match &self.kind {
            OperandKind::Symbol(symbol) => Some((symbol, 0)),
            OperandKind::Offset(sum) => Some((&sum.0, sum.1.value()?)),
            OperandKind::Memory { address, .. } => address.base_and_offset(),
            _ => None,
        }
    }
}

impl From<&str> for Operand {
    /// Creates a symbol of this name.
    fn from(name: &str) -> Self {
        Self::new(OperandKind::Symbol(name.into()))
    }
}

impl From<i64> for Operand {
    fn from(value: i64) -> Self {
        Self::new(OperandKind::Constant(Expression::integer(value)))
    }
}

/// A name with an optional component: `%r1`, `%tid.x`, `%v.b3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name before the dot.
    pub name: Identifier,
    /// The component after the dot, such as `x`.
    pub component: Option<Box<Identifier>>,
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Self {
            name: name.into(),
            component: None,
        }
    }
}
