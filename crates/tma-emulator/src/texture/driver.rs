//! Textures by the constants of CUDA's driver, which the runtime shares.

use super::{
    AddressMode, Channel, Filter, Format, Geometry, Image, ReadMode, Sampler, Texture, TextureError,
};

/// `CUarray_format` of the kinds and bits of channels.
const FORMATS: [(u32, Channel, u32); 8] = [
    (0x01, Channel::Unsigned, 8),
    (0x02, Channel::Unsigned, 16),
    (0x03, Channel::Unsigned, 32),
    (0x08, Channel::Signed, 8),
    (0x09, Channel::Signed, 16),
    (0x0a, Channel::Signed, 32),
    (0x10, Channel::Float, 16),
    (0x20, Channel::Float, 32),
];

impl Format {
    /// Returns the format of a `CUarray_format` and a number of channels; `None` for compressed and planar
    /// formats, which are not supported.
    pub fn of_number(number: u32, channels: u32) -> Option<Result<Self, TextureError>> {
        let (_, kind, bits) = FORMATS.into_iter().find(|(known, ..)| *known == number)?;
        Some(Self::new(channels, bits, kind))
    }

    /// Returns the `CUarray_format`.
    pub fn number(self) -> u32 {
        let is_same = |(_, kind, bits): &&_| (*kind, *bits) == (self.kind(), self.bits());
        FORMATS.iter().find(is_same).map_or(0, |row| row.0)
    }
}

impl Geometry {
    /// Returns the geometry of an array of this width, height and depth, with 0 for a missing dimension, and
    /// its extents with 1 there. Returns `None` for unsupported flags.
    pub fn of_array(extents: [usize; 3], flags: u32) -> Option<(Self, [u64; 3])> {
        // `CUDA_ARRAY3D_*`
        const LAYERED: u32 = 1;
        const SURFACE_LDST: u32 = 2;
        const CUBEMAP: u32 = 4;
        const TEXTURE_GATHER: u32 = 8;
        if flags & !(LAYERED | SURFACE_LDST | CUBEMAP | TEXTURE_GATHER) != 0 {
            return None;
        }
        let [_, height, depth] = extents;
        let geometry = match (flags & CUBEMAP != 0, flags & LAYERED != 0) {
            (true, true) => Self::LayeredCube,
            (true, false) => Self::Cube,
            (false, true) if height == 0 => Self::LayeredLine,
            (false, true) => Self::LayeredPlane,
            (false, false) if height == 0 && depth == 0 => Self::Line,
            (false, false) if depth == 0 => Self::Plane,
            (false, false) => Self::Volume,
        };
        let [width, height, depth] = extents.map(|extent| extent as u64);
        let extents = match geometry {
            Self::Line => [width, 1, 1],
            Self::Plane => [width, height, 1],
            Self::LayeredLine => [width, 1, depth],
            _ => [width, height, depth],
        };
        Some((geometry, extents))
    }
}

/// Description of a texture, by constants that the driver and the runtime share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// `CUaddress_mode` of each dimension, innermost first.
    pub address_modes: [i32; 3],
    /// `CUfilter_mode` of the texture.
    pub filter: i32,
    /// Texels of 8 and 16 bits are read as fractions.
    pub is_normalized_float: bool,
    /// Coordinates from 0 to 1 are the whole texture.
    pub has_normalized_coordinates: bool,
    /// True if the colours of texels are encoded as sRGB.
    pub is_srgb: bool,
    /// Cube maps are filtered over their edges.
    pub is_seamless: bool,
    /// Colour of texels outside the image.
    pub border: [f32; 4],
}

/// The reason why a description is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// A number that the driver does not know.
    Number(i32),
    /// The emulator does not have textures of this kind.
    Lacks(&'static str),
    /// The description breaks a rule of textures.
    Rule(TextureError),
}

impl From<TextureError> for Refused {
    fn from(rule: TextureError) -> Self {
        Self::Rule(rule)
    }
}

impl Reading {
    /// Returns the description of a `CUDA_TEXTURE_DESC` with these flags, `CU_TRSF_*`, for texels with channels
    /// of `bits` bits: integers of 32 bits are never read as fractions.
    #[must_use]
    pub fn with_flags(self, flags: u32, bits: u32) -> Self {
        const READ_AS_INTEGER: u32 = 0x01;
        const NORMALIZED_COORDINATES: u32 = 0x02;
        const SRGB: u32 = 0x10;
        const SEAMLESS: u32 = 0x40;
        let has = |flag: u32| flags & flag != 0;
        Self {
            is_normalized_float: !has(READ_AS_INTEGER) && bits < 32,
            has_normalized_coordinates: has(NORMALIZED_COORDINATES),
            is_srgb: has(SRGB),
            is_seamless: has(SEAMLESS),
            ..self
        }
    }

    /// Returns the texture with this description.
    ///
    /// # Errors
    /// The driver would refuse it, or the emulator does not support it.
    pub fn texture(&self, image: Image) -> Result<Texture, Refused> {
        const MODES: [AddressMode; 4] = [
            AddressMode::Wrap,
            AddressMode::Clamp,
            AddressMode::Mirror,
            AddressMode::Border,
        ];
        const FILTERS: [Filter; 2] = [Filter::Point, Filter::Linear];
        let mut address_modes = [AddressMode::Clamp; 3];
        for (to, number) in address_modes.iter_mut().zip(self.address_modes) {
            *to = choice(&MODES, number)?;
        }
        let filter = choice(&FILTERS, self.filter)?;
        if self.is_srgb {
            return Err(Refused::Lacks("sRGB"));
        }
        let is_cube = matches!(image.geometry(), Geometry::Cube | Geometry::LayeredCube);
        if self.is_seamless && is_cube && filter == Filter::Linear {
            return Err(Refused::Lacks("a seamless cube map"));
        }
        let sampler = Sampler {
            address_modes,
            filter,
            read_mode: match self.is_normalized_float {
                true => ReadMode::NormalizedFloat,
                false => ReadMode::Element,
            },
            normalized_coordinates: self.has_normalized_coordinates,
            border: self.border.map(f32::to_bits),
        };
        Ok(Texture::new(image, sampler)?)
    }
}

fn choice<T: Copy>(of: &[T], number: i32) -> Result<T, Refused> {
    let found = usize::try_from(number).ok().and_then(|index| of.get(index));
    found.copied().ok_or(Refused::Number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_formats_are_those_of_formats() {
        for (number, kind, bits) in FORMATS {
            let format = Format::of_number(number, 2).unwrap().unwrap();
            assert_eq!(
                (format.kind(), format.bits(), format.channels()),
                (kind, bits, 2)
            );
            assert_eq!(format.number(), number);
        }
        assert!(Format::of_number(0x40, 1).is_none());
        assert!(Format::of_number(0x20, 3).unwrap().is_err());
    }

    #[test]
    fn extents_and_flags_are_a_geometry() {
        for (extents, flags, expected) in [
            ([7, 0, 0], 0, (Geometry::Line, [7, 1, 1])),
            ([7, 5, 0], 2, (Geometry::Plane, [7, 5, 1])),
            ([7, 5, 3], 0, (Geometry::Volume, [7, 5, 3])),
            ([7, 0, 3], 1, (Geometry::LayeredLine, [7, 1, 3])),
            ([7, 5, 3], 1, (Geometry::LayeredPlane, [7, 5, 3])),
            ([7, 7, 6], 4, (Geometry::Cube, [7, 7, 6])),
            ([7, 7, 12], 5, (Geometry::LayeredCube, [7, 7, 12])),
        ] {
            assert_eq!(Geometry::of_array(extents, flags), Some(expected));
        }
        assert_eq!(Geometry::of_array([7, 5, 0], 0x40), None);
    }

    #[test]
    fn descriptions_are_textures_or_refused() {
        let format = Format::new(1, 8, Channel::Unsigned).unwrap();
        let image = Image::array(0, format, Geometry::Cube, [4, 4, 6]).unwrap();
        let reading = Reading {
            filter: 1,
            ..Reading::default()
        };
        assert!(reading.with_flags(2, 8).texture(image).is_ok());
        // Integers are not filtered.
        let rule = reading.with_flags(1, 8).texture(image);
        assert_eq!(rule, Err(Refused::Rule(TextureError::LinearFilter)));
        assert_eq!(
            reading.with_flags(0x10, 8).texture(image),
            Err(Refused::Lacks("sRGB"))
        );
        let seamless = reading.with_flags(0x40, 8).texture(image);
        assert_eq!(seamless, Err(Refused::Lacks("a seamless cube map")));
        let wrong = Reading {
            address_modes: [0, 4, 0],
            ..reading
        };
        assert_eq!(wrong.texture(image), Err(Refused::Number(4)));
    }
}
