//! One coordinate: the selected texels and their weights. CUDA C++ Programming Guide, "Texture Fetching".

use super::{AddressMode, Filter};

/// The weights of linear filtering have 8 bits of fraction.
pub(super) const ONE: u32 = 256;

/// Two neighbouring texels of an axis, `None` where the border is, and the weight of the second, of [`ONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taps {
    pub(super) texels: [Option<u32>; 2],
    pub(super) second: u32,
}

/// An axis of `texels` texels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) texels: u32,
    pub(super) mode: AddressMode,
    pub(super) is_normalized: bool,
}

impl Axis {
    /// Returns the texels at a coordinate; for point sampling only the first counts.
    pub(super) fn taps(self, coordinate: f32, filter: Filter) -> Taps {
        let x = self.position(coordinate);
        let (first, second) = match filter {
            Filter::Point => (x.floor(), 0),
            Filter::Linear => {
                // A coordinate that rounds to a whole texel counts as that texel.
                let steps = ((x - 0.5) * f64::from(ONE)).round();
                let first = (steps / f64::from(ONE)).floor();
                (first, (steps - first * f64::from(ONE)) as u32)
            }
        };
        let first = first as i64;
        Taps {
            texels: [first, first.saturating_add(1)].map(|index| self.texel(index)),
            second,
        }
    }

    /// Returns the coordinate in texels; repeating modes move it into the texture.
    fn position(self, coordinate: f32) -> f64 {
        let x = match coordinate.is_nan() {
            true => 0.0,
            false => f64::from(coordinate),
        };
        if !self.is_normalized {
            return x;
        }
        let repeats = x.is_finite();
        let x = match self.mode {
            AddressMode::Wrap if repeats => x - x.floor(),
            AddressMode::Mirror if repeats => {
                let fraction = x - x.floor();
                match x.floor().rem_euclid(2.0) == 0.0 {
                    true => fraction,
                    false => 1.0 - fraction,
                }
            }
            _ => x,
        };
        x * f64::from(self.texels)
    }

    /// Returns the texel at an index. Repeating modes repeat only for normalized coordinates, and clamp others.
    fn texel(self, index: i64) -> Option<u32> {
        let texels = i64::from(self.texels);
        let is_inside = (0..texels).contains(&index);
        let index = match self.mode {
            AddressMode::Border if !is_inside => return None,
            AddressMode::Wrap if self.is_normalized => index.rem_euclid(texels),
            _ => index.clamp(0, texels - 1),
        };
        Some(index as u32)
    }
}
