use super::{Attribute, Block, Expression, Identifier, Linkage, Pragma, Space, Type, Vector};
use crate::span::At;

/// An entry or a function (PTX ISA, section 11.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// `.visible` and the like.
    pub linkage: Option<Linkage>,
    /// `.entry` or `.func`.
    pub kind: FunctionKind,
    /// `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// The return parameters; entries have none.
    pub returns: Vec<Parameter>,
    /// Its name.
    pub name: Identifier,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// `.maxntid` and the like, in order.
    pub directives: Vec<FunctionDirective>,
    /// The pragmas between the parameters and the body.
    pub pragmas: Vec<Pragma>,
    /// Its statements; none in a prototype.
    pub body: Option<Block>,
    /// Where it stands, from the first word to the closing brace.
    pub span: At,
}

impl Function {
    /// Returns whether it is a kernel.
    pub fn is_entry(&self) -> bool {
        self.kind == FunctionKind::Entry
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == *name)
    }

    /// The parameter of this name, to change it.
    pub fn parameter_mut(&mut self, name: &str) -> Option<&mut Parameter> {
        self.parameters
            .iter_mut()
            .find(|parameter| parameter.name == *name)
    }

    /// The directive of this name, such as `.maxntid`.
    pub fn directive(&self, name: &str) -> Option<&FunctionDirective> {
        self.directives
            .iter()
            .find(|directive| directive.name == name)
    }

    /// Writes a directive, in place of one of the same name if there is one.
    pub fn set_directive(&mut self, name: &str, arguments: impl IntoIterator<Item = u32>) {
        let arguments = arguments
            .into_iter()
            .map(|n| Expression::integer(n.into()))
            .collect();
        let new = FunctionDirective {
            name: name.to_owned(),
            arguments,
            span: At::default(),
        };
        match self
            .directives
            .iter_mut()
            .find(|directive| directive.name == name)
        {
            Some(old) => *old = new,
            None => self.directives.push(new),
        }
    }
}

/// The two kinds of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`: called by others.
    Func,
}

/// A directive between the parameters and the body, such as `.maxntid 128, 1, 1`
/// (PTX ISA, section 11.4). Names that are not known are kept as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDirective {
    /// The name, with its dot.
    pub name: String,
    /// The numbers after it.
    pub arguments: Vec<Expression>,
    /// Where it stands.
    pub span: At,
}

impl FunctionDirective {
    /// The arguments as an extent: one to three numbers, those that are missing being 1 (PTX ISA,
    /// section 11.4); `None` when they are no such thing.
    pub fn extent(&self) -> Option<[u32; 3]> {
        let values = self.values()?;
        let mut extent = [1; 3];
        if values.is_empty() || values.len() > extent.len() {
            return None;
        }
        for (side, value) in extent.iter_mut().zip(values) {
            *side = u32::try_from(value).ok()?;
        }
        Some(extent)
    }

    /// The arguments as numbers; `None` when one is not constant.
    pub fn values(&self) -> Option<Vec<i64>> {
        self.arguments.iter().map(Expression::value).collect()
    }
}

/// A parameter or returned value of a function (PTX ISA, section 5.1.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// `.param`, or `.reg` in functions.
    pub space: Space,
    /// `.align`, in bytes.
    pub align: Option<u32>,
    /// `.v2` and the like.
    pub vector: Option<Vector>,
    /// The type of the value or of each array element.
    pub ty: Type,
    /// `.ptr`, where the parameter is a pointer.
    pub pointer: Option<Pointer>,
    /// The name; `_` in prototypes.
    pub name: Identifier,
    /// Array sizes, outermost first; `None` for `[]`.
    pub dimensions: Vec<Option<Expression>>,
    /// Where it stands.
    pub span: At,
}

impl Parameter {
    /// The size in bytes; `None` when an array size or the type's size is not known.
    pub fn size_bytes(&self) -> Option<u64> {
        super::variable::size_bytes(self.ty, self.vector, &self.dimensions)
    }

    /// The alignment in bytes: that of `.align`, or else the size of one value.
    pub fn align_bytes(&self) -> u64 {
        let natural = self.ty.size_bytes().unwrap_or(0) * self.vector.map_or(1, Vector::elements);
        self.align.map_or(natural, u64::from)
    }
}

/// `.ptr .global .align 16`: where a pointer parameter points (PTX ISA, section 5.1.6.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// The state space, if not generic.
    pub space: Option<Space>,
    /// The alignment of what it points at, in bytes.
    pub align: Option<u32>,
}
