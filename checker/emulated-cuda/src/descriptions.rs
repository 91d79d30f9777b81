//! Descriptions of textures and surfaces, as the runtime's structures.

use std::collections::BTreeMap;

/// `cudaChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelDescription {
    pub(crate) bits: [i32; 4],
    pub(crate) kind: i32,
}

/// The part of `cudaResourceDesc` that is the same in CUDA 12 and 13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceDescription {
    pub(crate) kind: i32,
    /// The handle of an array, or an address.
    pub(crate) at: u64,
    pub(crate) format: ChannelDescription,
    /// Bytes of linear memory; width, height and pitch in bytes of rows.
    pub(crate) sizes: [usize; 3],
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureDescription {
    pub(crate) address_modes: [i32; 3],
    pub(crate) filter: i32,
    pub(crate) reads_normalized: i32,
    pub(crate) srgb: i32,
    pub(crate) border: [f32; 4],
    pub(crate) normalized_coordinates: i32,
    pub(crate) max_anisotropy: u32,
    pub(crate) mipmap_filter: i32,
    pub(crate) mipmap_levels: [f32; 3],
    pub(crate) disable_trilinear: i32,
    pub(crate) seamless: i32,
}

/// The descriptions that a texture or surface was created from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    pub(crate) resource: ResourceDescription,
    /// `None` for surfaces.
    pub(crate) texture: Option<TextureDescription>,
}

/// Descriptions by handle of the texture or surface object.
pub(crate) type Descriptions = BTreeMap<u64, Description>;
