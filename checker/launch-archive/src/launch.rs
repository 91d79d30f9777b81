//! The description of a launch.

use serde::{Deserialize, Serialize};

/// A launch: the kernel, its arguments, and the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The name of the program.
    pub program: String,
    /// The number of the launch in this process, from 1.
    pub number: u64,
    /// The name of the kernel in its PTX.
    pub entry: String,
    /// Number of blocks.
    pub grid: [u32; 3],
    /// Number of threads per block.
    pub block: [u32; 3],
    /// Number of blocks per cluster, if set by the launch.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory per block in bytes.
    pub shared_bytes: u32,
    /// True if all blocks must be resident at once.
    pub cooperative: bool,
    /// The bytes of each parameter.
    #[serde(with = "hexadecimal")]
    pub arguments: Vec<Vec<u8>>,
    /// The GPU's name.
    pub device: String,
    /// The version of the driver, such as 13000.
    pub driver: i32,
    /// The textures and surfaces that the kernel could reach.
    pub objects: Vec<TextureObject>,
    /// Descriptions of memory that the kernel could reach but the archive does not contain.
    pub gaps: Vec<String>,
    /// The `CUresult` of a failed kernel, whose results in memory are unknown.
    pub error: Option<i32>,
}

/// A region of memory of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The call that allocated it and its number, or the name of a variable.
    pub name: String,
    /// The kind of memory.
    pub kind: MemoryKind,
    /// The address on the GPU.
    pub address: u64,
    /// The bytes before the launch.
    pub before: Vec<u8>,
    /// The bytes after the launch; `None` if they could not be read.
    pub after: Option<Vec<u8>>,
}

/// A texture or a surface, with the numbers of CUDA's driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureObject {
    /// The handle used by kernels.
    pub handle: u64,
    /// The location of the texels.
    pub texels: Texels,
    /// `CUarray_format` of the texels.
    pub format: u32,
    /// Number of channels per texel.
    pub channels: u32,
    /// The sampler of a texture; `None` for a surface.
    pub reading: Option<Reading>,
}

/// The location of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Texels {
    /// An array.
    Array {
        /// The handle, which is also the address of its memory in the archive, as consecutive rows.
        array: u64,
        /// Width, height, and depth or layers; 0 where there is no such dimension.
        extents: [usize; 3],
        /// `CUDA_ARRAY3D_*`
        flags: u32,
    },
    /// Linear memory.
    Linear {
        /// The start address.
        address: u64,
        /// The length in bytes.
        bytes: usize,
    },
    /// Rows of memory with a pitch.
    Pitched {
        /// The address of the first row.
        address: u64,
        /// Width and height in texels.
        extents: [usize; 2],
        /// Distance between rows in bytes.
        pitch_bytes: usize,
    },
}

/// The sampler of a texture, as in `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// `CUaddress_mode` of each dimension.
    pub address_modes: [i32; 3],
    /// `CUfilter_mode`
    pub filter: i32,
    /// `CU_TRSF_*`
    pub flags: u32,
    /// The bits of the border colour.
    pub border: [u32; 4],
}

/// The kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// An allocation.
    Allocation,
    /// A variable of the module in global memory.
    Variable,
    /// A variable of the module in constant memory.
    Constant,
    /// An array. The address is its handle.
    Array,
}

/// The first section: everything except memory contents.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) launch: Launch,
    pub(crate) memory: Vec<RegionHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionHeader {
    pub(crate) name: String,
    pub(crate) kind: MemoryKind,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// True if a section contains the changes by the launch.
    pub(crate) has_after: bool,
}

/// Serialises arguments as hexadecimal text.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(all: &[Vec<u8>], to: S) -> Result<S::Ok, S::Error> {
        let digits = |bytes: &Vec<u8>| -> String {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        to.collect_seq(all.iter().map(digits))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Vec<u8>>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        let bytes = |text: &String| {
            let pairs = text.as_bytes().chunks(2);
            let byte = |pair: &[u8]| {
                let pair = std::str::from_utf8(pair)
                    .ok()
                    .filter(|pair| pair.len() == 2)?;
                u8::from_str_radix(pair, 16).ok()
            };
            let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
            bytes.ok_or_else(|| {
                D::Error::custom(format!(
                    "`{text}` must consist of pairs of hexadecimal digits"
                ))
            })
        };
        texts.iter().map(bytes).collect()
    }
}
