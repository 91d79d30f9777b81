//! The modifiers of an opcode, taken one by one until none is left.

use ptx::{Opcode, Type};

use super::NotSupported;
use crate::machine::observer::{Scope, Sem};

/// The words after the dots of an opcode.
pub(crate) struct Modifiers<'a>(Vec<&'a str>);

impl<'a> Modifiers<'a> {
    /// Splits the opcode after the stem of a family, such as `cp.async.bulk`.
    pub(crate) fn new(opcode: &'a Opcode, stem: &str) -> Self {
        Self(opcode.parts().skip(stem.split('.').count()).collect())
    }

    /// Takes the modifier, if the opcode has it.
    pub(crate) fn take(&mut self, modifier: &str) -> bool {
        let found = self.0.iter().position(|part| *part == modifier);
        found.map(|index| self.0.remove(index)).is_some()
    }

    /// Takes the only type that the instruction has.
    pub(crate) fn take_type(&mut self, ty: &str) -> Result<(), NotSupported> {
        match self.take(ty) {
            true => Ok(()),
            false => Err(NotSupported::Part("type")),
        }
    }

    /// Takes the first modifier that the table has.
    pub(crate) fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let find = |part: &&str| table.iter().find(|(word, _)| word == part).map(|(_, t)| *t);
        let (index, value) = self
            .0
            .iter()
            .enumerate()
            .find_map(|(i, part)| Some((i, find(part)?)))?;
        self.0.remove(index);
        Some(value)
    }

    /// Takes the first type.
    pub(crate) fn ty(&mut self) -> Result<Type, NotSupported> {
        self.try_ty().ok_or_else(|| "it has no type".into())
    }

    /// Takes the first type, if there is one.
    pub(crate) fn try_ty(&mut self) -> Option<Type> {
        let of = |part: &&str| Type::from_word(&format!(".{part}"));
        let (index, ty) = self
            .0
            .iter()
            .enumerate()
            .find_map(|(i, part)| Some((i, of(part)?)))?;
        self.0.remove(index);
        Some(ty)
    }

    /// Takes the number after a prefix, such as the 2 in `.v2`.
    pub(crate) fn vector(&mut self) -> usize {
        self.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1)
    }

    /// Takes the memory ordering, if there is one.
    pub(crate) fn sem(&mut self) -> Option<Sem> {
        self.one_of(&[
            ("weak", Sem::Weak),
            ("relaxed", Sem::Relaxed),
            ("volatile", Sem::Relaxed),
            ("acquire", Sem::Acquire),
            ("release", Sem::Release),
            ("acq_rel", Sem::AcqRel),
            ("sc", Sem::Sc),
        ])
    }

    /// Takes the scope, if there is one.
    pub(crate) fn scope(&mut self) -> Option<Scope> {
        self.one_of(&[
            ("cta", Scope::Cta),
            ("cluster", Scope::Cluster),
            ("gpu", Scope::Gpu),
            ("sys", Scope::Sys),
        ])
    }

    /// Takes cache hints, which have no effect.
    pub(crate) fn cache_hints(&mut self) {
        let known = ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "unified"];
        self.0.retain(|part| {
            let level = part.starts_with("L1::") || part.starts_with("L2::");
            // The hint of a cache policy comes with an operand.
            *part == "L2::cache_hint" || !(level || known.contains(part))
        });
    }

    /// Returns an error if a modifier was not taken.
    pub(crate) fn finish(self) -> Result<(), NotSupported> {
        match self.0.as_slice() {
            [] => Ok(()),
            rest => Err(format!("its modifier `.{}` is not known here", rest.join(".")).into()),
        }
    }
}
