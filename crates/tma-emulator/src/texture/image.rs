//! Texels in memory.

use super::{Format, TextureError};

/// Addresses of textures of memory are multiples of this.
pub(super) const ALIGN_BYTES: u64 = 512;
/// Rows of pitched memory begin at multiples of this.
pub(super) const PITCH_ALIGN_BYTES: u64 = 32;
/// Texels of a texture of linear memory.
pub const MAX_LINEAR_TEXELS: u64 = 1 << 28;

/// Arrangement of texels, which decides the instructions that can access them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// Memory without rows, with integer coordinates.
    Linear,
    /// An image of one dimension.
    Line,
    /// An image of two dimensions.
    Plane,
    /// An image of three dimensions.
    Volume,
    /// An array of images of one dimension.
    LayeredLine,
    /// An array of images of two dimensions.
    LayeredPlane,
    /// A cube map: an image of six square faces.
    Cube,
    /// An array of cube maps, with six faces each.
    LayeredCube,
}

impl Geometry {
    /// Returns the name for messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear memory",
            Self::Line => "an array of one dimension",
            Self::Plane => "an array of two dimensions",
            Self::Volume => "an array of three dimensions",
            Self::LayeredLine => "an array of layers of one dimension",
            Self::LayeredPlane => "an array of layers of two dimensions",
            Self::Cube => "a cube map",
            Self::LayeredCube => "an array of cube maps",
        }
    }

    /// Dimensions that are filtered.
    pub(crate) const fn dimensions(self) -> usize {
        match self {
            Self::Linear | Self::Line | Self::LayeredLine => 1,
            Self::Plane | Self::LayeredPlane | Self::Cube | Self::LayeredCube => 2,
            Self::Volume => 3,
        }
    }

    /// Returns whether the outermost extent is a number of layers.
    pub(crate) const fn is_layered(self) -> bool {
        matches!(
            self,
            Self::LayeredLine | Self::LayeredPlane | Self::Cube | Self::LayeredCube
        )
    }

    /// Returns the largest extents, from the table "Technical Specifications per Compute Capability".
    const fn most(self) -> [u64; 3] {
        match self {
            Self::Linear => [MAX_LINEAR_TEXELS, 1, 1],
            Self::Line => [131_072, 1, 1],
            Self::Plane => [131_072, 65_536, 1],
            Self::Volume => [16_384; 3],
            Self::LayeredLine => [32_768, 1, 2048],
            Self::LayeredPlane => [32_768, 32_768, 2048],
            Self::Cube => [32_768, 32_768, 6],
            Self::LayeredCube => [32_768, 32_768, 2046],
        }
    }
}

/// Texels at an address in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    pub(super) address: u64,
    pub(super) format: Format,
    pub(super) geometry: Geometry,
    /// Width, height, and depth or layers; 1 for a missing dimension.
    pub(super) extents: [u32; 3],
    row_bytes: u64,
}

impl Image {
    /// Returns an array with rows that follow each other without gaps. The extents are width, height, and depth
    /// or layers; 1 for a missing dimension.
    ///
    /// # Errors
    /// An extent is zero or too large, or a cube map has faces that are not square or a wrong number of layers.
    pub fn array(
        address: u64,
        format: Format,
        geometry: Geometry,
        extents: [u64; 3],
    ) -> Result<Self, TextureError> {
        let most = geometry.most();
        for (axis, (extent, most)) in extents.into_iter().zip(most).enumerate() {
            if extent == 0 || extent > most {
                return Err(TextureError::Extent {
                    geometry,
                    axis,
                    extent,
                    most,
                });
            }
        }
        let [width, height, layers] = extents.map(|extent| extent as u32);
        if let Geometry::Cube | Geometry::LayeredCube = geometry {
            let is_layered = geometry == Geometry::LayeredCube;
            if width != height {
                return Err(TextureError::Face(width, height));
            }
            if !layers.is_multiple_of(6) {
                return Err(TextureError::Faces(layers, is_layered));
            }
        }
        Ok(Self {
            address,
            format,
            geometry,
            extents: [width, height, layers],
            row_bytes: u64::from(width) * u64::from(format.texel_bytes()),
        })
    }

    /// Returns linear memory with the whole texels in `bytes` bytes.
    ///
    /// # Errors
    /// The address is not aligned, or the number of texels is zero or too large.
    #[doc(alias = "cudaResourceTypeLinear")]
    pub fn linear(address: u64, format: Format, bytes: u64) -> Result<Self, TextureError> {
        aligned(address)?;
        let texels = bytes / u64::from(format.texel_bytes());
        Self::array(address, format, Geometry::Linear, [texels, 1, 1])
    }

    /// Returns rows of texels at a distance of `pitch_bytes`.
    ///
    /// # Errors
    /// The address or the pitch is not aligned, the pitch is too small, or an extent is zero or too large.
    #[doc(alias = "cudaResourceTypePitch2D")]
    pub fn pitched(
        address: u64,
        format: Format,
        [width, height]: [u64; 2],
        pitch_bytes: u64,
    ) -> Result<Self, TextureError> {
        aligned(address)?;
        let image = Self::array(address, format, Geometry::Plane, [width, height, 1])?;
        let row_bytes = image.row_bytes;
        if pitch_bytes < row_bytes || !pitch_bytes.is_multiple_of(PITCH_ALIGN_BYTES) {
            return Err(TextureError::Pitch {
                pitch_bytes,
                row_bytes,
            });
        }
        Ok(Self {
            row_bytes: pitch_bytes,
            ..image
        })
    }

    /// Returns the format of the texels.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the arrangement of the texels.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Returns width, height, and depth or layers; 1 for a missing dimension.
    pub fn extents(&self) -> [u32; 3] {
        self.extents
    }

    /// Returns the address of the first texel.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the same image at another address.
    #[must_use]
    pub fn at(self, address: u64) -> Self {
        Self { address, ..self }
    }

    /// Returns the distance of rows in bytes.
    pub fn row_bytes(&self) -> u64 {
        self.row_bytes
    }

    /// Returns the bytes of all texels, including gaps between rows.
    pub fn bytes(&self) -> u64 {
        let [_, height, depth] = self.extents.map(u64::from);
        self.row_bytes.saturating_mul(height * depth)
    }

    /// Returns the address of a byte of a row. Both must be inside the image.
    pub(crate) fn byte(&self, x_bytes: u64, y: u32, z: u32) -> u64 {
        let row = u64::from(z) * u64::from(self.extents[1]) + u64::from(y);
        self.address
            .wrapping_add(row.wrapping_mul(self.row_bytes))
            .wrapping_add(x_bytes)
    }

    /// Returns the address of a texel, which must be inside the image.
    pub(crate) fn texel(&self, [x, y, z]: [u32; 3]) -> u64 {
        self.byte(u64::from(x) * u64::from(self.format.texel_bytes()), y, z)
    }
}

fn aligned(address: u64) -> Result<(), TextureError> {
    match address % ALIGN_BYTES {
        0 => Ok(()),
        _ => Err(TextureError::Address(address)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::Channel;

    #[test]
    fn texels_have_addresses() {
        let format = Format::new(2, 16, Channel::Float).unwrap();
        let volume = Image::array(0x1000, format, Geometry::Volume, [5, 3, 2]).unwrap();
        assert_eq!(volume.bytes(), 5 * 3 * 2 * 4);
        assert_eq!(volume.texel([4, 2, 1]), 0x1000 + 4 * 29);
        let pitched = Image::pitched(0x1000, format, [5, 3], 64).unwrap();
        assert_eq!(pitched.texel([4, 2, 0]), 0x1000 + 16 + 128);
        let linear = Image::linear(0x1000, format, 23).unwrap();
        assert_eq!(linear.extents(), [5, 1, 1]);
    }

    #[test]
    fn rules_are_named() {
        let format = Format::new(4, 32, Channel::Float).unwrap();
        let error = |result: Result<Image, TextureError>| result.unwrap_err().to_string();
        assert_eq!(
            error(Image::pitched(0x1000, format, [5, 3], 64)),
            "the row pitch of 64 bytes must be a multiple of 32 and at least the row size of 80 bytes"
        );
        assert_eq!(
            error(Image::linear(0x1010, format, 64)),
            "the address 0x1010 of a texture is not a multiple of 512"
        );
        assert_eq!(
            error(Image::array(0, format, Geometry::Volume, [4, 20_000, 4])),
            "extents[1] of an array of three dimensions is 20000; it must be from 1 to 16384"
        );
        assert_eq!(
            error(Image::array(0, format, Geometry::Cube, [4, 5, 6])),
            "a face of a cube map is 4 texels wide and 5 high; it must be a square"
        );
        assert_eq!(
            error(Image::array(0, format, Geometry::LayeredCube, [4, 4, 13])),
            "a cube map has 13 layers; it must have a multiple of 6"
        );
        assert!(Image::linear(0x1000, format, 15).is_err());
    }
}
