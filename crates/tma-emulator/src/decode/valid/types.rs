//! The types that instructions take, of those that all compilers write. PTX ISA 9.4.

use ptx::{Instruction, OperandKind, Type};

/// The type that an instruction takes for an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Any,
    /// Exactly this type.
    Exactly(Type),
    /// A register of this type, or a special register.
    Special(Type),
    /// A register of this type, or a wider one (PTX ISA, section 9.4.1).
    Wide(Type),
    /// An address, of 64 bits if the space has such addresses.
    Address {
        is_wide: bool,
    },
}

impl Takes {
    pub(super) fn ty(self) -> Option<Type> {
        match self {
            Self::Exactly(ty) | Self::Special(ty) | Self::Wide(ty) => Some(ty),
            Self::Any | Self::Address { .. } => None,
        }
    }
}

/// The kinds of types that do not go together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Bits,
    Integer,
    Float,
    Predicate,
}

fn class(ty: Type) -> Class {
    use Type::*;
    match ty {
        Pred => Class::Predicate,
        U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 => Class::Integer,
        F16 | F32 | F64 => Class::Float,
        _ => Class::Bits,
    }
}

pub(super) fn is_integer(ty: Type) -> bool {
    class(ty) == Class::Integer
}

/// Returns why a register of a type does not fit, or `None` if it fits.
pub(super) fn is_like(ty: Type, takes: Takes) -> Option<String> {
    let bytes = |ty: Type| ty.size_bytes().unwrap_or(0);
    let (takes_ty, is_wide) = match takes {
        Takes::Any => return None,
        Takes::Exactly(takes) | Takes::Special(takes) => (takes, false),
        Takes::Wide(takes) => (takes, true),
        Takes::Address { is_wide } => {
            return match class(ty) {
                Class::Float | Class::Predicate => Some("an address must be an integer".into()),
                _ if is_wide && bytes(ty) < 8 => Some("an address must have 64 bits here".into()),
                _ => None,
            };
        }
    };
    let (has, wants) = (class(ty), class(takes_ty));
    let is_of_class = match (has, wants) {
        (Class::Predicate, _) | (_, Class::Predicate) => has == wants,
        (Class::Bits, _) | (_, Class::Bits) => true,
        _ => has == wants,
    };
    let is_of_size = match is_wide {
        true if has == Class::Float && wants == Class::Float => bytes(ty) == bytes(takes_ty),
        true => bytes(ty) >= bytes(takes_ty),
        false => bytes(ty) == bytes(takes_ty),
    };
    (!is_of_class || !is_of_size)
        .then(|| format!("the instruction takes `{}` here", takes_ty.as_str()))
}

/// Returns the type of twice the width.
fn doubled(ty: Type) -> Type {
    match ty {
        Type::U16 => Type::U32,
        Type::S16 => Type::S32,
        Type::U32 => Type::U64,
        Type::S32 => Type::S64,
        other => other,
    }
}

/// Returns the types that an instruction takes for its operands, if the table has it.
pub(super) fn takes(instruction: &Instruction) -> Option<Vec<Takes>> {
    use Takes::{Any, Exactly, Special, Wide};
    let opcode = &instruction.opcode;
    let types: Vec<Type> = opcode.modifiers().filter_map(Type::from_word).collect();
    let count = instruction.operands.len();
    let is_vector = instruction
        .operands
        .iter()
        .any(|operand| matches!(operand.kind, OperandKind::Vector(_)));
    let (number, predicate) = (Exactly(Type::U32), Exactly(Type::Pred));
    let mut takes = match (opcode.stem(), &*types) {
        (
            "add" | "sub" | "min" | "max" | "and" | "or" | "xor" | "rem" | "div" | "addc" | "subc"
            | "fma" | "neg" | "abs" | "not" | "cnot" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos"
            | "lg2" | "ex2" | "tanh" | "copysign" | "brev",
            [ty],
        ) => vec![Exactly(*ty); count],
        ("mul" | "mad" | "madc", [ty]) => {
            let wide = match opcode.has("wide") {
                true => doubled(*ty),
                false => *ty,
            };
            vec![Exactly(wide), Exactly(*ty), Exactly(*ty), Exactly(wide)]
        }
        ("shl" | "shr", [ty]) => vec![Exactly(*ty), Exactly(*ty), number],
        ("popc" | "clz" | "bfind", [ty]) => vec![number, Exactly(*ty)],
        ("bfe", [ty]) => vec![Exactly(*ty), Exactly(*ty), number, number],
        ("bfi", [ty]) => vec![Exactly(*ty), Exactly(*ty), Exactly(*ty), number, number],
        ("prmt" | "shf", [_]) => vec![number_of_bits(); 4],
        ("lop3", [_]) if !opcode.has("or") && !opcode.has("and") => vec![number_of_bits(); 4],
        ("setp", [ty]) => vec![predicate, Exactly(*ty), Exactly(*ty), predicate],
        ("set", [d, s]) => vec![Exactly(*d), Exactly(*s), Exactly(*s), predicate],
        ("selp", [ty]) => vec![Exactly(*ty), Exactly(*ty), Exactly(*ty), predicate],
        ("slct", [d, s]) => vec![Exactly(*d), Exactly(*d), Exactly(*d), Exactly(*s)],
        ("mov", [ty]) if is_vector => instruction
            .operands
            .iter()
            .map(|operand| match &operand.kind {
                OperandKind::Vector(parts) => part_of(*ty, parts.len()).map_or(Any, Special),
                _ => Special(*ty),
            })
            .collect(),
        ("mov", [ty]) => vec![Exactly(*ty), Special(*ty)],
        ("cvt", [d, s]) => vec![Wide(*d), Wide(*s)],
        ("ld" | "ldu", [ty]) => vec![Wide(*ty), address(opcode)],
        ("st", [ty]) if !opcode.has("async") => vec![address(opcode), Wide(*ty)],
        ("atom", [ty]) if !is_vector => {
            vec![Exactly(*ty), address(opcode), Exactly(*ty), Exactly(*ty)]
        }
        ("red", [ty]) if !is_vector && !opcode.has("async") => {
            vec![address(opcode), Exactly(*ty)]
        }
        ("brx", []) => vec![number],
        _ => return None,
    };
    // Cache policies come last.
    if opcode.has("L2::cache_hint")
        && let Some(last) = takes.get_mut(count.saturating_sub(1))
    {
        *last = Any;
    }
    Some(takes)
}

/// Returns the type of each of `parts` parts that `mov` packs into this type (PTX ISA, section 9.7.9.6).
fn part_of(ty: Type, parts: usize) -> Option<Type> {
    let bytes = ty.size_bytes()?.checked_div(parts as u64)?;
    let mut types = [Type::B8, Type::B16, Type::B32, Type::B64].into_iter();
    types.find(|part| part.size_bytes() == Some(bytes))
}

fn number_of_bits() -> Takes {
    Takes::Exactly(Type::B32)
}

/// Returns the type of an address in the space that the opcode names.
fn address(opcode: &ptx::Opcode) -> Takes {
    let parts = [
        "shared",
        "shared::cta",
        "shared::cluster",
        "local",
        "const",
        "param",
        "param::entry",
        "param::func",
    ];
    Takes::Address {
        is_wide: !parts.iter().any(|part| opcode.has(part)),
    }
}
