//! The launch of attention, and its conditions.

use core::f32::consts::LOG2_E;

use tensor_map::{DataType, Swizzle, Tiled};
use tma::Warpgroup;
use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

use super::{BOX, ROWS, Sequences, attention_64, attention_128, attention_256};
use crate::{
    arguments::product,
    gemm::{Numbers, with_element},
    product::dealt,
};

/// The number of bytes of keys and values that blocks at work find in L2.
const L2_BYTES: u64 = 32 << 20;

/// The greatest number of heads of queries.
pub(crate) const MOST_HEADS: u32 = 1 << 22;

/// Sequences that are stored one after the other, each with a length of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The number of queries of all sequences together.
    pub queries: u32,
    /// The number of keys of all sequences together.
    pub keys: u32,
    /// The buffer of `u32` with the number of each sequence's first query, and after them the number of all queries:
    /// none is less than the one before.
    pub query_starts: usize,
    /// The buffer of `u32` with the number of each sequence's first key, and after them the number of all keys: none is
    /// less than the one before.
    pub key_starts: usize,
}

impl Packed {
    /// Checks the numbers of queries and of keys, at least `least_keys`, and the starts.
    pub(crate) fn check(&self, conditions: &mut Conditions, sequences: u32, least_keys: u32) {
        let most = 1 << 30;
        let reason = "differences of positions have 32 bits";
        conditions.within("queries of all sequences", self.queries, 1..=most, reason);
        conditions.within(
            "keys of all sequences",
            self.keys,
            least_keys..=most,
            reason,
        );
        for starts in [self.query_starts, self.key_starts] {
            conditions.ascending(Region::bytes(starts, 4 * (u64::from(sequences) + 1)));
        }
    }
}

/// Attention of queries to keys of the same sequence; tensors have the elements of a head innermost, then heads, then
/// positions, then sequences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// The type of all tensors except the logarithms.
    pub numbers: Numbers,
    /// The number of elements of a head: 64, 128 or 256.
    pub elements: u32,
    /// The number of sequences, which are as long as each other, unless they are packed.
    pub sequences: u32,
    /// The number of queries of a sequence, or of the longest one: later queries are not computed.
    pub queries: u32,
    /// The number of keys, and values, of a sequence, or of the longest one: later keys are ignored.
    pub keys: u32,
    /// Sequences are stored one after the other, with lengths of their own. Memory after the values of one is
    /// multiplied by zero: infinities and NaN there spread.
    #[doc(alias("varlen", "cu_seqlens"))]
    pub packed: Option<Packed>,
    /// The number of heads of queries.
    pub heads: u32,
    /// The number of heads of keys and values; the same number of neighbouring heads of queries share each.
    pub key_heads: u32,
    /// A query sees no key after it; the last of both are at the same position.
    pub is_causal: bool,
    /// The factor of the scores.
    pub scale: f32,
    /// The number of multiprocessors, and so the most blocks. If sequences are packed, there is a block for each 128
    /// queries of each head instead, or 192 where heads have 64 elements.
    pub multiprocessors: u32,
    /// The buffer of the results.
    pub results: usize,
    /// The buffer of the queries.
    pub queries_at: usize,
    /// The buffer of the keys.
    pub keys_at: usize,
    /// The buffer of the values.
    pub values_at: usize,
    /// The buffer of the natural logarithms of the sums, of `f32`: positions innermost, then heads, then sequences.
    pub logarithms: usize,
}

impl Default for Attention {
    /// One sequence and head of 128 elements of `bf16`, with a factor of `1 / sqrt(128)`, for the 132 multiprocessors of an
    /// H100 or H200; buffers in the order of the fields.
    fn default() -> Self {
        Self {
            numbers: Numbers::Bf16,
            elements: 128,
            sequences: 1,
            queries: 0,
            keys: 0,
            packed: None,
            heads: 1,
            key_heads: 1,
            is_causal: false,
            scale: 0.088_388_35,
            multiprocessors: 132,
            results: 0,
            queries_at: 1,
            keys_at: 2,
            values_at: 3,
            logarithms: 4,
        }
    }
}

impl Attention {
    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let Self {
            elements,
            sequences,
            queries,
            keys,
            heads,
            key_heads,
            is_causal,
            packed,
            ..
        } = *self;
        conditions.one_of("head size", elements, &[64, 128, 256], "compiled instances");
        let most = 1 << 30;
        let reason = "differences of positions have 32 bits";
        conditions.within("queries", queries, 1..=most, reason);
        conditions.within("keys", keys, 0..=most, reason);
        conditions.at_least("sequences", sequences, 1, "the grid must not be empty");
        let reason = "coordinates have 32 bits";
        conditions.within("heads", heads, 1..=MOST_HEADS, reason);
        let key_heads = check_heads(conditions, heads, key_heads);
        check_scale(conditions, self.scale, elements, (0.0, ""));
        if let Some(packed) = packed {
            packed.check(conditions, sequences, 0);
        }
        // Positions of the tensors, and sequences there.
        let (all_queries, all_keys, in_tensors) = match packed {
            Some(packed) => (packed.queries, packed.keys, 1),
            None => (queries, keys, sequences),
        };
        // Of those that multiply. Heads of 64 elements leave registers for a third one.
        let warpgroups = if elements == 64 { 3 } else { 2 };
        let items = product(&[queries.div_ceil(ROWS * warpgroups), heads, sequences]);
        let reason = "the queries that a block has at a time are counted in 31 bits";
        conditions.within("items", items.max(1), 1..=i32::MAX as u64, reason);
        let blocks = match packed {
            None => dealt(items as u32, self.multiprocessors),
            // The hardware assigns the next one to a block that is free.
            Some(_) => items as u32,
        };

        let data_type = match self.numbers {
            Numbers::Bf16 => DataType::Bf16,
            Numbers::F16 => DataType::F16,
        };
        let map = |rows: u32, positions: u32, heads: u32, buffer| {
            let extents = [
                product(&[heads, elements]),
                positions.into(),
                in_tensors.into(),
            ];
            let map = Tiled::new(data_type, &extents).box_dims(&[BOX, rows, 1]);
            MapRef::new(map.swizzle(Swizzle::B128), buffer)
        };
        let key_rows = if elements == 256 { 64 } else { 128 };
        // Where there are no keys, no thread loads any.
        let key_map = |buffer| match all_keys {
            0 => map(key_rows, all_queries, heads, self.results),
            _ => map(key_rows, all_keys, key_heads, buffer),
        };
        let results_map = map(ROWS, all_queries, heads, self.results);
        let queries_map = map(ROWS, all_queries, heads, self.queries_at);
        let (keys_map, values_map) = (key_map(self.keys_at), key_map(self.values_at));
        conditions.writes(results_map.into());
        conditions.reads(queries_map.into());
        if all_keys > 0 {
            conditions.reads(keys_map.into());
            conditions.reads(values_map.into());
        }
        let logarithms = product(&[4, all_queries, heads, in_tensors]);
        conditions.writes(Region::bytes(self.logarithms, logarithms));

        let sharing = heads / key_heads;
        let all_heads = heads.saturating_mul(sequences);
        let of_key_head = product(&[4, keys.max(1), elements]);
        let in_l2 = (L2_BYTES / of_key_head.max(1)).clamp(1, all_heads.max(1).into());
        let arguments = Sequences {
            queries,
            keys,
            packed: packed.map_or([0; 2], |packed| [packed.queries, packed.keys]),
            heads,
            sharing,
            all_heads,
            group: (in_l2 as u32).saturating_mul(sharing).min(all_heads),
            scale: self.scale * LOG2_E,
        };
        let logarithms = BufferRef::<f32>::new(self.logarithms);
        // Where sequences are as long as each other, no thread reads starts.
        let [query_starts, key_starts] = packed
            .map_or([self.logarithms; 2], |packed| {
                [packed.query_starts, packed.key_starts]
            })
            .map(BufferRef::<u32>::new);
        let call = with_element!(self.numbers, T => {
            let results_at = BufferRef::<T>::new(self.results);
            macro_rules! call {
                ($kernel:ident) => {
                    $kernel::<T>(
                        is_causal,
                        results_map,
                        queries_map,
                        keys_map,
                        values_map,
                        arguments,
                        logarithms,
                        results_at,
                        query_starts,
                        key_starts,
                    )
                };
            }
            match elements {
                64 => call!(attention_64),
                256 => call!(attention_256),
                _ => call!(attention_128),
            }
        });
        (
            call,
            Shape::new(blocks, Warpgroup::THREADS * (1 + warpgroups)),
        )
    }
}

/// Checks that heads of queries share heads of keys evenly, and returns the number of heads of keys, or the nearest valid one.
pub(crate) fn check_heads(conditions: &mut Conditions, heads: u32, key_heads: u32) -> u32 {
    let reason = "each head of keys serves one or more heads of queries";
    // Without heads, any number may be right.
    let most = if heads == 0 { MOST_HEADS } else { heads };
    conditions.within("heads of keys", key_heads, 1..=most, reason);
    let key_heads = key_heads.clamp(1, heads.max(1));
    let reason = "each head of keys serves the same number of heads of queries";
    conditions.multiple("heads", heads.into(), key_heads.into(), reason);
    key_heads
}

/// Checks the factor of the scores of heads of this many elements: `least` or more, for the reason after it, and finite,
/// also times log2(e).
pub(crate) fn check_scale(
    conditions: &mut Conditions,
    scale: f32,
    elements: u32,
    (least, reason): (f32, &str),
) {
    let limit = if !(scale > 0.0 && scale.is_finite()) {
        "must be positive and finite (the greatest score must stay the greatest)".to_owned()
    } else if (scale * LOG2_E).is_infinite() {
        "must be finite times log2(e) (powers of 2 are computed)".to_owned()
    } else if scale < least {
        format!("must be at least {least:e} ({reason})")
    } else {
        return;
    };
    let fix = format!("use {}", 1.0 / (elements as f32).sqrt());
    conditions.refuse("scale", scale, limit, fix);
}
