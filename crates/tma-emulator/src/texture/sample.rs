//! Fetches: from coordinates to the numbers that an instruction gets. CUDA C++ Programming Guide, "Texture Fetching".

use super::{
    Channel, Geometry, Image, Texel, TextureError,
    axis::{Axis, ONE, Taps},
};

/// The meaning of a coordinate outside of the texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "cudaTextureAddressMode")]
pub enum AddressMode {
    /// The texture repeats, where coordinates are normalized; else as [`Clamp`](Self::Clamp).
    Wrap,
    /// Coordinates outside the image use the nearest texel.
    #[default]
    Clamp,
    /// Repeats the texture, mirrored every other time, if coordinates are normalized; otherwise like
    /// [`Clamp`](Self::Clamp).
    Mirror,
    /// Uses the colour of the border.
    Border,
}

/// Combination of the texels around a coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "cudaTextureFilterMode")]
pub enum Filter {
    /// Returns the texel that contains the coordinate.
    #[default]
    Point,
    /// The weighted mean of two texels in each dimension.
    Linear,
}

/// Type of the numbers that fetches from integer texels return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "cudaTextureReadMode")]
pub enum ReadMode {
    /// A fetch returns the texel's bits without conversion.
    #[default]
    Element,
    /// Fractions of the largest, from 0 or -1 to 1.
    NormalizedFloat,
}

/// Settings of a texture's fetches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "cudaTextureDesc")]
pub struct Sampler {
    /// Address mode of each dimension, innermost first.
    pub address_modes: [AddressMode; 3],
    /// Filter that fetches apply to neighbouring texels.
    pub filter: Filter,
    /// The numbers that integers are read as.
    pub read_mode: ReadMode,
    /// Coordinates from 0 to 1 cover the whole texture, as those of cubes always do.
    pub normalized_coordinates: bool,
    /// Bits of the border's channels, as `f32` if fetches return floating-point numbers.
    pub border: [u32; 4],
}

/// Texels and how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "cudaTextureObject_t")]
pub struct Texture {
    image: Image,
    sampler: Sampler,
}

/// The location of a fetch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub(crate) coordinates: [f32; 3],
    pub(crate) layer: u32,
}

impl Texture {
    /// Returns a texture of an image with these settings.
    ///
    /// # Errors
    /// The settings filter integers, or read integers of 32 bits as fractions.
    pub fn new(image: Image, sampler: Sampler) -> Result<Self, TextureError> {
        let format = image.format();
        let is_float = format.kind() == Channel::Float;
        if sampler.read_mode == ReadMode::NormalizedFloat && !is_float && format.bits() == 32 {
            return Err(TextureError::NormalizedRead(format.bits(), format.kind()));
        }
        let texture = Self { image, sampler };
        let filters = sampler.filter == Filter::Linear && image.geometry() != Geometry::Linear;
        match filters && !texture.gives_floats() {
            true => Err(TextureError::LinearFilter),
            false => Ok(texture),
        }
    }

    /// Returns the image that the texture samples.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Returns the same texture with its texels at another address.
    #[must_use]
    pub fn at(self, address: u64) -> Self {
        Self {
            image: self.image.at(address),
            ..self
        }
    }

    /// Returns the settings of fetches.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Returns whether fetches return numbers of type `f32`.
    pub(crate) fn gives_floats(&self) -> bool {
        self.image.format().kind() == Channel::Float
            || self.sampler.read_mode == ReadMode::NormalizedFloat
    }

    /// Returns the bits of all channels at a point, 0 for missing channels. `read` returns the texel at an
    /// address.
    pub(crate) fn sample<E>(
        &self,
        point: &Point,
        mut read: impl FnMut(u64) -> Result<Texel, E>,
    ) -> Result<[u32; 4], E> {
        let (taps, slice) = self.taps(point, self.filter());
        let [x, y, z] = taps;
        if self.filter() == Filter::Point {
            let texel = [x, y, z].map(|taps| taps.texels[0]);
            return Ok(self.channels(self.fetch(texel, slice, &mut read)?));
        }
        let mut sums = [0.0; 4];
        for corner in 0..1 << self.filtered_dimensions() {
            let mut weight = 1.0;
            let mut texel = [Some(0); 3];
            for (axis, taps) in taps.iter().enumerate() {
                let is_second = corner >> axis & 1;
                let steps = match is_second {
                    0 => ONE - taps.second,
                    _ => taps.second,
                };
                weight *= f64::from(steps) / f64::from(ONE);
                texel[axis] = taps.texels[is_second];
            }
            // A texel that does not count is not looked at.
            if weight > 0.0 {
                let values = self.values(self.fetch(texel, slice, &mut read)?);
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += weight * value;
                }
            }
        }
        Ok(sums.map(|sum| (sum as f32).to_bits()))
    }

    /// Returns a channel of the four texels used by linear filtering of two dimensions, counter-clockwise from
    /// the one with the smaller x and the larger y.
    pub(crate) fn gather<E>(
        &self,
        point: &Point,
        channel: usize,
        mut read: impl FnMut(u64) -> Result<Texel, E>,
    ) -> Result<[u32; 4], E> {
        let ([x, y, _], slice) = self.taps(point, Filter::Linear);
        let mut four = [0; 4];
        for (to, [column, row]) in four.iter_mut().zip([[0, 1], [1, 1], [1, 0], [0, 0]]) {
            let texel = [x.texels[column], y.texels[row], Some(0)];
            *to = self.channels(self.fetch(texel, slice, &mut read)?)[channel];
        }
        Ok(four)
    }

    /// Returns the bits of all channels of the texel at these unnormalized coordinates; 0 outside of the
    /// texture.
    pub(crate) fn texel<E>(
        &self,
        coordinates: [i32; 3],
        layer: u32,
        mut read: impl FnMut(u64) -> Result<Texel, E>,
    ) -> Result<[u32; 4], E> {
        let mut texel = [Some(0); 3];
        let extents = self.image.extents;
        for axis in 0..self.image.geometry().dimensions() {
            match u32::try_from(coordinates[axis]) {
                Ok(inside) if inside < extents[axis] => texel[axis] = Some(inside),
                _ => return Ok([0; 4]),
            }
        }
        Ok(self.channels(self.fetch(texel, self.layer(layer, 0), &mut read)?))
    }

    /// Returns the number of axes used by linear filtering. A GPU samples a line as the only row of a plane, at
    /// the row's edge: half of a result is the second address mode's value next to the row (seen on an H200).
    fn filtered_dimensions(&self) -> usize {
        match self.image.geometry() {
            Geometry::Line => 2,
            geometry => geometry.dimensions(),
        }
    }

    /// Returns the filter; linear memory is not filtered.
    fn filter(&self) -> Filter {
        match self.image.geometry() {
            Geometry::Linear => Filter::Point,
            _ => self.sampler.filter,
        }
    }

    /// Returns the texels of each axis, and the layer.
    fn taps(&self, point: &Point, filter: Filter) -> ([Taps; 3], Option<u32>) {
        let geometry = self.image.geometry();
        let is_cube = matches!(geometry, Geometry::Cube | Geometry::LayeredCube);
        let (coordinates, face) = match is_cube {
            true => face(point.coordinates),
            false => (point.coordinates, 0),
        };
        let mut taps = [Taps {
            texels: [Some(0); 2],
            second: 0,
        }; 3];
        let axes = match filter {
            Filter::Linear => self.filtered_dimensions(),
            Filter::Point => geometry.dimensions(),
        };
        for axis in 0..axes {
            let mode = match geometry {
                _ if is_cube => AddressMode::Clamp,
                Geometry::Linear => AddressMode::Border,
                _ => self.sampler.address_modes[axis],
            };
            let described = Axis {
                texels: self.image.extents[axis],
                mode,
                is_normalized: is_cube || self.sampler.normalized_coordinates,
            };
            let coordinate = match axis < geometry.dimensions() {
                true => coordinates[axis],
                false => 0.0,
            };
            taps[axis] = described.taps(coordinate, filter);
        }
        (taps, self.layer(point.layer, face))
    }

    /// Returns the layer, if there are layers; numbers that are too large select the last one.
    fn layer(&self, layer: u32, face: u32) -> Option<u32> {
        let layers = self.image.extents[2];
        match self.image.geometry() {
            Geometry::LayeredLine | Geometry::LayeredPlane => Some(layer.min(layers - 1)),
            Geometry::Cube => Some(face),
            Geometry::LayeredCube => Some(layer.min(layers / 6 - 1) * 6 + face),
            _ => None,
        }
    }

    /// Reads a texel, or returns `None` for the border.
    fn fetch<E>(
        &self,
        texel: [Option<u32>; 3],
        slice: Option<u32>,
        read: &mut impl FnMut(u64) -> Result<Texel, E>,
    ) -> Result<Option<Texel>, E> {
        let [Some(x), Some(y), Some(z)] = texel else {
            return Ok(None);
        };
        read(self.image.texel([x, y, slice.unwrap_or(z)])).map(Some)
    }

    /// Returns the bits of all channels of a texel, or of the border.
    fn channels(&self, texel: Option<Texel>) -> [u32; 4] {
        let Some(texel) = texel else {
            return self.border();
        };
        let format = self.image.format();
        let channels = [0, 1, 2, 3];
        match self.gives_floats() {
            true => channels.map(|channel| format.float(&texel, channel)),
            false => channels.map(|channel| format.integer(&texel, channel)),
        }
    }

    /// Returns all channels of a texel, or of the border, for filtering.
    fn values(&self, texel: Option<Texel>) -> [f64; 4] {
        match texel {
            Some(texel) => [0, 1, 2, 3].map(|channel| self.image.format().value(&texel, channel)),
            None => self.border().map(|bits| f32::from_bits(bits).into()),
        }
    }

    fn border(&self) -> [u32; 4] {
        match self.image.geometry() {
            Geometry::Linear => [0; 4],
            _ => self.sampler.border,
        }
    }
}

/// Returns the face that a direction points to, and the normalized coordinates there. Guide, "Cubemap
/// Textures".
fn face([x, y, z]: [f32; 3]) -> ([f32; 3], u32) {
    let [along_x, along_y, along_z] = [x, y, z].map(f32::abs);
    let (face, m, s, t) = if along_z >= along_x && along_z >= along_y {
        match z < 0.0 {
            false => (4, along_z, x, -y),
            true => (5, along_z, -x, -y),
        }
    } else if along_y >= along_x {
        match y < 0.0 {
            false => (2, along_y, x, z),
            true => (3, along_y, x, -z),
        }
    } else {
        match x < 0.0 {
            false => (0, along_x, -z, -y),
            true => (1, along_x, z, -y),
        }
    };
    ([(s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0, 0.0], face)
}
