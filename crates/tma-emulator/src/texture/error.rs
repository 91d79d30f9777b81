//! The rules of textures and surfaces.

use super::{Channel, Geometry};

/// A rule that a texture or a surface breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// Texels have 1, 2 or 4 channels.
    #[error("a texel has {0} channels; it must have 1, 2 or 4")]
    Channels(u32),
    /// Integers have 8, 16 or 32 bits, floating-point numbers 16 or 32.
    #[error("a channel is {1} of {0} bits; {needed}", needed = match .1 {
        Channel::Float => "floating-point numbers have 16 or 32",
        _ => "integers have 8, 16 or 32",
    })]
    ChannelBits(u32, Channel),
    /// Every extent has a limit, and the faces of a cube are squares.
    #[error(
        "extents[{axis}] of {geometry} is {extent}; it must be from 1 to {most}",
        geometry = .geometry.name()
    )]
    Extent {
        /// The arrangement that it is an extent of.
        geometry: Geometry,
        /// Index of the axis: innermost is 0, and layers follow the dimensions.
        axis: usize,
        /// Number of texels or layers that is invalid.
        extent: u64,
        /// The largest that an H100 takes.
        most: u64,
    },
    /// The faces of a cube are squares.
    #[error("a face of a cube map is {0} texels wide and {1} high; it must be a square")]
    Face(u32, u32),
    /// A cube map has six faces.
    #[error("a cube map has {0} layers; it must have {needed}", needed = match .1 {
        true => "a multiple of 6",
        false => "6",
    })]
    Faces(u32, bool),
    /// Memory of textures is aligned.
    #[error("the address {0:#x} of a texture is not a multiple of {ALIGN_BYTES}", ALIGN_BYTES = super::image::ALIGN_BYTES)]
    Address(u64),
    /// Rows begin at multiples of 32 bytes.
    #[error(
        "the row pitch of {pitch_bytes} bytes must be a multiple of {align} and at least the row size of \
         {row_bytes} bytes",
        align = super::image::PITCH_ALIGN_BYTES
    )]
    Pitch {
        /// Distance of two rows in bytes.
        pitch_bytes: u64,
        /// Bytes of the texels in a row.
        row_bytes: u64,
    },
    /// Linear filtering is for numbers with a fraction.
    #[error(
        "the filter mode is linear, but the texture returns integers; read it as normalized floating-point numbers, or \
         filter by points"
    )]
    LinearFilter,
    /// Integers of 32 bits cannot be read as fractions.
    #[error(
        "the read mode is normalized float, which needs integers of 8 or 16 bits; the texels are {1} of {0} bits"
    )]
    NormalizedRead(u32, Channel),
    /// A surface must be an array.
    #[error("a surface is made of {geometry}; it must be an array", geometry = .0.name())]
    SurfaceOf(Geometry),
}
