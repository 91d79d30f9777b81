//! Arrays: memory of texels in an opaque layout. Here the rows are consecutive.

use std::collections::BTreeMap;

use tma_emulator::texture::{Format, Geometry, Image};

/// The image of an array, and its creation flags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    pub(crate) image: Image,
    pub(crate) flags: u32,
}

impl Array {
    pub(crate) fn format(&self) -> Format {
        self.image.format()
    }

    /// Returns width, height, and depth or layers; 0 for a missing dimension.
    pub(crate) fn extents(&self) -> [usize; 3] {
        let [width, height, depth] = self.image.extents().map(|extent| extent as usize);
        match self.image.geometry() {
            Geometry::Linear | Geometry::Line => [width, 0, 0],
            Geometry::Plane => [width, height, 0],
            Geometry::LayeredLine => [width, 0, depth],
            _ => [width, height, depth],
        }
    }
}

/// Arrays by handle.
pub(crate) type Arrays = BTreeMap<u64, Array>;
