use super::{Expression, Identifier};
use crate::span::At;

/// Defines an enum of PTX words with conversions in both directions.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* #[doc = concat!("`", $word, "`")] $variant,)*
        }

        impl $name {
            /// Returns the word in PTX, with its dot.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Reads the word, with its dot.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// The visibility of a name to the linker (PTX ISA, section 11.6).
    Linkage {
        Extern = ".extern",
        Visible = ".visible",
        Weak = ".weak",
        Common = ".common",
    }
}

words! {
    /// State spaces (PTX ISA, section 5.1).
    Space {
        Reg = ".reg",
        Sreg = ".sreg",
        Const = ".const",
        Global = ".global",
        Local = ".local",
        Param = ".param",
        ParamEntry = ".param::entry",
        ParamFunc = ".param::func",
        Shared = ".shared",
        SharedCta = ".shared::cta",
        SharedCluster = ".shared::cluster",
        Tex = ".tex",
    }
}

words! {
    /// Short vectors (PTX ISA, section 5.4.2).
    Vector {
        V2 = ".v2",
        V4 = ".v4",
        V8 = ".v8",
    }
}

impl Vector {
    /// Returns the number of elements.
    pub const fn elements(self) -> u64 {
        match self {
            Self::V2 => 2,
            Self::V4 => 4,
            Self::V8 => 8,
        }
    }
}

words! {
    /// Types of variables (PTX ISA, sections 5.2 and 5.3).
    Type {
        B8 = ".b8",
        B16 = ".b16",
        B32 = ".b32",
        B64 = ".b64",
        B128 = ".b128",
        U8 = ".u8",
        U16 = ".u16",
        U32 = ".u32",
        U64 = ".u64",
        S8 = ".s8",
        S16 = ".s16",
        S32 = ".s32",
        S64 = ".s64",
        F16 = ".f16",
        F16x2 = ".f16x2",
        F32 = ".f32",
        F32x2 = ".f32x2",
        F64 = ".f64",
        Bf16 = ".bf16",
        Bf16x2 = ".bf16x2",
        Tf32 = ".tf32",
        E4m3 = ".e4m3",
        E5m2 = ".e5m2",
        E4m3x2 = ".e4m3x2",
        E5m2x2 = ".e5m2x2",
        E3m2x2 = ".e3m2x2",
        E2m3x2 = ".e2m3x2",
        E2m1x2 = ".e2m1x2",
        Ue8m0x2 = ".ue8m0x2",
        Pred = ".pred",
        Texref = ".texref",
        Samplerref = ".samplerref",
        Surfref = ".surfref",
    }
}

impl Type {
    /// Returns the size of one value in bytes; `None` for predicates and opaque types.
    pub const fn size_bytes(self) -> Option<u64> {
        use Type::*;
        match self {
            B8 | U8 | S8 | E4m3 | E5m2 | E2m1x2 => Some(1),
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E3m2x2 | E2m3x2 | Ue8m0x2 => Some(2),
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 | Tf32 => Some(4),
            B64 | U64 | S64 | F64 | F32x2 => Some(8),
            B128 => Some(16),
            Pred | Texref | Samplerref | Surfref => None,
        }
    }
}

/// A declaration of one or more variables (PTX ISA, section 5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The linkage, such as `.visible`, if any.
    pub linkage: Option<Linkage>,
    /// The state space of the variables.
    pub space: Space,
    /// The number of the constant bank in `.const[2]`.
    pub bank: Option<u32>,
    /// `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// The alignment in bytes, from `.align`.
    pub align: Option<u32>,
    /// The vector size, such as `.v2`, if any.
    pub vector: Option<Vector>,
    /// The type of the value or of each array element.
    pub ty: Type,
    /// The names, usually a single one.
    pub declarators: Vec<Declarator>,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl Variable {
    /// Returns the size in bytes of one of the names; `None` if unknown, as in `name[]`.
    pub fn size_bytes(&self, declarator: &Declarator) -> Option<u64> {
        size_bytes(self.ty, self.vector, &declarator.dimensions)
    }
}

pub(super) fn size_bytes(
    ty: Type,
    vector: Option<Vector>,
    dimensions: &[Option<Expression>],
) -> Option<u64> {
    let one = ty.size_bytes()? * vector.map_or(1, Vector::elements);
    dimensions.iter().try_fold(one, |size, dimension| {
        let count = u64::try_from(dimension.as_ref()?.value()?).ok()?;
        size.checked_mul(count)
    })
}

/// A name in a declaration: `name[4] = {1, 2}`, or the registers `%r<12>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// The name of the variable.
    pub name: Identifier,
    /// The 12 in `%r<12>`, which declares `%r0` to `%r11`.
    pub range: Option<u32>,
    /// Array sizes, outermost first; `None` for `[]`.
    pub dimensions: Vec<Option<Expression>>,
    /// The initial value of the variable, if any.
    pub initializer: Option<Box<Initializer>>,
}

/// An attribute such as `.attribute(.managed)`, or with arguments, `.attribute(.unified(19, 95))` (PTX ISA, section
/// 5.4.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name of the attribute, with its dot.
    pub name: String,
    /// The arguments in parentheses.
    pub arguments: Vec<Expression>,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The initial value of a variable (PTX ISA, section 5.4.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initializer {
    /// The form of the initialiser, with its parts.
    pub kind: InitializerKind,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The forms of initialisers: a value or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitializerKind {
    /// A number, a name, or an expression of these.
    Value(Expression),
    /// `{1, {2, 3}}`
    List(Vec<Initializer>),
    /// `"text"`, as written between the quotes.
    String(String),
    /// `filter_mode = nearest`, in opaque types.
    Property(Box<Identifier>, Box<Expression>),
}
