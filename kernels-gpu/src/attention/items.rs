//! The queries that a block has: 64 of a head for each warpgroup, at a time.

use core::hint::assert_unchecked;

use tma::Block;

use super::Sequences;

/// The place of a sequence's positions in the tensors.
#[derive(Clone, Copy)]
pub(crate) struct Positions {
    /// The number in the tensors.
    pub(crate) sequence: u32,
    /// The first query and its first key there.
    pub(crate) first: [u32; 2],
    pub(crate) queries: u32,
    pub(crate) keys: u32,
}

impl Positions {
    /// Returns the positions of a sequence of those that are stored one after the other: within the tensors for any starts,
    /// and no more than the positions of the longest sequence. Starts that ascend keep sequences apart.
    ///
    /// # Safety
    /// 1. Starts have the number of each sequence's first query and key, and after them one more, and no thread writes
    ///    them. The sequence exists.
    #[inline(always)]
    pub(crate) unsafe fn packed(
        sequence: u32,
        starts: [*const u32; 2],
        totals: [u32; 2],
        longest: [u32; 2],
    ) -> Self {
        let of = |which: usize| {
            let start = starts[which].wrapping_add(sequence as usize);
            // SAFETY: there is one for each sequence, and one after them (1).
            let ends = unsafe { [*start, *start.wrapping_add(1)] };
            let [first, end] = ends.map(|end| end.min(totals[which]));
            (first, end.saturating_sub(first).min(longest[which]))
        };
        let (first_query, queries) = of(0);
        let (first_key, keys) = of(1);
        Self {
            sequence: 0,
            first: [first_query, first_key],
            queries,
            keys,
        }
    }
}

impl Sequences {
    #[inline(always)]
    pub(super) const fn are_packed(&self) -> bool {
        self.packed[0] != 0
    }

    /// Returns the positions of a sequence.
    ///
    /// # Safety
    /// 1. (4) of the kernels holds, and the sequence exists.
    #[inline(always)]
    unsafe fn positions(&self, sequence: u32, starts: [*const u32; 2]) -> Positions {
        if !self.are_packed() {
            return Positions {
                sequence,
                first: [0; 2],
                queries: self.queries,
                keys: self.keys,
            };
        }
        let longest = [self.queries, self.keys];
        // SAFETY: the condition is the same (1).
        unsafe { Positions::packed(sequence, starts, self.packed, longest) }
    }

    /// Returns how many times a block has queries of one head.
    #[inline(always)]
    pub(super) const fn items_of_head(&self, queries_of_block: u32) -> u32 {
        self.queries.div_ceil(queries_of_block)
    }

    /// Returns the queries of a block with this number, if there are any.
    ///
    /// # Safety
    /// 1. (2) and (4) of the kernels hold, and the item exists.
    #[inline(always)]
    pub(super) unsafe fn item(
        &self,
        index: u32,
        queries_of_block: u32,
        starts: [*const u32; 2],
    ) -> Option<Item> {
        let in_group = self.group * self.items_of_head(queries_of_block);
        // A call for a division by zero would keep ptxas from overlapping products.
        // SAFETY: the tensors have at least one head and one query (1).
        unsafe { assert_unchecked(in_group != 0) };
        let first_head = index / in_group * self.group;
        let height = (self.all_heads - first_head).min(self.group);
        // SAFETY: the group has the item's head (1).
        unsafe { assert_unchecked(height != 0) };
        let within = index % in_group;
        let number = first_head + within % height;
        // SAFETY: the tensors have at least one head (1).
        unsafe { assert_unchecked(self.heads != 0) };
        // SAFETY: each key head has at least one query head (2 of the kernels).
        unsafe { assert_unchecked(self.sharing != 0) };
        // SAFETY: the sequence exists (1).
        let positions = unsafe { self.positions(number / self.heads, starts) };
        let item = Item {
            number,
            head: number % self.heads,
            key_head: number % self.heads / self.sharing,
            // The last queries, which see most keys where it is causal, come first.
            first_query: (self.items_of_head(queries_of_block) - 1 - within / height)
                * queries_of_block,
            positions,
        };
        (!self.are_packed() || item.first_query < positions.queries).then_some(item)
    }
}

/// The queries of a head that a block has at a time.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// The head, counted through all sequences.
    pub(super) number: u32,
    pub(super) head: u32,
    pub(super) key_head: u32,
    pub(super) first_query: u32,
    pub(super) positions: Positions,
}

impl Item {
    /// Returns the number of tiles of keys that the queries see.
    #[inline(always)]
    pub(super) fn tiles<const CAUSAL: bool>(&self, queries_of_block: u32, tile: u32) -> u32 {
        let Positions { queries, keys, .. } = self.positions;
        let end = if CAUSAL {
            (keys + self.first_query + queries_of_block)
                .saturating_sub(queries)
                .min(keys)
        } else {
            keys
        };
        end.div_ceil(tile)
    }
}

/// Calls `each` with each item of this block. Where it is causal, later items have fewer tiles: every second round
/// assigns items to the blocks in reverse order, so that blocks have about as many tiles as each other.
#[inline(always)]
pub(super) fn each_item<const CAUSAL: bool>(
    block: Block,
    count: u32,
    item: impl Fn(u32) -> Option<Item>,
    mut each: impl FnMut(Item),
) {
    let blocks = block.blocks().get();
    let (mut first, mut number) = (0, block.index());
    while first < count {
        if first + number < count
            && let Some(item) = item(first + number)
        {
            each(item);
        }
        first += blocks;
        if CAUSAL {
            number = blocks - 1 - number;
        }
    }
}
