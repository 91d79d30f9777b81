//! The first element of a box.

use super::super::Action;
use crate::maps::generate::Random;

/// The position of a box in its tensor, drawn for all dimensions together.
#[derive(Clone, Copy)]
pub(super) enum Mood {
    Inside,
    /// Out of bounds in only this dimension.
    Across(usize),
    Anywhere,
}

impl Mood {
    pub(super) fn new(random: &mut Random, rank: usize) -> Self {
        match random.below(4) {
            0 => Self::Inside,
            1 | 2 => Self::Across(random.below(rank as u64) as usize),
            _ => Self::Anywhere,
        }
    }
}

/// A dimension of a tensor, and the box in it.
pub(super) struct Extent {
    /// The dimension's index.
    pub(super) dim: usize,
    /// Elements of the tensor.
    pub(super) tensor: u64,
    /// Elements from the box's first to its last, both counted.
    pub(super) reach: u64,
    /// Coordinates must be multiples of this.
    pub(super) multiple: u64,
}

impl Extent {
    /// A coordinate that a copy may have.
    pub(super) fn coordinate(&self, random: &mut Random, mood: Mood, action: Action) -> i32 {
        let (tensor, reach) = (self.tensor as i64, self.reach as i64);
        let room = tensor.saturating_sub(reach).max(0);
        let is_inside = match mood {
            Mood::Inside => true,
            Mood::Across(dim) => dim != self.dim,
            Mood::Anywhere => random.once_in(2),
        };
        let end = tensor - 1;
        let any = match random.below(if is_inside { 4 } else { 31 }) {
            0 => 0,
            1 => room,
            2 | 3 => random.within(0, room),
            4..15 => end - random.within(0, reach - 1),
            15..25 => -random.within(0, reach - 1),
            25 => -reach,
            26 => tensor,
            27 => tensor + random.within(0, 40),
            28 => -reach - random.within(0, 40),
            29 => random.within(i32::MIN.into(), i32::MAX.into()),
            _ => random.pick(&[i32::MIN.into(), i32::MAX.into(), -1, 1 << 30, 1 - (1 << 30)]),
        };
        let least = match action {
            Action::Load => i32::MIN.into(),
            _ => 0,
        };
        let any = any.clamp(least, i32::MAX.into());
        let multiple = self.multiple as i64;
        // Towards the tensor's start from either side.
        (any / multiple * multiple) as i32
    }
}
