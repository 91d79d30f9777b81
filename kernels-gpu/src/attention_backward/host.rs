//! The launches of the gradients of attention, and their conditions.

use core::f32::consts::LOG2_E;

use tensor_map::{DataType, Swizzle, Tiled};
use tma_launch::{BufferRef, Call, Conditions, Launch, MapRef, Region, Shape, Violations};

use super::{
    BOX, END_THREADS, Extents, KEYS, THREADS, attention_backward_64, attention_backward_128,
    attention_backward_packed_64, attention_backward_packed_128, attention_backward_prepare_64,
    attention_backward_prepare_128, attention_backward_prepare_packed_64,
    attention_backward_prepare_packed_128,
    extents::{FINISHED_TILES, SUMS_OF_HALF},
    tile_queries,
};
use crate::{
    arguments::product,
    attention::{MOST_HEADS, Packed, check_heads, check_scale},
    gemm::{Numbers, with_element},
};

/// The least number of blocks between those of a head that multiply and those that finish it: two for each multiprocessor.
const LAG: u32 = 264;

/// The least factor of scores: the logarithm of a sum of 2^30 powers, divided by a smaller one, could be infinite.
const LEAST_SCALE: f32 = 1e-36;

/// The gradients of attention; tensors have the elements of a head innermost, then heads, then
/// positions, then sequences.
///
/// [`launches`](Self::launches) returns the two launches, which run one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("flash_attn_backward", "scaled_dot_product_attention_backward"))]
pub struct AttentionBackward {
    /// The type of all tensors except the logarithms.
    pub numbers: Numbers,
    /// The number of elements of a head: 64 or 128.
    pub elements: u32,
    /// The number of sequences.
    pub sequences: u32,
    /// The number of queries of a sequence, or of the longest one: later queries get no gradients.
    pub queries: u32,
    /// The number of keys, and values, of a sequence, or of the longest one: later keys get no gradients.
    pub keys: u32,
    /// Sequences are stored one after the other, with lengths of their own. Memory after the positions of one is
    /// multiplied by zero: infinities and NaN there spread.
    #[doc(alias("varlen", "cu_seqlens"))]
    pub packed: Option<Packed>,
    /// The number of heads of queries.
    pub heads: u32,
    /// The number of heads of keys and values; the same number of neighbouring heads of queries share each.
    pub key_heads: u32,
    /// A query sees no key after it; the last of both are at the same position.
    pub is_causal: bool,
    /// Gradients of queries are added in a fixed order: results are the same bits each time.
    #[doc(alias = "deterministic")]
    pub is_ordered: bool,
    /// The factor of the scores.
    pub scale: f32,
    /// The buffer of the gradients of queries.
    pub query_gradients: usize,
    /// The buffer of the gradients of keys.
    pub key_gradients: usize,
    /// The buffer of the gradients of values.
    pub value_gradients: usize,
    /// The buffer of the queries.
    pub queries_at: usize,
    /// The buffer of the keys.
    pub keys_at: usize,
    /// The buffer of the values.
    pub values_at: usize,
    /// The buffer of the results.
    pub results: usize,
    /// The buffer of the gradients of results.
    pub result_gradients: usize,
    /// The buffer of the logarithms that [`Attention`](crate::attention::Attention) writes.
    pub logarithms: usize,
    /// The buffer of [`statistics_len`](Self::statistics_len) `f32`, which the first launch writes.
    pub statistics: usize,
    /// The buffer of [`sums_len`](Self::sums_len) `f32`, which are zero before the launches and after them.
    pub sums: usize,
    /// The buffer of [`counters_len`](Self::counters_len) `u32`, which the first launch writes.
    pub counters: usize,
}

/// The launch that reduces each query's results and their gradients to a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prepare(pub AttentionBackward);

/// The launch that writes the gradients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Main(pub AttentionBackward);

impl Default for AttentionBackward {
    /// One sequence and head of 128 elements of `bf16`, with a factor of `1 / sqrt(128)`; buffers in the order of the fields.
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
            is_ordered: false,
            scale: 0.088_388_35,
            query_gradients: 0,
            key_gradients: 1,
            value_gradients: 2,
            queries_at: 3,
            keys_at: 4,
            values_at: 5,
            results: 6,
            result_gradients: 7,
            logarithms: 8,
            statistics: 9,
            sums: 10,
            counters: 11,
        }
    }
}

impl AttentionBackward {
    /// Returns the launches, in their order.
    ///
    /// # Errors
    /// Every condition that the arguments break.
    pub fn launches(&self) -> Result<[Launch; 2], Violations> {
        Ok([Prepare(*self).launch()?, Main(*self).launch()?])
    }

    /// Returns the number of queries of a tile.
    fn tile_queries(&self) -> u32 {
        tile_queries(if self.elements == 64 { 1 } else { 2 })
    }

    /// Returns the number of tiles of queries of a sequence.
    fn query_tiles(&self) -> u32 {
        self.queries.div_ceil(self.tile_queries())
    }

    /// Returns the number of tiles of queries of all heads of all sequences.
    fn all_query_tiles(&self) -> u64 {
        product(&[self.query_tiles(), self.heads, self.sequences])
    }

    /// Returns the number of `f32` of statistics.
    pub fn statistics_len(&self) -> u64 {
        product(&[2, self.tile_queries()]).saturating_mul(self.all_query_tiles())
    }

    /// Returns the number of `f32` of sums.
    pub fn sums_len(&self) -> u64 {
        let of_tile = 2 * u64::from(SUMS_OF_HALF);
        self.all_query_tiles().saturating_mul(of_tile)
    }

    /// Returns the number of counters.
    pub fn counters_len(&self) -> u64 {
        let of_heads = product(&[self.key_heads, self.sequences]);
        self.all_query_tiles().saturating_add(of_heads)
    }

    /// Returns the number of blocks of the main kernel for a head of keys: those that multiply, and those that finish.
    fn blocks_of_head(&self) -> [u32; 2] {
        let sharing = self.heads / self.key_heads.max(1);
        let tiles = self.query_tiles().saturating_mul(sharing);
        [self.keys.div_ceil(KEYS), tiles.div_ceil(FINISHED_TILES)]
    }

    /// Checks the extents that all launches have in common, and returns them.
    fn extents(&self, conditions: &mut Conditions) -> Extents {
        let Self {
            elements,
            sequences,
            queries,
            keys,
            heads,
            key_heads,
            ..
        } = *self;
        conditions.one_of("head size", elements, &[64, 128], "compiled instances");
        let most = 1 << 30;
        let reason = "differences of positions have 32 bits";
        conditions.within("queries", queries, 1..=most, reason);
        conditions.within("keys", keys, 1..=most, reason);
        let reason = "coordinates have 32 bits";
        conditions.within("sequences", sequences, 1..=1 << 22, reason);
        conditions.within("heads", heads, 1..=MOST_HEADS, reason);
        let key_heads = check_heads(conditions, heads, key_heads);
        let reason = "logarithms are divided by it";
        check_scale(conditions, self.scale, elements, (LEAST_SCALE, reason));
        let reason = "tiles of queries are counted in 31 bits";
        conditions.within(
            "tiles of queries",
            self.all_query_tiles().max(1),
            1..=i32::MAX as u64,
            reason,
        );
        if let Some(packed) = self.packed {
            packed.check(conditions, sequences, 1);
        }
        let [multiplying, finishing] = self.blocks_of_head();
        let of_head = multiplying.saturating_add(finishing);
        let blocks = product(&[of_head, key_heads, sequences]);
        let reason = "blocks are counted in 31 bits";
        conditions.within("blocks", blocks.max(1), 1..=i32::MAX as u64, reason);
        let all_key_heads = key_heads.saturating_mul(sequences);
        let lag = LAG.div_ceil(multiplying.max(1)).min(all_key_heads);
        Extents {
            queries,
            query_tiles: self.query_tiles(),
            keys,
            key_heads,
            sharing: heads / key_heads,
            all_key_heads,
            finishing,
            lag,
            scale: self.scale * LOG2_E,
            factor: self.scale,
        }
    }

    /// Returns the queries and keys of a sequence in the tensors, and the sequences there.
    fn in_tensors(&self) -> [u32; 3] {
        match self.packed {
            Some(packed) => [packed.queries, packed.keys, 1],
            None => [self.queries, self.keys, self.sequences],
        }
    }

    /// Returns the bytes of queries, and of tensors with the same extents.
    fn query_bytes(&self, buffer: usize) -> Region {
        let [queries, _, sequences] = self.in_tensors();
        let bytes = product(&[2, self.elements, self.heads, queries, sequences]);
        Region::bytes(buffer, bytes)
    }

    fn statistics(&self) -> Region {
        Region::bytes(self.statistics, self.statistics_len().saturating_mul(4))
    }

    fn sums(&self) -> Region {
        Region::bytes(self.sums, self.sums_len().saturating_mul(4))
    }

    fn counters(&self) -> Region {
        Region::bytes(self.counters, self.counters_len().saturating_mul(4))
    }
}

impl Prepare {
    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let of = &self.0;
        let extents = of.extents(conditions);
        conditions.writes(of.statistics());
        conditions.writes(of.counters());
        conditions.reads(of.query_bytes(of.results));
        conditions.reads(of.query_bytes(of.result_gradients));
        let [queries, _, sequences] = of.in_tensors();
        let logarithms = product(&[4, queries, of.heads, sequences]);
        conditions.reads(Region::bytes(of.logarithms, logarithms));
        let call = with_element!(of.numbers, T => {
            macro_rules! call {
                ($kernel:ident $(, $more:expr)*) => {
                    $kernel::<T>(
                        BufferRef::<f32>::new(of.statistics),
                        BufferRef::<u32>::new(of.counters),
                        BufferRef::<T>::new(of.results),
                        BufferRef::<T>::new(of.result_gradients),
                        BufferRef::<f32>::new(of.logarithms),
                        extents,
                        $($more,)*
                    )
                };
            }
            let query_starts = |packed: Packed| BufferRef::<u32>::new(packed.query_starts);
            match (of.elements, of.packed) {
                (64, None) => call!(attention_backward_prepare_64),
                (_, None) => call!(attention_backward_prepare_128),
                (64, Some(packed)) => call!(
                    attention_backward_prepare_packed_64, query_starts(packed), packed.queries
                ),
                (_, Some(packed)) => call!(
                    attention_backward_prepare_packed_128, query_starts(packed), packed.queries
                ),
            }
        });
        (call, Shape::new(of.all_query_tiles() as u32, END_THREADS))
    }
}

impl Main {
    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let of = &self.0;
        let extents = of.extents(conditions);
        let data_type = match of.numbers {
            Numbers::Bf16 => DataType::Bf16,
            Numbers::F16 => DataType::F16,
        };
        let [queries, keys, sequences] = of.in_tensors();
        let map = |buffer, positions: u32, heads: u32| {
            let extents = [
                product(&[heads, of.elements]),
                positions.into(),
                sequences.into(),
            ];
            let map = Tiled::new(data_type, &extents).box_dims(&[BOX, BOX, 1]);
            MapRef::new(map.swizzle(Swizzle::B128), buffer)
        };
        let of_keys = |buffer| map(buffer, keys, of.key_heads);
        let of_queries = |buffer| map(buffer, queries, of.heads);
        let (key_gradients, value_gradients) =
            (of_keys(of.key_gradients), of_keys(of.value_gradients));
        conditions.writes(key_gradients.into());
        conditions.writes(value_gradients.into());
        let (keys, values) = (of_keys(of.keys_at), of_keys(of.values_at));
        let (queries, result_gradients) =
            (of_queries(of.queries_at), of_queries(of.result_gradients));
        for map in [queries, keys, values, result_gradients] {
            conditions.reads(map.into());
        }
        conditions.reads(of.statistics());
        conditions.writes(of.query_bytes(of.query_gradients));
        conditions.zeroed(of.sums());
        conditions.zeroed(of.counters());
        let call = with_element!(of.numbers, T => {
            let buffer = BufferRef::<T>::new;
            let statistics = BufferRef::<f32>::new(of.statistics);
            let sums = BufferRef::<f32>::new(of.sums);
            let counters = BufferRef::<u32>::new(of.counters);
            macro_rules! call {
                ($kernel:ident, [$($at:expr),*], [$($more:expr),*]) => {
                    $kernel::<T>(
                        of.is_causal,
                        of.is_ordered,
                        key_gradients,
                        value_gradients,
                        queries,
                        keys,
                        values,
                        result_gradients,
                        extents,
                        buffer(of.query_gradients),
                        $($at,)*
                        statistics,
                        sums,
                        counters,
                        $($more,)*
                    )
                };
                ($kernel:ident, $packed:expr) => {
                    call!(
                        $kernel,
                        [buffer(of.key_gradients), buffer(of.value_gradients)],
                        [
                            BufferRef::<u32>::new($packed.query_starts),
                            BufferRef::<u32>::new($packed.key_starts),
                            $packed.queries,
                            $packed.keys
                        ]
                    )
                };
            }
            match (of.elements, of.packed) {
                (64, None) => call!(attention_backward_64, [], []),
                (_, None) => call!(attention_backward_128, [], []),
                (64, Some(packed)) => call!(attention_backward_packed_64, packed),
                (_, Some(packed)) => call!(attention_backward_packed_128, packed),
            }
        });
        let of_head = of.blocks_of_head().into_iter().map(u64::from).sum::<u64>();
        let blocks = product(&[of.key_heads, of.sequences]).saturating_mul(of_head);
        (call, Shape::new(blocks as u32, THREADS))
    }
}
