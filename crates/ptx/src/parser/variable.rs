use super::{Parse, Parser};
use crate::ast::{
    Attribute, Declarator, Expression, Initializer, InitializerKind, Linkage, Space, Type,
    Variable, Vector,
};
use crate::lexer::{Spanned, Token};

impl Parser<'_> {
    /// Parses from the state space on; the variable began at the token `first`.
    pub(super) fn variable(&mut self, first: Spanned, linkage: Option<Linkage>) -> Parse<Variable> {
        let Some(space) = Space::from_word(self.word()) else {
            return self.fail("a state space such as `.global`");
        };
        self.bump();
        let mut bank = None;
        if self.eat(Token::OpenBracket) {
            bank = Some(self.u32("the number of a constant bank")?);
            self.expect(Token::CloseBracket, "`]` after the constant bank")?;
        }
        let attributes = self.attributes()?;
        let (align, vector, ty) = self.shape()?;
        let declarators = self.list(Self::declarator)?;
        self.semicolon("`,` or `;` after the variable")?;
        Ok(Variable {
            linkage,
            space,
            bank,
            attributes,
            align,
            vector,
            ty,
            declarators,
            span: self.since(first),
        })
    }

    /// Parses alignment and vector in either order, then the type.
    pub(super) fn shape(&mut self) -> Parse<(Option<u32>, Option<Vector>, Type)> {
        let (mut align, mut vector) = (None, None);
        loop {
            let word = self.word();
            if self.token() != Token::Dotted {
                return self.fail("a type such as `.u32`");
            } else if word == ".align" && align.is_none() {
                self.bump();
                align = Some(self.u32("the alignment in bytes")?);
            } else if let (Some(read), None) = (Vector::from_word(word), vector) {
                self.bump();
                vector = Some(read);
            } else if let Some(ty) = Type::from_word(word) {
                self.bump();
                return Ok((align, vector, ty));
            } else {
                return self.fail("a type such as `.u32`");
            }
        }
    }

    /// Parses an optional `.attribute(.managed, .unified(19, 95))`.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        if !self.eat_word(".attribute") {
            return Ok(Vec::new());
        }
        self.expect(Token::OpenParen, "`(` and an attribute")?;
        let attributes = self.list(|p| {
            let first = p.next;
            let name = p
                .expect(Token::Dotted, "an attribute such as `.managed`")?
                .span;
            let mut arguments = Vec::new();
            if p.eat(Token::OpenParen) {
                arguments = p.list(Self::expression)?;
                p.expect(Token::CloseParen, "`)` after the attribute's numbers")?;
            }
            Ok(Attribute {
                name: name.slice(p.text).to_owned(),
                arguments,
                span: p.since(first),
            })
        })?;
        self.expect(Token::CloseParen, "`,` or `)` after the attribute")?;
        Ok(attributes)
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.identifier("the name of a variable")?;
        let mut range = None;
        if self.eat(Token::Less) {
            range = Some(self.u32("the number of registers")?);
            self.expect(Token::Greater, "`>` after the number of registers")?;
        }
        let dimensions = self.dimensions()?;
        let initializer = if self.eat(Token::Equals) {
            Some(Box::new(self.initializer()?))
        } else {
            None
        };
        Ok(Declarator {
            name,
            range,
            dimensions,
            initializer,
        })
    }

    pub(super) fn dimensions(&mut self) -> Parse<Vec<Option<Expression>>> {
        let mut dimensions = Vec::new();
        while self.eat(Token::OpenBracket) {
            let unsized_array = self.token() == Token::CloseBracket;
            dimensions.push(if unsized_array {
                None
            } else {
                Some(self.expression()?)
            });
            self.expect(Token::CloseBracket, "`]` after the array's size")?;
        }
        Ok(dimensions)
    }

    fn initializer(&mut self) -> Parse<Initializer> {
        let first = self.next;
        let kind = match (self.token(), self.token_after()) {
            (Token::OpenBrace, _) => InitializerKind::List(self.nested(Self::initializer_list)?),
            (Token::String, _) => InitializerKind::String(self.string("a string")?),
            (Token::Identifier, Token::Equals) => {
                let name = self.identifier("the name of a property")?;
                self.bump();
                InitializerKind::Property(Box::new(name), Box::new(self.expression()?))
            }
            _ => InitializerKind::Value(self.expression()?),
        };
        Ok(Initializer {
            kind,
            span: self.since(first),
        })
    }

    fn initializer_list(&mut self) -> Parse<Vec<Initializer>> {
        self.bump();
        if self.eat(Token::CloseBrace) {
            return Ok(Vec::new());
        }
        let elements = self.list(Self::initializer)?;
        self.expect(Token::CloseBrace, "`,` or `}` after the initialiser")?;
        Ok(elements)
    }
}
