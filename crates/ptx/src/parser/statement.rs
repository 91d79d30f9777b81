use super::{Parse, Parser, push};
use crate::ast::{
    Block, CallPrototype, Guard, Identifier, InlinedAt, Instruction, LabelList, LabelListKind,
    Linkage, Location, Opcode, Space, Statement,
};
use crate::lexer::{Spanned, Token};
use crate::span::At;

impl Parser<'_> {
    /// Parses statements in braces. A missing closing brace is recorded and then assumed.
    pub(super) fn block(&mut self, what: &str) -> Parse<Block> {
        let first = self.next;
        self.expect(Token::OpenBrace, &format!("`{{` and {what}"))?;
        let statements = self.nested(|p| Ok(p.statements(false)))?;
        if !self.eat(Token::CloseBrace) {
            self.record(&format!("`}}` to close {what}"));
        }
        Ok(Block {
            statements,
            span: self.since(first),
        })
    }

    /// Parses statements up to the closing brace, the next function or the end. A `fragment` without braces ends
    /// only at the end of the text.
    pub(crate) fn statements(&mut self, fragment: bool) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            let first = self.next;
            match self.token() {
                Token::End => return statements,
                Token::CloseBrace if !fragment => return statements,
                Token::Dotted if !fragment && self.begins_function() => return statements,
                _ => {}
            }
            match self.statement() {
                Ok(statement) => push(&mut statements, statement),
                Err(_) => self.recover_statement(first),
            }
            if self.next.span == first.span {
                self.bump();
            }
        }
    }

    fn statement(&mut self) -> Parse<Statement> {
        const EXPECTED: &str = "an instruction, a label, a declaration or `}`";
        match self.token() {
            Token::Semicolon => self.fail(EXPECTED),
            Token::OpenBrace => Ok(Statement::Block(self.block("the block")?)),
            Token::Identifier if self.token_after() == Token::Colon => self.labelled(),
            Token::Identifier if !self.word().starts_with('%') => {
                Ok(Statement::Instruction(self.instruction()?))
            }
            Token::At => Ok(Statement::Instruction(self.instruction()?)),
            Token::Dotted => match self.word() {
                ".loc" => Ok(Statement::Location(self.location()?)),
                ".pragma" => Ok(Statement::Pragma(self.pragma()?)),
                word => {
                    let first = self.next;
                    let linkage = Linkage::from_word(word);
                    if linkage.is_some() {
                        self.bump();
                    }
                    match Space::from_word(self.word()) {
                        Some(_) => Ok(Statement::Variable(Box::new(
                            self.variable(first, linkage)?,
                        ))),
                        None => self.fail(EXPECTED),
                    }
                }
            },
            _ => self.fail(EXPECTED),
        }
    }

    fn labelled(&mut self) -> Parse<Statement> {
        let first = self.next;
        let label = self.identifier("a label")?;
        self.bump();
        let kind = match self.word() {
            ".callprototype" => {
                let prototype = self.call_prototype(first, label)?;
                return Ok(Statement::CallPrototype(Box::new(prototype)));
            }
            ".branchtargets" => LabelListKind::BranchTargets,
            ".calltargets" => LabelListKind::CallTargets,
            _ => return Ok(Statement::Label(label)),
        };
        self.bump();
        let targets = self.list(|p| p.identifier("a label"))?;
        self.semicolon("`,` or `;` after the label")?;
        Ok(Statement::LabelList(Box::new(LabelList {
            label,
            kind,
            targets,
            span: self.since(first),
        })))
    }

    fn call_prototype(&mut self, first: Spanned, label: Identifier) -> Parse<CallPrototype> {
        self.bump();
        let returns = self.parameters("returned value")?;
        let name = self.name_or_underscore("`_` in place of a name")?;
        let parameters = self.parameters("parameter")?;
        let mut directives = Vec::new();
        while self.token() == Token::Dotted {
            directives.push(self.directive()?);
        }
        self.semicolon("a directive, or `;` after the prototype")?;
        Ok(CallPrototype {
            label,
            returns,
            name,
            parameters,
            directives,
            span: self.since(first),
        })
    }

    fn location(&mut self) -> Parse<Location> {
        let first = self.next;
        self.bump();
        let (file, line, column) = self.location_numbers()?;
        let inlined = if self.eat(Token::Comma) {
            Some(Box::new(self.inlined_at()?))
        } else {
            None
        };
        Ok(Location {
            file,
            line,
            column,
            inlined,
            span: self.since(first),
        })
    }

    fn location_numbers(&mut self) -> Parse<(u32, u32, u32)> {
        Ok((
            self.u32("the number of a file")?,
            self.u32("a line")?,
            self.u32("a column")?,
        ))
    }

    fn inlined_at(&mut self) -> Parse<InlinedAt> {
        self.keyword("function_name")?;
        let function_name = self.identifier("the label of the function's name")?;
        let offset = if self.eat(Token::Plus) {
            Some(self.u32("an offset")?)
        } else {
            None
        };
        self.expect(Token::Comma, "`,` and `inlined_at`")?;
        self.keyword("inlined_at")?;
        let (file, line, column) = self.location_numbers()?;
        Ok(InlinedAt {
            function_name,
            offset,
            file,
            line,
            column,
        })
    }

    fn keyword(&mut self, keyword: &str) -> Parse<()> {
        if self.token() == Token::Identifier && self.word() == keyword {
            self.bump();
            return Ok(());
        }
        self.fail(&format!("`{keyword}`"))
    }

    fn instruction(&mut self) -> Parse<Instruction> {
        let first = self.next;
        let guard = if self.token() == Token::At {
            Some(Box::new(self.guard()?))
        } else {
            None
        };
        let opcode = self.opcode()?;
        let is_call = opcode.stem() == "call";
        let mut operands = Vec::new();
        if self.token() != Token::Semicolon {
            operands = self.list(|p| p.operand(is_call))?;
        }
        self.semicolon("`,` or `;` after the operand")?;
        Ok(Instruction {
            guard,
            opcode,
            operands,
            span: self.since(first),
        })
    }

    fn guard(&mut self) -> Parse<Guard> {
        let first = self.next;
        self.bump();
        let negated = self.eat(Token::Bang);
        let register = self.identifier("a predicate register")?;
        Ok(Guard {
            negated,
            register,
            span: self.since(first),
        })
    }

    fn opcode(&mut self) -> Parse<Opcode> {
        if self.token() != Token::Identifier || self.word().starts_with('%') {
            return self.fail("an instruction");
        }
        let mut span = self.bump().span;
        let mut name = span.slice(self.text).to_owned();
        while self.token() == Token::Dotted {
            name.push_str(self.word());
            span = span.to(self.bump().span);
        }
        let mut opcode = Opcode::new(name);
        opcode.span = At(span);
        Ok(opcode)
    }
}
