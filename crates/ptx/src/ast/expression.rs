use super::{Identifier, Literal, Type};
use crate::span::At;

/// A constant expression (PTX ISA, section 4.5), in operands, sizes and initialisers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The form of the expression, with its parts.
    pub kind: ExpressionKind,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The forms of expressions. Parentheses are not stored: the printer writes them where needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// `4`, `0f3F800000`
    Literal(Literal),
    /// `table`, `WARP_SZ`
    Symbol(Box<Identifier>),
    /// `-4`
    Unary(UnaryOperator, Box<Expression>),
    /// `4+8`
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `a ? b : c`
    Conditional(Box<[Expression; 3]>),
    /// `(.u64) 4`
    Cast(Type, Box<Expression>),
    /// `generic(table)`: the generic address of a variable (PTX ISA, section 5.4.4).
    Generic(Box<Identifier>),
    /// `0xFF00(table)`: some bits of an address (PTX ISA, section 5.4.4).
    Mask(Box<Literal>, Box<Expression>),
}

impl Expression {
    /// Creates an expression without a location.
    pub fn new(kind: ExpressionKind) -> Self {
        Self {
            kind,
            span: At::default(),
        }
    }

    /// Creates an integer, with a minus sign if it is negative.
    pub fn integer(value: i64) -> Self {
        let size = Self::new(ExpressionKind::Literal(Literal::integer(
            value.unsigned_abs(),
        )));
        if value < 0 {
            Self::new(ExpressionKind::Unary(UnaryOperator::Negate, Box::new(size)))
        } else {
            size
        }
    }

    /// Returns the literal if the expression is a single literal.
    pub fn as_literal(&self) -> Option<&Literal> {
        match &self.kind {
            ExpressionKind::Literal(literal) => Some(literal),
            _ => None,
        }
    }
}

/// Operators that precede their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

impl UnaryOperator {
    /// Returns the operator's sign in PTX.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Negate => "-",
            Self::Not => "!",
            Self::Complement => "~",
        }
    }
}

/// Operators between their operands, with the precedence of C (PTX ISA, section 4.5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
    /// `&&`
    AndAlso,
    /// `||`
    OrElse,
}

impl BinaryOperator {
    /// Returns the operator's sign in PTX.
    pub const fn as_str(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            Add => "+",
            Subtract => "-",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            Equal => "==",
            NotEqual => "!=",
            And => "&",
            Xor => "^",
            Or => "|",
            AndAlso => "&&",
            OrElse => "||",
        }
    }

    /// Returns the precedence; larger binds tighter.
    pub(crate) const fn precedence(self) -> u8 {
        use BinaryOperator::*;
        match self {
            Multiply | Divide | Remainder => 10,
            Add | Subtract => 9,
            ShiftLeft | ShiftRight => 8,
            Less | LessEqual | Greater | GreaterEqual => 7,
            Equal | NotEqual => 6,
            And => 5,
            Xor => 4,
            Or => 3,
            AndAlso => 2,
            OrElse => 1,
        }
    }
}
