use super::{Identifier, Operand};
use crate::span::At;

/// `@%p1 ld.global.u32 %r1, [%rd1];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The predicate that must hold.
    pub guard: Option<Box<Guard>>,
    /// The opcode.
    pub opcode: Opcode,
    /// With what; destinations first.
    pub operands: Vec<Operand>,
    /// Where it stands, the semicolon included.
    pub span: At,
}

/// `@%p1` or `@!%p1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// True for `@!%p1`.
    pub negated: bool,
    /// The predicate register.
    pub register: Identifier,
    /// Where it stands.
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
    /// Where it stands.
    pub span: At,
}

impl Opcode {
    /// An opcode from its dotted text.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self {
            name: name.into(),
            span: At::default(),
        }
    }

    /// The whole dotted text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parts between the dots, such as `ld`, `global`, `L1::no_allocate`, `f32`.
    pub fn parts(&self) -> std::str::Split<'_, char> {
        self.name.split('.')
    }

    /// The part before the first dot.
    pub fn stem(&self) -> &str {
        self.parts().next().unwrap_or("")
    }

    /// The parts behind the first one, each with its dot: `.s32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        let starts = self.name.match_indices('.').map(|(at, _)| at);
        starts.map(|at| {
            let behind = &self.name[at + 1..];
            &self.name[at..=at + behind.find('.').unwrap_or(behind.len())]
        })
    }

    /// Returns whether it has this modifier, written with its dot or without.
    pub fn has(&self, modifier: &str) -> bool {
        let modifier = modifier.strip_prefix('.').unwrap_or(modifier);
        self.parts().skip(1).any(|part| part == modifier)
    }

    /// Returns whether its first parts are those of `prefix`, part by part: `cp.async` does not
    /// start `cp.asynchronous`.
    pub fn starts_with(&self, prefix: &str) -> bool {
        self.name
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
