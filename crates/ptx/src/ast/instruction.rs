use super::{Identifier, Operand};
use crate::span::At;

/// `@%p1 ld.global.u32 %r1, [%rd1];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The predicate that must hold.
    pub guard: Option<Box<Guard>>,
    /// The opcode with its modifiers.
    pub opcode: Opcode,
    /// The operands, destinations first.
    pub operands: Vec<Operand>,
    /// The location in the text, the semicolon included.
    pub span: At,
}

/// The guard of an instruction: `@%p1` or `@!%p1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// True if the predicate is negated: `@!%p1`.
    pub negated: bool,
    /// The register of the predicate.
    pub register: Identifier,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The dotted word of an instruction, as written.
///
/// ```
/// use ptx::Opcode;
///
/// let opcode = Opcode::new("cp.async.bulk.shared::cluster.global");
/// assert_eq!(opcode.stem(), "cp");
/// assert!(opcode.starts_with("cp.async.bulk"));
/// assert!(opcode.has(".shared::cluster") && !opcode.has(".shared"));
/// assert!(opcode.modifiers().eq([".async", ".bulk", ".shared::cluster", ".global"]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode {
    name: Box<str>,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl Opcode {
    /// Creates an opcode from its dotted text.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self {
            name: name.into(),
            span: At::default(),
        }
    }

    /// Returns the whole dotted text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parts between the dots, such as `ld`, `global`, `L1::no_allocate`, `f32`.
    pub fn parts(&self) -> std::str::Split<'_, char> {
        self.name.split('.')
    }

    /// Returns the part before the first dot.
    pub fn stem(&self) -> &str {
        self.parts().next().unwrap_or("")
    }

    /// Returns the parts after the first one, each with its dot: `.s32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        let starts = self.name.match_indices('.').map(|(at, _)| at);
        starts.map(|at| {
            let behind = &self.name[at + 1..];
            &self.name[at..=at + behind.find('.').unwrap_or(behind.len())]
        })
    }

    /// Returns whether the opcode has this modifier, written with or without its dot.
    pub fn has(&self, modifier: &str) -> bool {
        let modifier = modifier.strip_prefix('.').unwrap_or(modifier);
        self.parts().skip(1).any(|part| part == modifier)
    }

    /// Returns whether the opcode begins with the parts of `prefix`: `cp.async` is not a prefix of
    /// `cp.asynchronous`.
    pub fn starts_with(&self, prefix: &str) -> bool {
        self.name
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
