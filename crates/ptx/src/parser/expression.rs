use super::{MAX_NESTING, Parse, Parser};
use crate::ast::{BinaryOperator, Expression, ExpressionKind, Literal, Type, UnaryOperator};
use crate::lexer::Token;
use crate::span::At;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        let condition = self.binary(1)?;
        if !self.eat(Token::Question) {
            return Ok(condition);
        }
        let yes = self.nested(Self::expression)?;
        self.expect(Token::Colon, "`:` and the other choice")?;
        let no = self.nested(Self::expression)?;
        let span = At(condition.span.to(*no.span));
        Ok(Expression {
            kind: ExpressionKind::Conditional(Box::new([condition, yes, no])),
            span,
        })
    }

    /// Parses operators of at least this precedence by precedence climbing.
    fn binary(&mut self, lowest: u8) -> Parse<Expression> {
        let mut left = self.unary()?;
        let mut length = 0;
        while let Some(operator) = Self::binary_operator(self.token()) {
            if operator.precedence() < lowest {
                break;
            }
            length += 1;
            if length > MAX_NESTING {
                return self.fail(&format!("at most {MAX_NESTING} operators in a row"));
            }
            self.bump();
            let right = self.nested(|p| p.binary(operator.precedence() + 1))?;
            let span = At(left.span.to(*right.span));
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parse<Expression> {
        let first = self.next;
        let operator = match self.token() {
            Token::Plus => UnaryOperator::Plus,
            Token::Minus => UnaryOperator::Negate,
            Token::Bang => UnaryOperator::Not,
            Token::Tilde => UnaryOperator::Complement,
            Token::OpenParen if self.token_after() == Token::Dotted => return self.cast(),
            _ => return self.primary(),
        };
        self.bump();
        let operand = Box::new(self.nested(Self::unary)?);
        Ok(Expression {
            kind: ExpressionKind::Unary(operator, operand),
            span: self.since(first),
        })
    }

    fn cast(&mut self) -> Parse<Expression> {
        let first = self.next;
        self.bump();
        let Some(ty) = Type::from_word(self.word()) else {
            return self.fail("a type such as `.u64`");
        };
        self.bump();
        self.expect(Token::CloseParen, "`)` after the type")?;
        let operand = Box::new(self.nested(Self::unary)?);
        Ok(Expression {
            kind: ExpressionKind::Cast(ty, operand),
            span: self.since(first),
        })
    }

    fn primary(&mut self) -> Parse<Expression> {
        let first = self.next;
        let kind = match (self.token(), self.token_after()) {
            (Token::Integer | Token::Float, after) => {
                let Some(literal) = Literal::read(self.word()) else {
                    return self.fail("a number of at most 64 bits");
                };
                self.bump();
                if after == Token::OpenParen {
                    ExpressionKind::Mask(Box::new(literal), Box::new(self.parenthesised()?))
                } else {
                    ExpressionKind::Literal(literal)
                }
            }
            (Token::Dotted, _) if self.is_fraction() => {
                match Literal::read(self.bump().span.slice(self.text)) {
                    Some(literal) => ExpressionKind::Literal(literal),
                    None => return self.fail("a number"),
                }
            }
            (Token::Identifier, Token::OpenParen) if self.word() == "generic" => {
                self.bump();
                self.bump();
                let name = self.identifier("the name of a variable")?;
                self.expect(Token::CloseParen, "`)` after the name")?;
                ExpressionKind::Generic(Box::new(name))
            }
            (Token::Identifier, _) => ExpressionKind::Symbol(Box::new(self.identifier("a name")?)),
            (Token::OpenParen, _) => {
                let inner = self.parenthesised()?;
                return Ok(Expression {
                    kind: inner.kind,
                    span: self.since(first),
                });
            }
            _ => return self.fail("a number or a name"),
        };
        Ok(Expression {
            kind,
            span: self.since(first),
        })
    }

    pub(super) fn begins_an_expression(&self) -> bool {
        match self.token() {
            Token::Integer
            | Token::Float
            | Token::Identifier
            | Token::OpenParen
            | Token::Plus
            | Token::Minus
            | Token::Tilde
            | Token::Bang => true,
            Token::Dotted => self.is_fraction(),
            _ => false,
        }
    }

    /// Returns whether the next token, which looks like a directive, is a number such as `.5`.
    pub(super) fn is_fraction(&self) -> bool {
        let digits = self.word().strip_prefix('.').unwrap_or("");
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    }

    fn parenthesised(&mut self) -> Parse<Expression> {
        self.bump();
        let inner = self.nested(Self::expression)?;
        self.expect(Token::CloseParen, "`)` after the expression")?;
        Ok(inner)
    }

    pub(super) fn binary_operator(token: Token) -> Option<BinaryOperator> {
        use BinaryOperator::*;
        Some(match token {
            Token::Star => Multiply,
            Token::Slash => Divide,
            Token::Percent => Remainder,
            Token::Plus => Add,
            Token::Minus => Subtract,
            Token::ShiftLeft => ShiftLeft,
            Token::ShiftRight => ShiftRight,
            Token::Less => Less,
            Token::LessEqual => LessEqual,
            Token::Greater => Greater,
            Token::GreaterEqual => GreaterEqual,
            Token::EqualEqual => Equal,
            Token::NotEqual => NotEqual,
            Token::And => And,
            Token::Caret => Xor,
            Token::Or => Or,
            Token::AndAnd => AndAlso,
            Token::OrOr => OrElse,
            _ => return None,
        })
    }
}
