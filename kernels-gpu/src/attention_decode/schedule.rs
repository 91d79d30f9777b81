//! The blocks' shares of the work: every block has the same number of tiles of keys, or one more.
//!
//! Tiles are counted through all heads of keys of all sequences. A share begins and ends anywhere: in the middle of a
//! head, blocks have parts of the same results, which [`Partials`](super::partials::Partials) merge.

use core::hint::assert_unchecked;

use tma::{Block, KernelArg, Warp};

/// The extents of queries and of the cache.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Extents {
    /// The number of sequences.
    pub sequences: u32,
    /// The number of queries of a sequence: its last positions.
    pub queries: u32,
    /// The number of heads of keys and values.
    pub key_heads: u32,
    /// The number of heads of queries that share a head of keys.
    pub sharing: u32,
    /// The number of blocks of rows: a row is a query of one of the heads that share a head of keys.
    pub row_blocks: u32,
    /// The binary logarithm of the number of keys of a page.
    pub page_shift: u32,
    /// The number of pages that the table has of each sequence.
    pub pages: u32,
    /// The factor of the scores, which is positive: it includes log2(e), since powers of 2 are computed.
    pub scale: f32,
    /// The factor of the results.
    pub value_scale: f32,
}

impl Extents {
    /// Returns the number of rows of a head of keys.
    #[inline(always)]
    pub(super) const fn rows(&self) -> u32 {
        self.queries * self.sharing
    }

    /// Returns the number of items of a sequence, each a head of keys and a block of rows.
    #[inline(always)]
    const fn items(&self) -> u32 {
        self.key_heads * self.row_blocks
    }
}

/// The number of keys of each sequence, on the device.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    extents: Extents,
    lengths: *const u32,
    /// The number of keys of a tile.
    tile_keys: u32,
}

impl Lengths {
    /// # Safety
    /// 1. There is a length for each sequence, which no thread writes; there is a sequence, and an item of each.
    #[inline(always)]
    pub(super) const unsafe fn new(extents: Extents, lengths: *const u32, tile_keys: u32) -> Self {
        Self {
            extents,
            lengths,
            tile_keys,
        }
    }

    /// Returns the number of keys of a sequence that exists: no more than its pages have.
    #[inline(always)]
    fn keys(&self, sequence: u32) -> u32 {
        debug_assert!(sequence < self.extents.sequences);
        // SAFETY: there is a length for each sequence (1 of `new`).
        let keys = unsafe { *self.lengths.wrapping_add(sequence as usize) };
        keys.min(self.extents.pages << self.extents.page_shift)
    }

    /// Returns the number of tiles of each item of a sequence; one that has no keys counts as one tile.
    #[inline(always)]
    fn tiles(&self, sequence: u32) -> u32 {
        self.keys(sequence).div_ceil(self.tile_keys).max(1)
    }

    /// Returns the number of tiles of all items of a sequence, 0 if it does not exist.
    #[inline(always)]
    fn weight(&self, sequence: u32) -> u32 {
        if sequence < self.extents.sequences {
            self.tiles(sequence) * self.extents.items()
        } else {
            0
        }
    }
}

/// The share of each block.
#[derive(Clone, Copy)]
struct Shares {
    /// The number of tiles of each block, and the number of blocks that have one more: the first ones.
    each: u32,
    longer: u32,
}

impl Shares {
    #[inline(always)]
    fn start(self, block: u32) -> u32 {
        block * self.each + block.min(self.longer)
    }

    /// Returns the block that has this tile.
    #[inline(always)]
    fn block_of(self, tile: u32) -> u32 {
        let of_longer = self.longer * (self.each + 1);
        let (before, within, each) = if tile < of_longer {
            (0, tile, self.each + 1)
        } else {
            (self.longer, tile - of_longer, self.each)
        };
        // SAFETY: a block has this tile, and fewer than 2^31 tiles (2 of the kernels).
        unsafe { assert_unchecked(each != 0) };
        before + within / each
    }
}

/// The share of this block, in segments.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    lengths: Lengths,
    shares: Shares,
    /// The sequence of the next tile, and the number of tiles of all sequences before it.
    sequence: u32,
    before: u32,
    /// The next tile, and the end of the share.
    at: u32,
    end: u32,
}

/// Consecutive tiles of an item.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) sequence: u32,
    pub(super) key_head: u32,
    pub(super) row_block: u32,
    /// The number of keys of the sequence.
    pub(super) keys: u32,
    /// The first tile that has keys, and the one after the last.
    pub(super) loaded: [u32; 2],
    /// The first and the last block that has a segment of the item.
    pub(super) blocks: [u32; 2],
}

impl Segments {
    /// Returns the segments of this block. Collective of the warp.
    #[inline(always)]
    pub(super) fn of(block: Block, lengths: Lengths) -> Self {
        let warp = block.warp();
        let sequences = lengths.extents.sequences;
        let mut all = 0;
        let mut first = 0;
        while first < sequences {
            all += lengths.weight(first + warp.lane());
            first += Warp::LANES;
        }
        let all = warp.reduce(all, |a, b| a + b);
        let shares = Shares {
            each: all / block.blocks(),
            longer: all % block.blocks(),
        };
        let [at, end] = [0, 1].map(|next| shares.start(block.index() + next));
        let (mut first, mut before, mut sequence) = (0, 0, 0);
        while first < sequences {
            let up_to = before + warp.scan(lengths.weight(first + warp.lane()), |a, b| a + b);
            // The weights of these sequences are before the share.
            let passed = warp.ballot(up_to <= at).trailing_ones();
            if passed > 0 {
                before = warp.shuffle(up_to, passed - 1);
            }
            sequence = first + passed;
            if passed < Warp::LANES {
                break;
            }
            first += Warp::LANES;
        }
        Self {
            lengths,
            shares,
            sequence,
            before,
            at,
            end,
        }
    }

    /// Returns the next segment.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Segment> {
        if self.at >= self.end {
            return None;
        }
        let extents = self.lengths.extents;
        loop {
            let keys = self.lengths.keys(self.sequence);
            let with_keys = keys.div_ceil(self.lengths.tile_keys);
            let tiles = with_keys.max(1);
            let weight = tiles * extents.items();
            let within = self.at - self.before;
            if within >= weight {
                // The share ends before the last sequence does.
                self.before += weight;
                self.sequence += 1;
                continue;
            }
            let (item, first) = (within / tiles, within % tiles);
            let count = (tiles - first).min(self.end - self.at);
            self.at += count;
            let start = self.before + item * tiles;
            // SAFETY: there are heads of keys (1 of `Lengths::new`).
            unsafe { assert_unchecked(extents.key_heads != 0) };
            return Some(Segment {
                sequence: self.sequence,
                key_head: item % extents.key_heads,
                row_block: item / extents.key_heads,
                keys,
                loaded: [first, (first + count).min(with_keys)],
                blocks: [start, start + tiles - 1].map(|tile| self.shares.block_of(tile)),
            });
        }
    }
}
