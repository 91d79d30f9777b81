//! The description of a launch.

use serde::{Deserialize, Serialize};

/// A launch: the kernel, its arguments, and the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The program that launched.
    pub program: String,
    /// The number of the launch in this process, from 1.
    pub number: u64,
    /// The name of the kernel in its PTX.
    pub entry: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster, where the launch said so.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// All blocks run at once.
    pub cooperative: bool,
    /// The bytes of each parameter.
    #[serde(with = "hexadecimal")]
    pub arguments: Vec<Vec<u8>>,
    /// The GPU's name.
    pub device: String,
    /// The version of the driver, such as 13000.
    pub driver: i32,
    /// The textures and surfaces that the kernel could reach.
    pub objects: Vec<Object>,
    /// Sentences about what the kernel could reach and the archive does not have.
    pub gaps: Vec<String>,
    /// The `CUresult` with which the kernel ended, where it failed: what it left in memory is then not known.
    pub error: Option<i32>,
}

/// Memory of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The call that allocated it and the call's number, or the name of a variable.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Where it was on the GPU.
    pub address: u64,
    /// Its bytes before the launch.
    pub before: Vec<u8>,
    /// The same bytes after the launch; nothing where they could not be read.
    pub after: Option<Vec<u8>>,
}

/// A texture or a surface, by the numbers of CUDA's driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// The handle that kernels have.
    pub handle: u64,
    /// Where its texels are.
    pub texels: Texels,
    /// `CUarray_format` of the texels.
    pub format: u32,
    /// Channels of a texel.
    pub channels: u32,
    /// How a texture is read; nothing for a surface.
    pub reading: Option<Reading>,
}

/// Where texels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Texels {
    /// An array.
    Array {
        /// Its handle, which is the address of its memory in the archive: rows that follow each other.
        array: u64,
        /// Width, height, and depth or layers; 0 where there is no such dimension.
        extents: [usize; 3],
        /// `CUDA_ARRAY3D_*`
        flags: u32,
    },
    /// Memory.
    Linear {
        /// Where it begins.
        address: u64,
        /// Its length in bytes.
        bytes: usize,
    },
    /// Rows of memory.
    Pitched {
        /// Where the first one begins.
        address: u64,
        /// Width and height in texels.
        extents: [usize; 2],
        /// Bytes from a row to the next.
        pitch_bytes: usize,
    },
}

/// How a texture is read, as in `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// `CUaddress_mode` of each dimension.
    pub address_modes: [i32; 3],
    /// `CUfilter_mode`
    pub filter: i32,
    /// `CU_TRSF_*`
    pub flags: u32,
    /// The bits of the border's colour.
    pub border: [u32; 4],
}

/// The kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An allocation.
    Allocation,
    /// A variable of the module in global memory.
    Variable,
    /// A variable of the module in constant memory.
    Constant,
    /// An array. Its address is its handle.
    Array,
}

/// The first section: all but bytes.
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
    pub(crate) kind: Kind,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// A section says what the launch changed.
    pub(crate) has_after: bool,
}

/// Arguments as texts.
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
                D::Error::custom(format!("`{text}` has no pairs of hexadecimal digits"))
            })
        };
        texts.iter().map(bytes).collect()
    }
}
