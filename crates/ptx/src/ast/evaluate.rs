use super::{BinaryOperator, Expression, ExpressionKind, Number, Type, UnaryOperator};

impl Expression {
    /// Returns the value of a constant integer expression as 64 bits; `None` if it contains names or floating-point
    /// numbers, or divides by zero.
    pub fn value(&self) -> Option<i64> {
        self.evaluate().map(|constant| constant.bits as i64)
    }

    fn evaluate(&self) -> Option<Constant> {
        match &self.kind {
            ExpressionKind::Literal(literal) => match literal.number() {
                Number::Integer { value, unsigned } => Some(Constant {
                    bits: value,
                    unsigned: unsigned || value > i64::MAX as u64,
                }),
                _ => None,
            },
            ExpressionKind::Unary(operator, operand) => Some(operand.evaluate()?.unary(*operator)),
            ExpressionKind::Binary(operator, left, right) => {
                left.evaluate()?.binary(*operator, right.evaluate()?)
            }
            ExpressionKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let (yes, no) = (yes.evaluate()?, no.evaluate()?);
                let chosen = if condition.evaluate()?.bits != 0 {
                    yes
                } else {
                    no
                };
                Some(Constant {
                    unsigned: yes.unsigned || no.unsigned,
                    ..chosen
                })
            }
            ExpressionKind::Cast(ty, operand) => {
                let unsigned = match ty {
                    Type::U64 => true,
                    Type::S64 => false,
                    _ => return None,
                };
                Some(Constant {
                    unsigned,
                    ..operand.evaluate()?
                })
            }
            ExpressionKind::Symbol(_) | ExpressionKind::Generic(_) | ExpressionKind::Mask(..) => {
                None
            }
        }
    }
}

/// An integer constant is 64 bits, signed unless something makes it unsigned
/// (PTX ISA, sections 4.5.4 to 4.5.6).
#[derive(Clone, Copy)]
struct Constant {
    bits: u64,
    unsigned: bool,
}

impl Constant {
    fn unary(self, operator: UnaryOperator) -> Self {
        match operator {
            UnaryOperator::Plus => self,
            UnaryOperator::Negate => Self {
                bits: self.bits.wrapping_neg(),
                ..self
            },
            UnaryOperator::Complement => Self {
                bits: !self.bits,
                ..self
            },
            UnaryOperator::Not => Self {
                bits: (self.bits == 0).into(),
                unsigned: false,
            },
        }
    }

    fn binary(self, operator: BinaryOperator, other: Self) -> Option<Self> {
        use BinaryOperator::*;
        let unsigned = self.unsigned || other.unsigned;
        let (a, b) = (self.bits, other.bits);
        let (signed_a, signed_b) = (a as i64, b as i64);
        let order = if unsigned {
            a.cmp(&b)
        } else {
            signed_a.cmp(&signed_b)
        };
        let number = |bits| Some(Self { bits, unsigned });
        let truth = |holds: bool| {
            Some(Self {
                bits: holds.into(),
                unsigned: false,
            })
        };
        match operator {
            Multiply => number(a.wrapping_mul(b)),
            Divide if unsigned => number(a.checked_div(b)?),
            Divide => number(signed_a.checked_div(signed_b)? as u64),
            Remainder if unsigned => number(a.checked_rem(b)?),
            Remainder => number(signed_a.checked_rem(signed_b)? as u64),
            Add => number(a.wrapping_add(b)),
            Subtract => number(a.wrapping_sub(b)),
            ShiftLeft => Some(Self {
                bits: a.checked_shl(u32::try_from(b).ok()?)?,
                ..self
            }),
            ShiftRight if self.unsigned => Some(Self {
                bits: a.checked_shr(u32::try_from(b).ok()?)?,
                ..self
            }),
            ShiftRight => Some(Self {
                bits: signed_a.checked_shr(u32::try_from(b).ok()?)? as u64,
                ..self
            }),
            Less => truth(order.is_lt()),
            LessEqual => truth(order.is_le()),
            Greater => truth(order.is_gt()),
            GreaterEqual => truth(order.is_ge()),
            Equal => truth(a == b),
            NotEqual => truth(a != b),
            And => number(a & b),
            Xor => number(a ^ b),
            Or => number(a | b),
            AndAlso => truth(a != 0 && b != 0),
            OrElse => truth(a != 0 || b != 0),
        }
    }
}
