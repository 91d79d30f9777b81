use super::{Parse, Parser};
use crate::ast::{Identifier, Operand, OperandKind, Symbol};
use crate::lexer::Token;
use crate::span::At;

impl Parser<'_> {
    /// Parses an operand. In a call, parentheses contain a list; elsewhere, an expression.
    pub(super) fn operand(&mut self, is_call: bool) -> Parse<Operand> {
        let first = self.next;
        let left = self.single_operand(is_call)?;
        if !self.eat(Token::Or) {
            return Ok(left);
        }
        let right = self.single_operand(false)?;
        let kind = OperandKind::Pair(Box::new(left), Box::new(right));
        Ok(Operand {
            kind,
            span: self.since(first),
        })
    }

    fn single_operand(&mut self, is_call: bool) -> Parse<Operand> {
        let first = self.next;
        let kind = match self.token() {
            Token::Identifier => self.symbol_operand(is_call)?,
            Token::Underscore => {
                self.bump();
                OperandKind::Sink
            }
            Token::Bang if self.token_after() == Token::Identifier => self.negated_name(is_call)?,
            Token::OpenBrace => OperandKind::Vector(
                self.operands(Token::CloseBrace, "`,` or `}` after the operand")?,
            ),
            Token::OpenBracket => self.memory()?,
            Token::OpenParen if is_call => {
                OperandKind::List(self.operands(Token::CloseParen, "`,` or `)` after the operand")?)
            }
            // Operands of a call are names and lists; the other arms are expressions.
            _ if is_call => return self.fail("a name or a list"),
            _ if self.begins_an_expression() => OperandKind::Constant(self.expression()?),
            _ => return self.fail("an operand"),
        };
        Ok(Operand {
            kind,
            span: self.since(first),
        })
    }

    /// Parses a possibly empty list up to its closing token.
    fn operands(&mut self, close: Token, expected: &str) -> Parse<Vec<Operand>> {
        self.bump();
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let operands = self.nested(|p| p.list(|p| p.operand(false)))?;
        self.expect(close, expected)?;
        Ok(operands)
    }

    fn memory(&mut self) -> Parse<OperandKind> {
        self.bump();
        if !matches!(
            self.token(),
            Token::Identifier | Token::Integer | Token::Float | Token::OpenParen | Token::Minus
        ) {
            return self.fail("an address");
        }
        let address = Box::new(self.nested(|p| p.single_operand(false))?);
        let mut rest = Vec::new();
        if self.eat(Token::Comma) {
            rest = self.nested(|p| p.list(|p| p.operand(false)))?;
        }
        self.expect(Token::CloseBracket, "`]` after the address")?;
        Ok(OperandKind::Memory { address, rest })
    }

    /// Parses `!` and the name of a predicate. Before an operator they begin an expression, in which `!` binds tighter.
    fn negated_name(&mut self, is_call: bool) -> Parse<OperandKind> {
        let first = self.next;
        self.bump();
        let operand = self.nested(|p| p.single_operand(is_call))?;
        if matches!(operand.kind, OperandKind::Symbol(_)) {
            return Ok(OperandKind::Not(Box::new(operand)));
        }
        self.next = first;
        match is_call {
            true => self.fail("a name or a list"),
            false => Ok(OperandKind::Constant(self.expression()?)),
        }
    }

    /// Parses an operand that begins with a name. In a call it is not an expression, since parentheses would
    /// contain a list.
    fn symbol_operand(&mut self, is_call: bool) -> Parse<OperandKind> {
        let first = self.next;
        let symbol = self.symbol()?;
        match self.token() {
            Token::Plus => {
                self.bump();
                let offset = self.expression()?;
                Ok(OperandKind::Offset(Box::new((symbol, offset))))
            }
            Token::Minus => {
                let offset = self.expression()?;
                Ok(OperandKind::Offset(Box::new((symbol, offset))))
            }
            Token::OpenBracket => {
                self.bump();
                let index = self.nested(Self::expression)?;
                self.expect(Token::CloseBracket, "`]` after the index")?;
                Ok(OperandKind::Element(Box::new((symbol, index))))
            }
            // `|` joins two registers here; it is an operator only between numbers.
            Token::Or => Ok(OperandKind::Symbol(symbol)),
            token
                if !is_call
                    && (token == Token::Question || Self::binary_operator(token).is_some()) =>
            {
                self.next = first;
                Ok(OperandKind::Constant(self.expression()?))
            }
            _ => Ok(OperandKind::Symbol(symbol)),
        }
    }

    pub(super) fn symbol(&mut self) -> Parse<Symbol> {
        let name = self.identifier("a name")?;
        let component = (self.token() == Token::Dotted).then(|| {
            let span = self.bump().span;
            Box::new(Identifier {
                name: span.slice(self.text)[1..].into(),
                span: At(span),
            })
        });
        Ok(Symbol { name, component })
    }
}
