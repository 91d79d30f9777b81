use super::{Parse, Parser, push};
use crate::ast::{
    Alias, File, Identifier, Item, Linkage, Module, Pragma, Section, Space, Target, Version,
};
use crate::lexer::Token;
use crate::span::Span;

impl Parser<'_> {
    pub(crate) fn module(&mut self) -> Parse<Module> {
        let first = self.next;
        let head = self.head();
        if head.is_err() {
            self.recover_item(first);
        }
        let mut items = Vec::new();
        while self.token() != Token::End {
            let first = self.next;
            match self.item() {
                Ok(item) => push(&mut items, item),
                Err(_) => self.recover_item(first),
            }
        }
        let (version, target, address_size) = head?;
        Ok(Module {
            version,
            target,
            address_size,
            items,
        })
    }

    /// Parses `.version` and `.target`, which come first (PTX ISA, sections 11.1.1 and 11.1.2).
    fn head(&mut self) -> Parse<(Version, Target, Option<u32>)> {
        if !self.eat_word(".version") {
            return self.fail("`.version`, which begins every module");
        }
        let version = self.version()?;
        let first = self.next;
        if !self.eat_word(".target") {
            return self.fail("`.target` after the version");
        }
        let names =
            self.list(|p| p.identifier("an architecture such as `sm_90a`, or an option"))?;
        let target = Target {
            names,
            span: self.since(first),
        };
        let sized = self.eat_word(".address_size");
        let address_size = sized
            .then(|| self.u32("the size of addresses, 32 or 64"))
            .transpose()?;
        Ok((version, target, address_size))
    }

    fn version(&mut self) -> Parse<Version> {
        let parts = self.word().split_once('.');
        let read = parts.and_then(|(major, minor)| {
            Some(Version {
                major: major.parse().ok()?,
                minor: minor.parse().ok()?,
            })
        });
        match read {
            Some(version) => {
                self.bump();
                Ok(version)
            }
            None => self.fail("a version such as `9.0`"),
        }
    }

    fn item(&mut self) -> Parse<Item> {
        const EXPECTED: &str = "a function, a variable or another directive";
        if self.token() == Token::Identifier && self.token_after() == Token::Colon {
            let label = self.identifier(EXPECTED)?;
            self.bump();
            return Ok(Item::Label(label));
        }
        if self.token() != Token::Dotted {
            return self.fail(EXPECTED);
        }
        match self.word() {
            ".pragma" => Ok(Item::Pragma(self.pragma()?)),
            ".file" => Ok(Item::File(Box::new(self.file()?))),
            ".section" => Ok(Item::Section(self.section()?)),
            ".alias" => Ok(Item::Alias(self.alias()?)),
            _ => self.linked_item(EXPECTED),
        }
    }

    fn linked_item(&mut self, expected: &str) -> Parse<Item> {
        let first = self.next;
        let linkage = Linkage::from_word(self.word());
        let expected = match linkage {
            Some(_) => {
                self.bump();
                "`.entry`, `.func` or a state space"
            }
            None => expected,
        };
        match self.word() {
            ".entry" | ".func" => Ok(Item::Function(Box::new(self.function(first, linkage)?))),
            word if Space::from_word(word).is_some() => {
                Ok(Item::Variable(Box::new(self.variable(first, linkage)?)))
            }
            _ => self.fail(expected),
        }
    }

    pub(super) fn pragma(&mut self) -> Parse<Pragma> {
        let first = self.next;
        self.bump();
        let texts = self.list(|p| p.string("a string"))?;
        self.semicolon("`;` after the pragma")?;
        Ok(Pragma {
            texts,
            span: self.since(first),
        })
    }

    fn file(&mut self) -> Parse<File> {
        let first = self.next;
        self.bump();
        let index = self.u32("the number of the file")?;
        let path = self.string("the path of the file")?;
        let mut stamp = None;
        if self.eat(Token::Comma) {
            let time = self.u64("a time stamp")?;
            self.expect(Token::Comma, "`,` and the size of the file")?;
            stamp = Some((time, self.u64("the size of the file")?));
        }
        Ok(File {
            index,
            path,
            stamp,
            span: self.since(first),
        })
    }

    /// Keeps the contents as text: LLVM and NVVM write DWARF that is not quite PTX.
    fn section(&mut self) -> Parse<Section> {
        let first = self.next;
        self.bump();
        let name = self
            .expect(Token::Dotted, "the name of the section")?
            .span
            .slice(self.text)
            .to_owned();
        let open = self
            .expect(Token::OpenBrace, "`{` and the contents of the section")?
            .span;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.token() {
                Token::End => return self.fail("`}` to close the section"),
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => depth -= 1,
                _ => {}
            }
            self.bump();
        }
        let body = Span::new(open.end(), self.previous.start())
            .slice(self.text)
            .to_owned();
        Ok(Section {
            name,
            body,
            span: self.since(first),
        })
    }

    fn alias(&mut self) -> Parse<Alias> {
        let first = self.next;
        self.bump();
        let name: Identifier = self.identifier("the new name")?;
        self.expect(Token::Comma, "`,` and the function that the alias names")?;
        let aliased = self.identifier("the function that the alias names")?;
        self.semicolon("`;` after the alias")?;
        Ok(Alias {
            name,
            aliased,
            span: self.since(first),
        })
    }
}
