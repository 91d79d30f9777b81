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
