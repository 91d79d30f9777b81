//! The launch of attention to a cache in pages, and its conditions.

use core::f32::consts::LOG2_E;

use tensor_map::{DataType, L2Promotion, Swizzle, Tiled};
use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

use super::{
    BOX_BYTES, ELEMENTS, Extents, ROWS, attention_decode, attention_decode_fp8,
    attention_decode_fp8_short, attention_decode_fp8_short_wide, attention_decode_fp8_wide,
    attention_decode_short, attention_decode_short_wide, attention_decode_wide, partials::PARTIAL,
};
use crate::{
    arguments::product,
    attention::{MOST_HEADS, check_heads, check_scale},
    gemm::{Numbers, with_element},
};

/// The threads of a block with one warpgroup that multiplies, of which two share a multiprocessor, and of one with two.
const THREADS: [u32; 2] = [256, 384];

/// Attention of the last queries of sequences to keys and values in pages, with heads of 128 elements.
///
/// Queries and results have the elements of a head innermost, then heads, then queries, then sequences. The page table has
/// the numbers of a sequence's pages in a row, each page the keys that follow those of the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("paged attention", "flash decoding", "flash_attn_with_kvcache"))]
pub struct AttentionDecode {
    /// The type of queries and results, and of keys and values unless these are `e4m3`.
    pub numbers: Numbers,
    /// Keys and values are `e4m3`.
    pub is_e4m3: bool,
    /// The factors of keys and of values.
    #[doc(alias("k_scale", "v_scale", "descale"))]
    pub cache_scales: [f32; 2],
    /// The number of sequences.
    pub sequences: u32,
    /// The number of queries of each sequence, 1 to 16: its last positions. A query sees no key after it.
    pub queries: u32,
    /// The number of heads of queries.
    pub heads: u32,
    /// The number of heads of keys and values; the same number of neighbouring heads of queries share each.
    pub key_heads: u32,
    /// The number of keys of a page: 16, 32, 64 or 128.
    pub page_keys: u32,
    /// The number of pages of the cache.
    pub pages: u32,
    /// The number of pages that the table has of each sequence.
    pub sequence_pages: u32,
    /// Heads are outside the keys of a page (`HND`); otherwise inside (`NHD`).
    #[doc(alias("kv_layout", "NHD", "HND"))]
    pub is_by_heads: bool,
    /// The factor of the scores.
    pub scale: f32,
    /// The number of multiprocessors, which determines the number of blocks.
    pub multiprocessors: u32,
    /// The buffer of the results.
    pub results: usize,
    /// The buffer of the queries.
    pub queries_at: usize,
    /// The buffer of the keys: elements of a head innermost, then heads and keys of a page, then pages.
    pub keys_at: usize,
    /// The buffer of the values, as the keys.
    pub values_at: usize,
    /// The buffer of `u32` with the number of keys of each sequence. Keys beyond the sequence's pages do not exist.
    pub lengths: usize,
    /// The buffer of `u32` with the numbers of the pages of all sequences. A page that the cache does not have is zero.
    pub page_table: usize,
    /// The buffer of [`partials_len`](Self::partials_len) `f32` for parts of results.
    pub partials: usize,
    /// The buffer of [`counters_len`](Self::counters_len) `u32`, which are zero before the kernel and after it.
    pub counters: usize,
    /// The buffer of the natural logarithms of the sums, of `f32`: heads innermost, then queries, then sequences.
    pub logarithms: usize,
}

impl Default for AttentionDecode {
    /// One query of one head of `bf16`, with a factor of `1 / sqrt(128)`, pages of 64 keys, for the 132
    /// multiprocessors of an H100 or H200; buffers in the order of the fields.
    fn default() -> Self {
        Self {
            numbers: Numbers::Bf16,
            is_e4m3: false,
            cache_scales: [1.0; 2],
            sequences: 1,
            queries: 1,
            heads: 1,
            key_heads: 1,
            page_keys: 64,
            pages: 1,
            sequence_pages: 1,
            is_by_heads: false,
            scale: 0.088_388_35,
            multiprocessors: 132,
            results: 0,
            queries_at: 1,
            keys_at: 2,
            values_at: 3,
            lengths: 4,
            page_table: 5,
            partials: 6,
            counters: 7,
            logarithms: 8,
        }
    }
}

impl AttentionDecode {
    /// Returns the number of rows of a head of keys, and the number of warpgroups that they need: one, or two.
    fn rows(&self) -> (u32, u32) {
        let sharing = self.heads / self.key_heads.max(1);
        let rows = sharing.saturating_mul(self.queries).max(1);
        (rows, if rows > ROWS { 2 } else { 1 })
    }

    /// Returns the number of keys of a tile.
    fn tile_keys(&self) -> u32 {
        match (self.is_e4m3, self.rows()) {
            (true, (_, 2)) => 128,
            _ => 64,
        }
    }

    /// Returns the number of items, each a head of keys and a block of rows of one sequence, and of their tiles, if all
    /// sequences have as many keys as pages.
    fn items(&self) -> [u64; 2] {
        let (rows, warpgroups) = self.rows();
        let row_blocks = rows.div_ceil(ROWS * warpgroups);
        let keys = self.sequence_pages.saturating_mul(self.page_keys);
        let items = product(&[self.sequences, self.key_heads, row_blocks]);
        let tiles = keys.div_ceil(self.tile_keys()).max(1);
        [items, items.saturating_mul(tiles.into())]
    }

    /// Returns the number of blocks: a few less than fit, if whole items are then shared out evenly, or equal parts of
    /// items. Fewer results are merged.
    fn blocks(&self) -> u32 {
        let [items, tiles] = self.items();
        // Two blocks with one warpgroup that multiplies share a multiprocessor.
        let most = self
            .multiprocessors
            .max(1)
            .saturating_mul(3 - self.rows().1);
        let most = tiles.clamp(1, most.into());
        let is_even =
            |blocks: &u64| items.is_multiple_of(*blocks) || blocks.is_multiple_of(items.max(1));
        let mut enough = (most - most / 8..=most).rev();
        enough.find(is_even).unwrap_or(most) as u32
    }

    /// Returns the number of warps of a block that have rows.
    fn row_warps(&self) -> u32 {
        let (rows, warpgroups) = self.rows();
        rows.div_ceil(16).min(4 * warpgroups)
    }

    /// Returns the number of `f32` for parts of results.
    pub fn partials_len(&self) -> u64 {
        product(&[2, self.blocks(), self.row_warps(), PARTIAL])
    }

    /// Returns the number of counters.
    pub fn counters_len(&self) -> u64 {
        product(&[self.blocks(), self.row_warps()])
    }

    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let Self {
            sequences,
            queries,
            heads,
            key_heads,
            page_keys,
            pages,
            sequence_pages,
            ..
        } = *self;
        conditions.within(
            "queries",
            queries,
            1..=16,
            "the last positions of a sequence",
        );
        let reason = "coordinates have 32 bits";
        conditions.within("heads", heads, 1..=MOST_HEADS, reason);
        let key_heads = check_heads(conditions, heads, key_heads);
        let reason = "tiles of 64 keys are whole pages or parts of one";
        conditions.one_of("keys of a page", page_keys, &[16, 32, 64, 128], reason);
        conditions.within("sequences", sequences, 1..=1 << 22, "");
        conditions.within(
            "pages",
            pages,
            1..=i32::MAX as u32,
            "coordinates have 31 bits",
        );
        let most = (1 << 30) / page_keys.clamp(1, 128);
        let reason = "differences of positions have 32 bits";
        conditions.within("pages of a sequence", sequence_pages, 0..=most, reason);
        check_scale(conditions, self.scale, ELEMENTS, (0.0, ""));
        let [key_scale, value_scale] = self.cache_scales;
        let scale = self.scale * key_scale * LOG2_E;
        let is_valid = |scale: f32| scale > 0.0 && scale.is_finite();
        for (name, scale) in [
            ("scale of keys", key_scale),
            ("scale of values", value_scale),
        ] {
            if !is_valid(scale) {
                conditions.refuse(name, scale, "must be positive and finite", "use 1");
            }
        }
        if is_valid(self.scale * LOG2_E) && is_valid(key_scale) && !is_valid(scale) {
            let limit = "must leave the factor of the scores positive and finite";
            conditions.refuse("scale of keys", key_scale, limit, "use 1");
        }
        let (rows, warpgroups) = self.rows();
        let row_blocks = rows.div_ceil(ROWS * warpgroups);
        let [_, tiles] = self.items();
        let parameter = "tiles of all sequences and heads of keys";
        let reason =
            "a sequence has the tiles of its pages, of 64 or 128 keys; all are counted in 31 bits";
        conditions.within(parameter, tiles.max(1), 1..=i32::MAX as u64, reason);

        let (data_type, element_bytes) = match (self.is_e4m3, self.numbers) {
            (true, _) => (DataType::U8, 1),
            (_, Numbers::Bf16) => (DataType::Bf16, 2),
            (_, Numbers::F16) => (DataType::F16, 2),
        };
        // A box has keys of one page.
        let in_box = if page_keys < 64 { 16 } else { 64 };
        let extents = [ELEMENTS, page_keys, key_heads, pages].map(u64::from);
        let of_head = u64::from(element_bytes * ELEMENTS);
        let strides = if self.is_by_heads {
            [of_head, of_head.saturating_mul(page_keys.into())]
        } else {
            [of_head.saturating_mul(key_heads.into()), of_head]
        };
        let of_page = product(&[element_bytes, ELEMENTS, page_keys, key_heads]);
        let map = |buffer| {
            let map = Tiled::new(data_type, &extents)
                .strides_bytes(&[strides[0], strides[1], of_page])
                .box_dims(&[BOX_BYTES / element_bytes, in_box, 1, 1])
                .swizzle(Swizzle::B128)
                // No more than a row of a box has, so that no other fetch brings its bytes to L2, too.
                .l2_promotion(L2Promotion::B128);
            MapRef::new(map, buffer)
        };
        let (keys_map, values_map) = (map(self.keys_at), map(self.values_at));
        conditions.reads(keys_map.into());
        conditions.reads(values_map.into());
        let of_queries = product(&[2, ELEMENTS, heads, queries, sequences]);
        conditions.writes(Region::bytes(self.results, of_queries));
        let of_logarithms = product(&[4, heads, queries, sequences]);
        conditions.writes(Region::bytes(self.logarithms, of_logarithms));
        conditions.reads(Region::bytes(self.queries_at, of_queries));
        conditions.reads(Region::bytes(self.lengths, product(&[4, sequences])));
        let of_table = product(&[4, sequences, sequence_pages]);
        conditions.reads(Region::bytes(self.page_table, of_table));
        let of_partials = self.partials_len().saturating_mul(4);
        conditions.writes(Region::bytes(self.partials, of_partials));
        let of_counters = self.counters_len().saturating_mul(4);
        conditions.zeroed(Region::bytes(self.counters, of_counters));

        let arguments = Extents {
            sequences,
            queries,
            key_heads,
            sharing: heads / key_heads,
            row_blocks,
            page_shift: page_keys.max(1).ilog2(),
            pages: sequence_pages,
            scale,
            value_scale,
        };
        let call = with_element!(self.numbers, T => {
            macro_rules! call {
                ($kernel:ident) => {
                    $kernel::<T>(
                        keys_map,
                        values_map,
                        arguments,
                        BufferRef::<T>::new(self.results),
                        BufferRef::<f32>::new(self.logarithms),
                        BufferRef::<T>::new(self.queries_at),
                        BufferRef::<u32>::new(self.lengths),
                        BufferRef::<u32>::new(self.page_table),
                        BufferRef::<f32>::new(self.partials),
                        BufferRef::<u32>::new(self.counters),
                    )
                };
            }
            match (self.is_e4m3, in_box, warpgroups) {
                (false, 16, 1) => call!(attention_decode_short),
                (false, 16, _) => call!(attention_decode_short_wide),
                (false, _, 1) => call!(attention_decode),
                (false, _, _) => call!(attention_decode_wide),
                (true, 16, 1) => call!(attention_decode_fp8_short),
                (true, 16, _) => call!(attention_decode_fp8_short_wide),
                (true, _, 1) => call!(attention_decode_fp8),
                (true, _, _) => call!(attention_decode_fp8_wide),
            }
        });
        let threads = THREADS[warpgroups as usize - 1];
        (call, Shape::new(self.blocks(), threads))
    }
}
