//! Recursive descent parser from text to tree.
//!
//! Invalid syntax is recorded as an error, and parsing continues after it: see [`Parser::recover_statement`] and
//! [`Parser::recover_item`].

mod expression;
mod function;
mod module;
mod operand;
mod statement;
mod variable;

use crate::ast::Identifier;
use crate::error::{SyntaxError, SyntaxErrors};
use crate::lexer::{self, Spanned, Token};
use crate::span::{At, LineIndex, Span};

/// Maximum nesting of blocks, operands and expressions. Real modules stay below ten.
const MAX_NESTING: usize = 100;

/// Limit of errors; more of them would only hide the first ones.
const MAX_ERRORS: usize = 100;

/// Signals that an error has been recorded, so that the caller abandons its part.
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

pub(crate) struct Parser<'t> {
    text: &'t str,
    lines: LineIndex,
    next: Spanned,
    /// The span of the previous token.
    previous: Span,
    nesting: usize,
    errors: Vec<SyntaxError>,
}

/// Appends a part. The capacity grows by an eighth, since doubling could waste as much memory as the contents.
fn push<T>(parts: &mut Vec<T>, part: T) {
    if parts.len() == parts.capacity() {
        parts.reserve_exact(parts.len() / 8 + 4);
    }
    parts.push(part);
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let too_long = (text.len() > Span::MOST_BYTES).then(SyntaxError::too_long);
        let text = if too_long.is_some() { "" } else { text };
        Self {
            text,
            lines: LineIndex::new(text),
            next: lexer::token_at(text, 0),
            previous: Span::default(),
            nesting: 0,
            errors: too_long.into_iter().collect(),
        }
    }

    /// Returns the tree, or all errors.
    pub(crate) fn finish<T>(self, file: &str, read: Parse<T>) -> Result<T, SyntaxErrors> {
        match read {
            Ok(tree) if self.errors.is_empty() => Ok(tree),
            _ => Err(SyntaxErrors {
                file: file.to_owned(),
                errors: self.errors,
            }),
        }
    }

    fn here(&self) -> Spanned {
        self.next
    }

    fn token(&self) -> Token {
        self.here().token
    }

    fn token_after(&self) -> Token {
        lexer::token_at(self.text, self.next.span.end()).token
    }

    /// Returns the text of the next token.
    fn word(&self) -> &'t str {
        self.here().span.slice(self.text)
    }

    /// Takes the next token, unless it is the end.
    fn bump(&mut self) -> Spanned {
        let taken = self.here();
        if taken.token != Token::End {
            self.previous = taken.span;
            self.next = lexer::token_at(self.text, taken.span.end());
        }
        taken
    }

    /// Takes the next token if it is this one.
    fn eat(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.bump();
        }
        found
    }

    /// Takes the next token if it is this directive.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.token() == Token::Dotted && self.word() == word;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, token: Token, expected: &str) -> Parse<Spanned> {
        if self.token() == token {
            Ok(self.bump())
        } else {
            self.fail(expected)
        }
    }

    fn identifier(&mut self, expected: &str) -> Parse<Identifier> {
        let span = self.expect(Token::Identifier, expected)?.span;
        Ok(Identifier {
            name: span.slice(self.text).into(),
            span: span.into(),
        })
    }

    fn u32(&mut self, expected: &str) -> Parse<u32> {
        match self
            .u64_literal()
            .and_then(|value| u32::try_from(value).ok())
        {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => self.fail(expected),
        }
    }

    fn u64(&mut self, expected: &str) -> Parse<u64> {
        match self.u64_literal() {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => self.fail(expected),
        }
    }

    fn u64_literal(&self) -> Option<u64> {
        use crate::ast::{Literal, Number};
        if self.token() != Token::Integer {
            return None;
        }
        match Literal::read(self.word())?.number() {
            Number::Integer { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Reads a string without its quotes.
    fn string(&mut self, expected: &str) -> Parse<String> {
        let span = self.expect(Token::String, expected)?.span;
        Ok(Span::new(span.start() + 1, span.end() - 1)
            .slice(self.text)
            .to_owned())
    }

    /// Reads one or more parts separated by commas.
    fn list<T>(&mut self, mut part: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut parts = vec![part(self)?];
        while self.eat(Token::Comma) {
            let part = part(self)?;
            push(&mut parts, part);
        }
        parts.shrink_to_fit();
        Ok(parts)
    }

    /// Reads a part that may contain parts of its own kind.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting == MAX_NESTING {
            return self.fail(&format!("at most {MAX_NESTING} levels of nesting"));
        }
        self.nesting += 1;
        let read = part(self);
        self.nesting -= 1;
        read
    }

    /// Returns the span from this token to the last token taken.
    fn since(&self, first: Spanned) -> At {
        At(first.span.to(self.previous.max(first.span)))
    }

    /// Takes the semicolon of a statement. If it is missing and the next token can begin a statement on a line of
    /// its own, parsing continues as if it were present.
    fn semicolon(&mut self, expected: &str) -> Parse<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let line = |span: Span| self.lines.line_column(span.start()).line;
        let new_line = line(self.here().span) > line(self.previous);
        let begins = match self.token() {
            Token::Identifier | Token::At | Token::Dotted | Token::OpenBrace => new_line,
            Token::CloseBrace => true,
            _ => false,
        };
        self.record(expected);
        if begins { Ok(()) } else { Err(Failed) }
    }

    /// Records an error: `expected` is the syntax that is valid here.
    fn fail<T>(&mut self, expected: &str) -> Parse<T> {
        self.record(expected);
        Err(Failed)
    }

    fn record(&mut self, expected: &str) {
        let span = self.here().span;
        if self
            .errors
            .last()
            .is_some_and(|last| last.span.start() == span.start())
        {
            return;
        }
        let found = self.found();
        self.errors.push(SyntaxError::new(
            self.text,
            &self.lines,
            span,
            expected.to_owned(),
            found,
        ));
        if self.errors.len() == MAX_ERRORS {
            self.next = lexer::token_at(self.text, self.text.len());
        }
    }

    fn found(&self) -> String {
        let word: String = self.word().chars().take(40).collect();
        match self.token() {
            Token::End => "the end of the text".to_owned(),
            Token::BadNumber => format!("the malformed number `{word}`"),
            Token::Integer if crate::ast::Literal::read(self.word()).is_none() => {
                format!("`{word}`, which has more than 64 bits")
            }
            Token::OpenString => "a string without its closing quote".to_owned(),
            Token::OpenComment => "a comment without its end".to_owned(),
            Token::Unknown if word == "\u{feff}" => {
                "a byte order mark, which PTX does not have: the file must be saved without it"
                    .to_owned()
            }
            _ => format!("`{word}`"),
        }
    }

    /// Returns the number of braces opened between this token and here.
    fn open_braces(&self, first: Spanned) -> usize {
        lexer::tokens(self.text, first.span.start())
            .take_while(|spanned| spanned.span < self.next.span)
            .fold(0, |open: usize, spanned| match spanned.token {
                Token::OpenBrace => open + 1,
                Token::CloseBrace => open.saturating_sub(1),
                _ => open,
            })
    }

    /// Skips the rest of a statement that began at this token: up to its semicolon,
    /// the brace that closes the block, or the next function.
    fn recover_statement(&mut self, first: Spanned) {
        let mut open = self.open_braces(first);
        loop {
            match self.token() {
                Token::End => return,
                Token::Semicolon => {
                    self.bump();
                    return;
                }
                Token::CloseBrace if open == 0 => return,
                Token::CloseBrace => open -= 1,
                Token::OpenBrace => open += 1,
                Token::Dotted if self.begins_function() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of an item that began at this token: up to its semicolon, the
    /// brace that closes it, or the next item.
    fn recover_item(&mut self, first: Spanned) {
        let mut open = self.open_braces(first);
        loop {
            let begun = self.next.span > first.span;
            match self.token() {
                Token::End => return,
                Token::Dotted if begun && open == 0 && self.begins_item() => return,
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                Token::CloseBrace if open <= 1 => {
                    self.bump();
                    self.eat(Token::Semicolon);
                    return;
                }
                Token::CloseBrace => open -= 1,
                Token::OpenBrace => open += 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Returns whether the next word can only be outside of functions.
    fn begins_function(&self) -> bool {
        matches!(self.word(), ".entry" | ".func" | ".visible" | ".weak")
    }

    fn begins_item(&self) -> bool {
        self.begins_function()
            || matches!(
                self.word(),
                ".extern" | ".common" | ".global" | ".const" | ".section" | ".file"
            )
    }
}
