use super::{Parse, Parser};
use crate::ast::{
    Function, FunctionDirective, FunctionKind, Identifier, Linkage, Parameter, Pointer, Space,
};
use crate::lexer::{Spanned, Token};

impl Parser<'_> {
    /// Parses from `.entry` or `.func` on; the function began at the token `first`.
    pub(super) fn function(&mut self, first: Spanned, linkage: Option<Linkage>) -> Parse<Function> {
        let kind = if self.bump().span.slice(self.text) == ".entry" {
            FunctionKind::Entry
        } else {
            FunctionKind::Func
        };
        let attributes = self.attributes()?;
        let returns = match kind {
            FunctionKind::Func => self.parameters("returned value")?,
            FunctionKind::Entry => Vec::new(),
        };
        let name = self.identifier("the name of the function")?;
        let parameters = self.parameters("parameter")?;
        let (mut directives, mut pragmas) = (Vec::new(), Vec::new());
        let body = loop {
            match self.token() {
                Token::Dotted if self.word() == ".pragma" => pragmas.push(self.pragma()?),
                Token::Dotted => directives.push(self.directive()?),
                Token::OpenBrace => {
                    break Some(self.block(&format!("the body of `{}`", name.name))?);
                }
                Token::Semicolon => {
                    self.bump();
                    break None;
                }
                _ => return self.fail("a directive, `{` and the body, or `;`"),
            }
        };
        Ok(Function {
            linkage,
            kind,
            attributes,
            returns,
            name,
            parameters,
            directives,
            pragmas,
            body,
            span: self.since(first),
        })
    }

    /// Parses an optional list in parentheses.
    pub(super) fn parameters(&mut self, what: &str) -> Parse<Vec<Parameter>> {
        if !self.eat(Token::OpenParen) || self.eat(Token::CloseParen) {
            return Ok(Vec::new());
        }
        let parameters = self.list(Self::parameter)?;
        self.expect(Token::CloseParen, &format!("`,` or `)` after the {what}"))?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let first = self.next;
        let space = match Space::from_word(self.word()) {
            Some(space @ (Space::Param | Space::Reg)) => space,
            _ => return self.fail("`.param` and a parameter"),
        };
        self.bump();
        let (align, vector, ty) = self.shape()?;
        let pointer = if self.eat_word(".ptr") {
            Some(self.pointer()?)
        } else {
            None
        };
        let name = self.name_or_underscore("the name of the parameter")?;
        let dimensions = self.dimensions()?;
        Ok(Parameter {
            space,
            align,
            vector,
            ty,
            pointer,
            name,
            dimensions,
            span: self.since(first),
        })
    }

    /// Parses a name, or `_` if no name is needed.
    pub(super) fn name_or_underscore(&mut self, expected: &str) -> Parse<Identifier> {
        if self.token() != Token::Underscore {
            return self.identifier(expected);
        }
        Ok(Identifier {
            name: "_".into(),
            span: self.bump().span.into(),
        })
    }

    fn pointer(&mut self) -> Parse<Pointer> {
        let space = Space::from_word(self.word());
        if space.is_some() {
            self.bump();
        }
        let align = if self.eat_word(".align") {
            Some(self.u32("the alignment in bytes")?)
        } else {
            None
        };
        Ok(Pointer { space, align })
    }

    /// Parses a word with a dot followed by numbers, the form of all function directives.
    pub(super) fn directive(&mut self) -> Parse<FunctionDirective> {
        let first = self.next;
        let name = self.bump().span.slice(self.text).to_owned();
        let arguments = match self.begins_an_expression() {
            true => self.list(Self::expression)?,
            false => Vec::new(),
        };
        Ok(FunctionDirective {
            name,
            arguments,
            span: self.since(first),
        })
    }
}
