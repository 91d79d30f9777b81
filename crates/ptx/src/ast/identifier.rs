use crate::span::At;

/// A name: of a register, a variable, a function or a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// The name as written, with a register's `%`.
    pub name: Box<str>,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl Identifier {
    /// Returns the name as written.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl From<&str> for Identifier {
    fn from(name: &str) -> Self {
        Self {
            name: name.into(),
            span: At::default(),
        }
    }
}

impl PartialEq<str> for Identifier {
    fn eq(&self, other: &str) -> bool {
        *self.name == *other
    }
}

impl PartialEq<&str> for Identifier {
    fn eq(&self, other: &&str) -> bool {
        *self.name == **other
    }
}
