use std::fmt::{self, Display, Formatter};

use super::{joined, word};
use crate::ast::{
    Attribute, Declarator, Expression, Initializer, InitializerKind, Type, Variable, Vector,
};

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        word(f, self.linkage.map(|linkage| linkage.as_str()))?;
        f.write_str(self.space.as_str())?;
        if let Some(bank) = self.bank {
            write!(f, "[{bank}]")?;
        }
        f.write_str(" ")?;
        attributes(f, &self.attributes)?;
        shape(f, self.align, self.vector, self.ty)?;
        joined(f, &self.declarators, ", ")?;
        f.write_str(";")
    }
}

/// Writes alignment, vector and type, followed by a space.
pub(super) fn shape(
    f: &mut Formatter<'_>,
    align: Option<u32>,
    vector: Option<Vector>,
    ty: Type,
) -> fmt::Result {
    word(f, align.map(|align| format!(".align {align}")))?;
    word(f, vector.map(Vector::as_str))?;
    word(f, Some(ty.as_str()))
}

pub(super) fn attributes(f: &mut Formatter<'_>, attributes: &[Attribute]) -> fmt::Result {
    if attributes.is_empty() {
        return Ok(());
    }
    f.write_str(".attribute(")?;
    joined(f, attributes, ", ")?;
    f.write_str(") ")
}

pub(super) fn dimensions(f: &mut Formatter<'_>, dimensions: &[Option<Expression>]) -> fmt::Result {
    dimensions.iter().try_for_each(|dimension| match dimension {
        Some(size) => write!(f, "[{size}]"),
        None => f.write_str("[]"),
    })
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        joined(f, &self.arguments, ", ")?;
        f.write_str(")")
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        if let Some(range) = self.range {
            write!(f, "<{range}>")?;
        }
        dimensions(f, &self.dimensions)?;
        match &self.initializer {
            Some(initializer) => write!(f, " = {initializer}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            InitializerKind::Value(expression) => expression.fmt(f),
            InitializerKind::String(text) => write!(f, "\"{text}\""),
            InitializerKind::Property(name, value) => write!(f, "{name} = {value}"),
            InitializerKind::List(elements) => {
                f.write_str("{")?;
                joined(f, elements, ", ")?;
                f.write_str("}")
            }
        }
    }
}
