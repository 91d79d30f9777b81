//! Locations with strong accesses: the releases and fences that a read of each sees.

use super::{
    hash::Map,
    knowledge::{Fences, FencesSc},
    released::Released,
};
use crate::machine::observer::{Memory, Scope};

/// A release by the last write of a location, or by a chain of atomics.
#[derive(Clone, Debug)]
pub(super) struct Release {
    pub(super) block: u32,
    pub(super) scope: Scope,
    pub(super) released: Released,
}

/// A location with a release by its last write, or by a chain of atomics there.
#[derive(Debug, Default)]
pub(super) struct Location {
    pub(super) near: Vec<Release>,
    /// Releases with a scope that reaches every block; there may be one for each block.
    pub(super) far: Vec<Release>,
    /// The join of all these, since all blocks may read them often.
    pub(super) all_far: Released,
    pub(super) fences: FencesOfLocation,
    /// Version of the releases: unique for each change anywhere.
    pub(super) version: u64,
}

/// Locations with a release by their last write.
pub(super) type Locations = Map<(Memory, u64), Location>;

/// Returns whether a scope includes every block of the grid.
pub(super) fn is_far(scope: Scope) -> bool {
    matches!(scope, Scope::Gpu | Scope::Sys)
}

/// The fences before the writes that a read of a location sees.
#[derive(Debug, Default)]
pub(super) struct FencesOfLocation {
    /// Fences before writes with a scope that reaches every block.
    far: Fences,
    /// Fences before other writes, with the block and the scope of the write.
    near: Vec<(u32, Scope, Fences)>,
}

impl FencesOfLocation {
    /// Records a write that follows these fences.
    pub(super) fn add(&mut self, (block, scope): (u32, Scope), is_shared: bool, fences: &Fences) {
        match is_far(scope) {
            true if is_shared => self.far.join(fences),
            true => self.far.join(&fences.without_repetitions()),
            false => {
                let mut near = self.near.iter_mut();
                match near.find(|(by, of, _)| (*by, *of) == (block, scope)) {
                    Some((.., known)) => known.join(fences),
                    None => self.near.push((block, scope, fences.clone())),
                }
            }
        }
    }

    /// Collects the fences before the writes that a read can see; `reaches` reports whether it and a write of
    /// this block and scope are morally strong.
    pub(super) fn read(
        &self,
        (block, scope): (u32, Scope),
        seen: &mut FencesSc,
        reaches: impl Fn(u32, Scope) -> bool,
    ) {
        match is_far(scope) {
            true => seen.see(&self.far),
            false => seen.see(&self.far.of_block(block)),
        }
        for (by, of, fences) in &self.near {
            if reaches(*by, *of) {
                seen.see(fences);
            }
        }
    }
}
