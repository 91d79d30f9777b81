use super::{Attribute, Block, Expression, Identifier, Linkage, Pragma, Space, Type, Vector};
use crate::span::At;

/// An entry or a function (PTX ISA, section 11.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The linkage, such as `.visible`, if any.
    pub linkage: Option<Linkage>,
    /// The kind: a kernel (`.entry`) or a function (`.func`).
    pub kind: FunctionKind,
    /// `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// The return parameters; entries have none.
    pub returns: Vec<Parameter>,
    /// The name of the function.
    pub name: Identifier,
    /// The parameters in the order of declaration.
    pub parameters: Vec<Parameter>,
    /// `.maxntid` and the like, in order.
    pub directives: Vec<FunctionDirective>,
    /// The pragmas between the parameters and the body.
    pub pragmas: Vec<Pragma>,
    /// The statements; `None` in a prototype.
    pub body: Option<Block>,
    /// The location in the text, from the first word to the closing brace.
    pub span: At,
}

impl Function {
    /// Returns whether this is a kernel.
    pub fn is_entry(&self) -> bool {
        self.kind == FunctionKind::Entry
    }

    /// Returns the parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == *name)
    }

    /// Returns the parameter of this name for modification.
    pub fn parameter_mut(&mut self, name: &str) -> Option<&mut Parameter> {
        self.parameters
            .iter_mut()
            .find(|parameter| parameter.name == *name)
    }

    /// Returns the directive of this name, such as `.maxntid`.
    pub fn directive(&self, name: &str) -> Option<&FunctionDirective> {
        self.directives
            .iter()
            .find(|directive| directive.name == name)
    }

    /// Sets a directive, replacing one of the same name.
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

/// The two kinds of functions: kernels and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`: a kernel, launched by the host.
    Entry,
    /// `.func`: a function, called by device code.
    Func,
}

/// A directive between the parameters and the body, such as `.maxntid 128, 1, 1` (PTX ISA, section 11.4). Unknown
/// names are kept unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDirective {
    /// The name of the directive, with its dot.
    pub name: String,
    /// The numbers after the directive's name.
    pub arguments: Vec<Expression>,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl FunctionDirective {
    /// Returns the arguments as an extent of one to three numbers, with missing ones as 1 (PTX ISA, section 11.4);
    /// `None` if they are not an extent.
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

    /// Returns the arguments as numbers; `None` if one is not constant.
    pub fn values(&self) -> Option<Vec<i64>> {
        self.arguments.iter().map(Expression::value).collect()
    }
}

/// A parameter or returned value of a function (PTX ISA, section 5.1.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// `.param`, or `.reg` in functions.
    pub space: Space,
    /// The alignment in bytes, from `.align`.
    pub align: Option<u32>,
    /// The vector size, such as `.v2`, if any.
    pub vector: Option<Vector>,
    /// The type of the value or of each array element.
    pub ty: Type,
    /// `.ptr`, where the parameter is a pointer.
    pub pointer: Option<Pointer>,
    /// The name; `_` in prototypes.
    pub name: Identifier,
    /// Array sizes, outermost first; `None` for `[]`.
    pub dimensions: Vec<Option<Expression>>,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl Parameter {
    /// Returns the size in bytes; `None` if an array size or the type's size is unknown.
    pub fn size_bytes(&self) -> Option<u64> {
        super::variable::size_bytes(self.ty, self.vector, &self.dimensions)
    }

    /// Returns the alignment in bytes: from `.align`, or else the size of one value.
    pub fn align_bytes(&self) -> u64 {
        let natural = self.ty.size_bytes().unwrap_or(0) * self.vector.map_or(1, Vector::elements);
        self.align.map_or(natural, u64::from)
    }
}

/// `.ptr .global .align 16`: the target of a pointer parameter (PTX ISA, section 5.1.6.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// The state space, if not generic.
    pub space: Option<Space>,
    /// The alignment of the target in bytes.
    pub align: Option<u32>,
}
