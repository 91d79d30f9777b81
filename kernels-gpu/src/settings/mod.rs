//! Launch settings for kernels that stream through memory.
//!
//! A streaming kernel is as fast as memory when enough bytes are in flight for each multiprocessor, and not many
//! more. Their number, the chunks and the blocks differ from device to device. A [`Setting`]
//! holds them; [`Streaming::setting`] has the one that `bench --tune` found to be the fastest on a device, if the
//! device was measured, and for all others one by a rule from the rate of the memory.
//!
//! ```
//! use kernels_gpu::settings::Streaming;
//! use tma_launch::DeviceDescription;
//!
//! let device = DeviceDescription { name: "another one".to_owned(), ..DeviceDescription::h100() };
//! let setting = Streaming::AddOneRing.setting(&device);
//! assert_eq!(setting.to_string(), "4 KiB x 6 x 2");
//! ```

mod rule;
mod table;

use std::fmt::{self, Display, Formatter};

use tensor_map::DataType;
use tma_launch::DeviceDescription;

pub use rule::{LATENCY_NS, bytes_in_flight};
pub use table::{Row, Table};

/// The launch settings of a kernel that streams through memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The number of bytes of a chunk or tile.
    pub chunk_bytes: u32,
    /// The number of tiles side by side that a block moves at once; 1 where chunks are not tiles.
    pub tiles: u32,
    /// Chunks, or such rows of tiles, that a block keeps in shared memory; 1 where a block has one chunk and leaves.
    pub stages: u32,
    /// Blocks that a multiprocessor runs at once. `None`, where a block has one chunk: the most that fit.
    pub blocks: Option<u32>,
    /// The number of threads of a block.
    pub threads: u32,
}

impl Setting {
    /// The setting of kernels that stream over a link to another device's memory, with a block for each chunk. Of chunks of
    /// 1 to 32 KiB and 1 to 16 blocks a multiprocessor, it is within 0.2 % of the fastest over the 18 NVLinks of two H200.
    pub const OVER_LINK: Self = Self {
        chunk_bytes: 2048,
        tiles: 1,
        stages: 1,
        blocks: Some(2),
        threads: 32,
    };

    /// Returns the blocks of a launch over `len_bytes` bytes: no more than there are chunks.
    pub fn grid(self, device: &DeviceDescription, len_bytes: u64) -> u32 {
        let chunks = len_bytes.div_ceil(self.moved_bytes().max(1)).max(1);
        let chunks = u32::try_from(chunks).unwrap_or(u32::MAX);
        if self.stages == 1 {
            return chunks;
        }
        let blocks = self.blocks.unwrap_or(1);
        blocks.saturating_mul(device.multiprocessors).min(chunks)
    }

    /// Returns the least shared memory in bytes that a block of one chunk requests, so that no more blocks run at once
    /// than the setting allows.
    pub fn shared_bytes(self, device: &DeviceDescription) -> u32 {
        /// The bytes that the system takes of each block, and the bytes before the requested memory, which begins at
        /// a multiple of 1024.
        const BESIDES: u64 = 1024 + 1024;
        let Some(blocks) = self.blocks.filter(|_| self.stages == 1) else {
            return 0;
        };
        let each = device.multiprocessor_shared_bytes / u64::from(blocks.max(1));
        let bytes = each.saturating_sub(BESIDES) / 128 * 128;
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    /// Returns the number of vectors of `vector_bytes` bytes per thread in the bytes that a block moves at once.
    pub fn vectors(self, vector_bytes: u32) -> u32 {
        let bytes = u32::try_from(self.moved_bytes()).unwrap_or(u32::MAX);
        bytes / self.threads.max(1) / vector_bytes.max(1)
    }

    /// Returns the bytes that a block moves at once.
    pub fn moved_bytes(self) -> u64 {
        u64::from(self.chunk_bytes) * u64::from(self.tiles)
    }
}

/// `4 KiB x 6 x 2`: a chunk, stages, blocks for each multiprocessor. Where there is a block for each chunk,
/// `2 KiB, 64 threads`, and after it ` x 8` for the blocks at once. Several tiles that a block moves at once are
/// `2 tiles of 8 KiB`.
impl Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.tiles > 1 {
            write!(f, "{} tiles of ", self.tiles)?;
        }
        match self.chunk_bytes {
            bytes if bytes.is_multiple_of(1024) => write!(f, "{} KiB", bytes / 1024)?,
            bytes => write!(f, "{bytes} bytes")?,
        }
        match self.stages {
            1 => write!(f, ", {} threads", self.threads)?,
            stages => write!(f, " x {stages}")?,
        }
        self.blocks
            .map_or(Ok(()), |blocks| write!(f, " x {blocks}"))
    }
}

/// A kernel that streams through memory, with the properties that its setting depends on besides the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Streaming {
    /// [`copy_bulk`](crate::copy_bulk)
    CopyBulk,
    /// [`add_one_bulk`](crate::add_one_bulk)
    AddOneBulk,
    /// [`add_one_ring`](crate::add_one_ring) with blocks that draw their chunks
    AddOneRing,
    /// [`copy_tile`](crate::copy_tile)
    CopyTile(Tile),
    /// [`add_one_tile`](crate::add_one_tile)
    AddOneTile(Tile),
    /// [`add_one_tile_ring`](crate::add_one_tile_ring)
    AddOneTileRing(Tile),
    /// [`persistent_tiles`](crate::persistent_tiles)
    PersistentTiles,
}

/// The tile that a map's box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// The type of its elements.
    pub element: DataType,
    /// The bytes.
    pub bytes: u32,
}

impl Streaming {
    /// Returns the setting for a device: the measured one, or else the setting of the rule.
    pub fn setting(self, device: &DeviceDescription) -> Setting {
        let measured = Table::of(&device.name).and_then(|table| table.setting(self));
        measured.unwrap_or_else(|| self.by_rule(device))
    }

    /// Returns the setting of the rule, whether the device was measured or not.
    pub fn by_rule(self, device: &DeviceDescription) -> Setting {
        rule::setting(self, device)
    }

    /// Returns the kernel, as its file is called.
    pub fn kernel(self) -> &'static str {
        match self {
            Self::CopyBulk => "copy_bulk",
            Self::AddOneBulk => "add_one_bulk",
            Self::AddOneRing => "add_one_ring",
            Self::CopyTile(_) => "copy_tile",
            Self::AddOneTile(_) => "add_one_tile",
            Self::AddOneTileRing(_) => "add_one_tile_ring",
            Self::PersistentTiles => "persistent_tiles",
        }
    }

    /// Returns the type of the elements that are moved.
    pub fn element(self) -> DataType {
        match self {
            Self::CopyBulk => DataType::U8,
            Self::AddOneBulk | Self::AddOneRing => DataType::U32,
            Self::CopyTile(tile) | Self::AddOneTile(tile) | Self::AddOneTileRing(tile) => {
                tile.element
            }
            Self::PersistentTiles => DataType::F32,
        }
    }

    /// Returns the tile that the arguments select, if any.
    fn tile(self) -> Option<Tile> {
        match self {
            Self::CopyTile(tile) | Self::AddOneTile(tile) | Self::AddOneTileRing(tile) => {
                Some(tile)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tma_launch::Limits;

    use super::*;

    #[test]
    fn a_grid_has_no_more_blocks_than_chunks() {
        let device = DeviceDescription::h100();
        let setting = Setting {
            chunk_bytes: 1000,
            tiles: 1,
            stages: 2,
            blocks: Some(3),
            threads: 32,
        };
        assert_eq!(setting.grid(&device, u64::MAX), 3 * 132);
        assert_eq!(setting.grid(&device, 7001), 8);
        assert_eq!(setting.grid(&device, 0), 1);
        let each = Setting {
            stages: 1,
            blocks: None,
            ..setting
        };
        assert_eq!(each.grid(&device, 1_000_001), 1001);
        assert_eq!(each.shared_bytes(&device), 0);
        assert_eq!(each.to_string(), "1000 bytes, 32 threads");
        assert_eq!(setting.to_string(), "1000 bytes x 2 x 3");
        assert_eq!(setting.shared_bytes(&device), 0);
        let tiles = Setting {
            tiles: 2,
            ..setting
        };
        assert_eq!(tiles.grid(&device, 7001), 4);
        assert_eq!(tiles.to_string(), "2 tiles of 1000 bytes x 2 x 3");
    }

    #[test]
    fn shared_memory_keeps_blocks_of_one_chunk_from_running_at_once() {
        let device = DeviceDescription::h100();
        for blocks in 1..=32 {
            let setting = Setting {
                chunk_bytes: 1024,
                tiles: 1,
                stages: 1,
                blocks: Some(blocks),
                threads: 32,
            };
            // With a barrier before it.
            let bytes = u64::from(setting.shared_bytes(&device)) + 1024;
            let at_once = Limits::SM_90.blocks_per_multiprocessor(32, bytes);
            assert_eq!(at_once, blocks);
            assert!(bytes <= Limits::SM_90.shared_bytes);
            assert_eq!(setting.to_string(), format!("1 KiB, 32 threads x {blocks}"));
        }
    }
}
