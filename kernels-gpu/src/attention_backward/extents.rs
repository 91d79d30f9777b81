//! The extents of the tensors, and the work of a block.

use core::hint::assert_unchecked;

use tma::{KernelArg, SharedPtr};

use super::{BOX, KEYS, elements, tile_queries};
use crate::attention::items::Positions;

/// The number of sums of a warpgroup.
pub(super) const SUMS_OF_HALF: u32 = BOX * BOX;
/// The number of tiles of queries that a block finishes.
pub(super) const FINISHED_TILES: u32 = 8;

/// The extents of the tensors, and the order of the blocks.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Extents {
    /// The number of queries of a sequence.
    pub queries: u32,
    /// The number of tiles of queries of a sequence.
    pub query_tiles: u32,
    /// The number of keys of a sequence.
    pub keys: u32,
    /// The number of heads of keys.
    pub key_heads: u32,
    /// The number of heads of queries that share a head of keys.
    pub sharing: u32,
    /// The number of heads of keys of all sequences together.
    pub all_key_heads: u32,
    /// The number of blocks that finish the queries of a head of keys.
    pub finishing: u32,
    /// The number of heads of keys whose blocks come before those that finish the first head.
    pub lag: u32,
    /// The factor of the scores times log2(e), since powers of 2 are computed.
    pub scale: f32,
    /// The factor of the scores.
    pub factor: f32,
}

/// Where sequences that are stored one after the other begin.
#[derive(Clone, Copy)]
pub(super) struct Starts {
    /// The numbers of the first query, and of the first key, of each sequence, and after them of all.
    pub(super) of_sequences: [*const u32; 2],
    /// The number of queries, and of keys, of all sequences together.
    pub(super) totals: [u32; 2],
}

impl Starts {
    /// Of sequences that are as long as each other, which no thread reads.
    pub(super) const NONE: Self = Self {
        of_sequences: [core::ptr::null(); 2],
        totals: [0; 2],
    };
}

/// The work of a block for one head of keys.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// The head, counted through all sequences.
    pub(super) head: u32,
    /// The number of the tile of keys, or of the queries that are finished.
    pub(super) number: u32,
    pub(super) finishes: bool,
}

/// The keys of a block, and the queries that see one of them.
#[derive(Clone, Copy)]
pub(super) struct KeyTile {
    pub(super) sequence: u32,
    pub(super) key_head: u32,
    /// The number among the tiles of the head.
    pub(super) number: u32,
    pub(super) first_key: u32,
    pub(super) first_query_tile: u32,
    pub(super) positions: Positions,
}

impl KeyTile {
    /// The number of words of a tile.
    pub(super) const WORDS: usize = 9;

    /// Writes the tile to shared memory, so that no register has it during the products.
    ///
    /// # Safety
    /// 1. The conditions of [`SharedPtr::write`] hold for its words.
    #[inline(always)]
    pub(super) unsafe fn write<const PACKED: bool>(self, to: SharedPtr<u32>) {
        // SAFETY: the condition is the same (1).
        unsafe {
            to.write(self.sequence);
            to.add(1).write(self.key_head);
            to.add(2).write(self.number);
            to.add(3).write(self.first_key);
            to.add(4).write(self.first_query_tile);
            if PACKED {
                to.add(5).write(self.positions.first[0]);
                to.add(6).write(self.positions.first[1]);
                to.add(7).write(self.positions.queries);
                to.add(8).write(self.positions.keys);
            }
        }
    }

    /// Reads a tile that [`write`](Self::write) wrote.
    ///
    /// # Safety
    /// 1. The conditions of [`SharedPtr::read`] hold for its words.
    #[inline(always)]
    pub(super) unsafe fn read<const PACKED: bool>(from: SharedPtr<u32>, extents: &Extents) -> Self {
        // SAFETY: the condition is the same (1).
        unsafe {
            let sequence = from.read();
            let positions = if PACKED {
                Positions {
                    sequence: 0,
                    first: [from.add(5).read(), from.add(6).read()],
                    queries: from.add(7).read(),
                    keys: from.add(8).read(),
                }
            } else {
                extents.positions(sequence)
            };
            Self {
                sequence,
                key_head: from.add(1).read(),
                number: from.add(2).read(),
                first_key: from.add(3).read(),
                first_query_tile: from.add(4).read(),
                positions,
            }
        }
    }
}

impl Extents {
    /// Returns the positions of a sequence that is as long as the others.
    #[inline(always)]
    const fn positions(&self, sequence: u32) -> Positions {
        Positions {
            sequence,
            first: [0; 2],
            queries: self.queries,
            keys: self.keys,
        }
    }

    /// Returns the positions of a sequence.
    ///
    /// # Safety
    /// 1. The sequence exists, and starts are valid if sequences are `PACKED`.
    #[inline(always)]
    pub(super) unsafe fn positions_of<const PACKED: bool>(
        &self,
        sequence: u32,
        starts: Starts,
    ) -> Positions {
        if !PACKED {
            return self.positions(sequence);
        }
        let longest = [self.queries, self.keys];
        // SAFETY: the condition is the same (1).
        unsafe { Positions::packed(sequence, starts.of_sequences, starts.totals, longest) }
    }

    /// Returns the extents of one sequence.
    #[inline(always)]
    pub(super) const fn of<const BOXES: usize, const PACKED: bool>(
        self,
        positions: Positions,
    ) -> Self {
        if !PACKED {
            return self;
        }
        Self {
            queries: positions.queries,
            query_tiles: positions.queries.div_ceil(tile_queries(BOXES)),
            keys: positions.keys,
            ..self
        }
    }

    /// Returns the number of tiles of 128 keys of a sequence.
    #[inline(always)]
    pub(super) const fn key_tiles(&self) -> u32 {
        self.keys.div_ceil(KEYS)
    }

    /// Returns the number of tiles of queries of all heads and sequences.
    #[inline(always)]
    pub(super) const fn all_query_tiles(&self) -> u32 {
        self.all_key_heads * self.sharing * self.query_tiles
    }

    /// Returns the work of the block with this number. The blocks of a head follow each other, so that they find its queries
    /// in L2. Its queries are finished some heads later, so that few blocks wait.
    ///
    /// The first keys, which most queries see where it is causal, come first; they come last if additions are `ORDERED`,
    /// too, since blocks then add in the order in which they come to a query.
    ///
    /// # Safety
    /// 1. No extent is zero, no head lags behind more heads than there are, and there are as many blocks.
    #[inline(always)]
    pub(super) unsafe fn item<const CAUSAL: bool, const ORDERED: bool>(&self, block: u32) -> Item {
        let tiles = self.key_tiles();
        let in_order = |number: u32| {
            if CAUSAL && ORDERED {
                tiles - 1 - number
            } else {
                number
            }
        };
        let first = self.lag * tiles;
        if block < first {
            // SAFETY: there are keys (1).
            unsafe { assert_unchecked(tiles != 0) };
            return Item {
                head: block / tiles,
                number: in_order(block % tiles),
                finishes: false,
            };
        }
        let (block, in_turn) = (block - first, self.all_key_heads - self.lag);
        let of_head = tiles + self.finishing;
        // SAFETY: there are keys (1).
        unsafe { assert_unchecked(of_head != 0) };
        let (head, number) = (block / of_head, block % of_head);
        if head >= in_turn {
            let block = block - in_turn * of_head;
            // SAFETY: there are queries (1).
            unsafe { assert_unchecked(self.finishing != 0) };
            return Item {
                head: in_turn + block / self.finishing,
                number: block % self.finishing,
                finishes: true,
            };
        }
        let finishes = number >= tiles;
        Item {
            head: if finishes { head } else { head + self.lag },
            number: if finishes {
                number - tiles
            } else {
                in_order(number)
            },
            finishes,
        }
    }

    /// Returns a tile of 128 keys of a head of keys.
    ///
    /// # Safety
    /// 1. There are heads, and starts are valid if sequences are `PACKED`.
    #[inline(always)]
    pub(super) unsafe fn key_tile<const BOXES: usize, const CAUSAL: bool, const PACKED: bool>(
        &self,
        head: u32,
        number: u32,
        starts: Starts,
    ) -> KeyTile {
        // SAFETY: there are heads (1).
        unsafe { assert_unchecked(self.key_heads != 0) };
        let sequence = head / self.key_heads;
        // SAFETY: the condition is the same (1).
        let positions = unsafe { self.positions_of::<PACKED>(sequence, starts) };
        let own = self.of::<BOXES, PACKED>(positions);
        let first_key = number * KEYS;
        let first_query = own.first_query::<CAUSAL>(first_key).max(0) as u32;
        KeyTile {
            sequence,
            key_head: head % self.key_heads,
            number,
            first_key,
            first_query_tile: (first_query / tile_queries(BOXES)).min(own.query_tiles),
            positions,
        }
    }

    /// Returns the first query that sees a key; it may be less than 0. No query sees a key that does not exist.
    #[inline(always)]
    pub(super) fn first_query<const CAUSAL: bool>(&self, key: u32) -> i32 {
        if key >= self.keys {
            i32::MAX
        } else if CAUSAL {
            key as i32 - self.keys as i32 + self.queries as i32
        } else {
            0
        }
    }

    /// Returns the number of additions to a tile of queries before those of a tile of keys that it sees.
    #[inline(always)]
    pub(super) fn turn<const BOXES: usize, const CAUSAL: bool>(
        &self,
        keys: KeyTile,
        query_tile: u32,
    ) -> u32 {
        if !CAUSAL {
            return keys.number;
        }
        // The last key that a query of the tile sees, if the sequence had as many.
        let last =
            query_tile * tile_queries(BOXES) + tile_queries(BOXES) - 1 + self.keys - self.queries;
        (last / KEYS).min(self.key_tiles() - 1) - keys.number
    }

    /// Returns the number of a tile of queries of a head among those of all heads and sequences.
    #[inline(always)]
    pub(super) fn row(&self, sequence: u32, head: u32, tile: u32) -> u32 {
        let heads = self.key_heads * self.sharing;
        (sequence * heads + head) * self.query_tiles + tile
    }

    /// Returns the number of the first element of a query of a head, which is counted through all sequences.
    #[inline(always)]
    pub(super) fn query_at<const BOXES: usize, const PACKED: bool>(
        &self,
        head: u32,
        query: u32,
        positions: Positions,
    ) -> usize {
        let heads = self.key_heads * self.sharing;
        let (sequence, head) = (head / heads, head % heads);
        let position = if PACKED {
            positions.first[0] as usize + query as usize
        } else {
            sequence as usize * self.queries as usize + query as usize
        };
        (position * heads as usize + head as usize) * elements(BOXES) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents<const BOXES: usize>(
        queries: u32,
        keys: u32,
        all_key_heads: u32,
        lag: u32,
    ) -> Extents {
        let query_tiles = queries.div_ceil(tile_queries(BOXES));
        Extents {
            queries,
            query_tiles,
            keys,
            key_heads: all_key_heads,
            sharing: 1,
            all_key_heads,
            finishing: query_tiles.div_ceil(FINISHED_TILES),
            lag,
            scale: 1.0,
            factor: 1.0,
        }
    }

    #[test]
    fn each_item_has_a_block_and_heads_are_finished_after_their_keys() {
        for lag in 0..=5 {
            let extents = extents::<2>(1000, 700, 5, lag);
            let (tiles, finishing) = (extents.key_tiles(), extents.finishing);
            let blocks = 5 * (tiles + finishing);
            // SAFETY: no extent is zero, and there are as many blocks (1).
            let items = (0..blocks).map(|block| unsafe { extents.item::<true, true>(block) });
            let items: Vec<Item> = items.collect();
            for head in 0..5 {
                let of = |finishes| {
                    let of_head = items.iter().enumerate();
                    let of_head =
                        of_head.filter(|(_, item)| item.head == head && item.finishes == finishes);
                    let (places, mut numbers): (Vec<usize>, Vec<u32>) =
                        of_head.map(|(place, item)| (place, item.number)).unzip();
                    numbers.sort_unstable();
                    (places, numbers)
                };
                let ((keys, key_numbers), (ends, end_numbers)) = (of(false), of(true));
                assert!(key_numbers.into_iter().eq(0..tiles), "{lag} {head}");
                assert!(end_numbers.into_iter().eq(0..finishing), "{lag} {head}");
                assert!(keys.iter().max() < ends.iter().min(), "{lag} {head}");
            }
        }
    }

    #[test]
    fn the_turns_at_a_tile_of_queries_are_those_of_the_blocks_that_see_it() {
        for [queries, keys] in [[1000, 700], [700, 1000], [64, 128], [1, 300], [300, 1]] {
            turns::<1, true>(&extents::<1>(queries, keys, 1, 1));
            turns::<1, false>(&extents::<1>(queries, keys, 1, 1));
            turns::<2, true>(&extents::<2>(queries, keys, 1, 1));
            turns::<2, false>(&extents::<2>(queries, keys, 1, 1));
        }
    }

    fn turns<const BOXES: usize, const CAUSAL: bool>(extents: &Extents) {
        // SAFETY: there is a head (1).
        let tile =
            |number| unsafe { extents.key_tile::<BOXES, CAUSAL, false>(0, number, Starts::NONE) };
        let tiles: Vec<KeyTile> = (0..extents.key_tiles()).map(tile).collect();
        for query_tile in 0..extents.query_tiles {
            let seen = tiles.iter();
            let seen = seen.filter(|tile| tile.first_query_tile <= query_tile);
            let turns = seen.map(|tile| extents.turn::<BOXES, CAUSAL>(*tile, query_tile));
            let mut turns: Vec<u32> = turns.collect();
            turns.sort_unstable();
            let count = turns.len() as u32;
            assert!(turns.into_iter().eq(0..count), "{extents:?} {query_tile}");
        }
    }
}
