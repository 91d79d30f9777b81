//! The largest numbers: each that is too large is refused by its name, without an overflow.

use kernels_gpu::{
    Matrix,
    add_one_1d::AddOne1d,
    add_one_bulk::AddOneBulk,
    add_one_ring::AddOneRing,
    add_one_tile::AddOneTile,
    add_one_tile_ring::AddOneTileRing,
    all_reduce::AllReduce,
    attention::Attention,
    attention_backward::{AttentionBackward, Main, Prepare},
    attention_decode::AttentionDecode,
    consume_map::ConsumeMap,
    conv_im2col::{ConvIm2col, ConvIm2colForm},
    copy_bulk::CopyBulk,
    copy_tile::CopyTile,
    deform_attn::{DeformAttn, DeformAttnForm},
    encode_map::EncodeMap,
    gather_rows::GatherRows,
    gemm::Gemm,
    gemm_fp8::{GemmFp8, Groups},
    gemm_mma::GemmMma,
    gemm_step::GemmStep,
    histogram::{Histogram, HistogramForm},
    hwc_tile::{HwcTile, HwcTileLanes, Image},
    layer_norm::LayerNorm,
    low_latency_exchange::{LowLatencyExchange, Part},
    multicast_tile::{MulticastTile, MulticastTileForm},
    persistent_tiles::PersistentTiles,
    prefetch::Prefetch,
    prefetch_1d::Prefetch1d,
    producer_consumer::{ProducerConsumer, ProducerConsumerForm},
    reduce_scatter::ReduceScatter,
    ring::Ring,
    rms_norm::RmsNorm,
    rows::{Numbers, Rows},
    softmax::Softmax,
    stencil::{Stencil, StencilForm},
    tile_2d::{MapSource, Tile2d, Tile2dTo},
    tile_gather::{TileGather, TileGatherForm},
    transpose::{Transpose, TransposeForm},
};
use tensor_map::{DataType, TensorMap, Tiled};

use crate::refused;

const MOST: u32 = u32::MAX;
const MATRIX: Matrix = Matrix {
    width: usize::MAX,
    height: usize::MAX,
    pitch: usize::MAX,
};
const IMAGE: Image = Image {
    height: usize::MAX,
    width: usize::MAX,
    channels: usize::MAX,
};
const ROWS: Rows = Rows {
    numbers: Numbers::Bf16,
    len: MOST,
    rows: MOST,
    dst: 0,
    src: 1,
};
const ORIGIN: [i32; 2] = [i32::MIN, i32::MAX];
const TILES: Tiled = TensorMap::tiled(DataType::F64, &[u64::MAX, u64::MAX]).box_dims(&[MOST, MOST]);

macro_rules! refuses {
    ($($name:ident = $launch:expr => $parameters:expr;)*) => {$(
        #[test]
        fn $name() {
            let violations = $launch.launch().unwrap_err().0;
            let mut found: Vec<&str> = violations.iter().map(|it| it.parameter.as_str()).collect();
            found.dedup();
            let expected: &[&str] = &$parameters;
            assert_eq!(found, expected);
        }
    )*};
}

refuses! {
    add_one_1d = AddOne1d { offset_elems: u64::MAX, blocks: MOST, threads: MOST, ..AddOne1d::default() } => ["block size", "offset_elems"];
    conv_im2col = ConvIm2col { form: ConvIm2colForm::Result, images: MOST, height: MOST, width: MOST, padding: MOST, data: 0, filters: 1, output: 2 } => ["padding", "results"];
    gemm = Gemm { size: [MOST; 3], multiprocessors: MOST, bias: Some(3), ..Gemm::default() } => ["row stride of C", "row stride of A", "row stride of B", "M", "N", "K", "tiles of the product"];
    gemm_batched = Gemm { is_single: true, batches: MOST, strides: [Some(u64::MAX); 3], batch_strides: [Some(u64::MAX); 3], size: [MOST; 3], beta: 1.0, ..Gemm::default() } => ["row stride of C", "batch stride of C", "row stride of A", "batch stride of A", "row stride of B", "batch stride of B", "batches", "M", "N", "K", "tiles of the product"];
    gemm_fp8 = GemmFp8 { size: [MOST; 3], strides: [None, Some(u64::MAX), None], a_scale_stride: Some(0), multiprocessors: MOST, ..GemmFp8::default() } => ["row stride of C", "row stride of A", "row stride of B", "M", "N", "K", "tiles of the product", "tiles of all experts", "rows of all A", "rows of all B", "stride of the scales of A"];
    gemm_fp8_contiguous = GemmFp8 { size: [1, 1 << 17, 16], strides: [None, None, Some(16)], groups: Groups::Contiguous { experts: MOST, numbers: 5 }, ..GemmFp8::default() } => ["experts", "rows of all B"];
    gemm_fp8_masked = GemmFp8 { size: [MOST, 8, 16], groups: Groups::Masked { experts: 0, rows: MOST as usize }, ..GemmFp8::default() } => ["experts", "rows of an expert", "M"];
    gemm_fp8_of_many_rows = GemmFp8 { size: [1 << 16, 8, 16], groups: Groups::Masked { experts: 0xffff, rows: 5 }, ..GemmFp8::default() } => ["rows of all A"];
    gemm_mma = GemmMma { numbers: kernels_gpu::gemm::Numbers::F16, size: [MOST; 3], a_transposed: true, b_transposed: true, strides: [None, Some(u64::MAX), None], c: 0, a: 1, b: 2, stages: MOST, multiprocessors: MOST } => ["stages", "row stride of C", "row stride of A", "row stride of B", "M", "N", "K", "tiles of the product"];
    gemm_step = GemmStep { step: 7, size: [MOST; 3], c: 0, a: 1, b: 2, multiprocessors: MOST } => ["M", "N", "K", "N", "K", "tiles of the product"];
    attention_of_tokens = Attention { elements: MOST, sequences: MOST, queries: MOST, keys: MOST, heads: MOST, key_heads: MOST, scale: f32::NAN, ..Attention::default() } => ["head size", "queries", "keys", "heads", "scale", "items"];
    no_heads = Attention { queries: 1, heads: 0, key_heads: 0, ..Attention::default() } => ["heads", "heads of keys"];
    no_sequences = Attention { queries: 1, sequences: 0, ..Attention::default() } => ["sequences"];
    attention_backward = Main(backward()) => ["head size", "queries", "keys", "sequences", "heads", "scale", "tiles of queries", "blocks"];
    attention_backward_prepare = Prepare(backward()) => ["head size", "queries", "keys", "sequences", "heads", "scale", "tiles of queries", "blocks"];
    nothing_backward = Main(AttentionBackward { sequences: 0, heads: 0, key_heads: 0, ..AttentionBackward::default() }) => ["queries", "keys", "sequences", "heads", "heads of keys"];
    attention_decode = AttentionDecode { cache_scales: [f32::INFINITY; 2], sequences: MOST, queries: MOST, heads: MOST, key_heads: MOST, page_keys: MOST, pages: MOST, sequence_pages: MOST, scale: f32::MAX, multiprocessors: MOST, ..AttentionDecode::default() } => ["queries", "heads", "keys of a page", "sequences", "pages", "pages of a sequence", "scale", "scale of keys", "scale of values", "tiles of all sequences and heads of keys"];
    no_decode = AttentionDecode { cache_scales: [0.0; 2], sequences: 0, queries: 0, heads: 0, key_heads: 0, page_keys: 0, pages: 0, sequence_pages: 0, scale: 0.0, multiprocessors: 0, ..AttentionDecode::default() } => ["queries", "heads", "heads of keys", "keys of a page", "sequences", "pages", "scale", "scale of keys", "scale of values"];
    unequal_heads = Attention { queries: 1, heads: 3, key_heads: 2, ..Attention::default() } => ["heads"];
    gather = attention(DeformAttnForm::Gather) => ["height of image 0", "width of image 0", "height of image 1", "width of image 1", "height of image 2", "width of image 2", "height of image 3", "width of image 3", "pixels of a batch", "queries of all batches", "warps per block", "blocks"];
    resident = attention(DeformAttnForm::Resident { stages: MOST }) => ["stages", "height of image 0", "width of image 0", "height of image 1", "width of image 1", "height of image 2", "width of image 2", "height of image 3", "width of image 3", "pixels of a batch", "queries of all batches", "warps per block"];
    consume_map = ConsumeMap { rank: MOST, maps: 0, output: 1, coords: ORIGIN, count: MOST, threads: MOST } => ["block size", "rank"];
    histogram = Histogram { form: HistogramForm::Block, data: 0, len: MOST, counts: 1, blocks: MOST, threads: MOST } => ["block size"];
    hwc_tile = HwcTile { image: IMAGE, data: 0, output: 1, coords: [i32::MAX; 3], threads: MOST } => ["block size", "channels", "distance of the first channel"];
    hwc_tile_lanes = HwcTileLanes { image: IMAGE, data: 0, coords: 1, output: 2, tiles: MOST } => ["channels", "tiles"];
    layer_norm = LayerNorm { rows: ROWS, weight: 3, bias: 4, epsilon: 0.0 } => ["len", "bytes per row", "rows"];
    rms_norm = RmsNorm { rows: ROWS, weight: 3, epsilon: 0.0 } => ["len", "bytes per row", "rows"];
    softmax = Softmax { rows: ROWS } => ["len", "bytes per row", "rows"];
    multicast_tile = MulticastTile { form: MulticastTileForm::Tile, matrix: MATRIX, data: 0, output: 1, origin: ORIGIN, clusters: MOST, threads: MOST } => ["block size", "width of the matrix", "height of the matrix", "pitch of the matrix", "first column of the last tile"];
    persistent_tiles = PersistentTiles { stages: MOST, matrix: MATRIX, source: 0, target: 1, blocks: MOST, threads: MOST } => ["stages", "block size", "width of the matrix", "height of the matrix", "pitch of the matrix"];
    prefetch = Prefetch { stages: MOST, output: 0, input: 1, batches: MOST, blocks: MOST, threads: MOST } => ["stages", "block size", "batches"];
    prefetch_1d = Prefetch1d { stages: MOST, output: 0, input: 1, batches: MOST, blocks: MOST, threads: MOST } => ["stages", "block size", "batches"];
    producer_consumer = ProducerConsumer {
        form: ProducerConsumerForm::Ring, input: 0, output: 1, batches: MOST, buffer_len: MOST, blocks: MOST, threads: MOST,
    } => ["block size"];
    ring = Ring { output: 0, rounds: MOST, clusters: MOST, threads: MOST } => ["block size", "threads of the grid"];
    stencil = Stencil { form: StencilForm::Block, left: 0, center: 1, right: 2, output: 3, blocks: MOST, threads: MOST } => ["block size", "blocks"];
    tile_2d = Tile2d { map: MapSource::Parameter, matrix: MATRIX, data: 0, origin: ORIGIN, blocks: [MOST; 2], threads: MOST } => ["block size", "width of the matrix", "height of the matrix", "pitch of the matrix", "first column that is stored", "first column of the last tile", "first row of the last tile"];
    tile_2d_to = Tile2dTo {
        source: MATRIX, source_data: 0, source_origin: ORIGIN, target: MATRIX, target_data: 1, target_origin: ORIGIN,
        blocks: [MOST; 2], threads: MOST,
    } => ["block size", "width of the source", "height of the source", "pitch of the source", "width of the target", "height of the target", "pitch of the target", "first column that is stored", "first column of the last tile", "first row of the last tile", "first column of the last tile", "first row of the last tile"];
    transpose = Transpose { form: TransposeForm::Tile, source: MATRIX, source_data: 0, target_pitch: usize::MAX, target_data: 1 } => ["width of the source", "height of the source", "pitch of the source", "width of the target", "height of the target", "pitch of the target"];
    copy_bulk = CopyBulk {
        stages: MOST,
        chunk_bytes: MOST,
        len_bytes: u64::MAX,
        dst: 0,
        dst_offset_bytes: u64::MAX,
        src: 1,
        counter: 2,
        blocks: MOST,
        threads: MOST,
        shared_bytes: MOST,
    } => ["stages", "chunk_bytes", "dst_offset_bytes", "len_bytes", "chunks", "block size", "blocks"];
    all_reduce = AllReduce {
        numbers: Numbers::F32, own: 0, peer: 1, offset_bytes: u64::MAX, len_bytes: u64::MAX, is_for_both: true,
        threads: MOST, shared_bytes: MOST,
    } => ["block size", "offset_bytes", "len_bytes", "chunks"];
    low_latency_exchange = LowLatencyExchange {
        send: Part { offset_bytes: u64::MAX, len_bytes: u64::MAX }, ..LowLatencyExchange::default()
    } => ["offset_bytes", "len_bytes", "bytes of the longer part"];
    reduce_scatter = ReduceScatter {
        numbers: Numbers::Bf16, dst: 0, src: 1, offset_bytes: u64::MAX, len_bytes: u64::MAX, chunk_bytes: MOST,
        threads: MOST, shared_bytes: MOST,
    } => ["chunk_bytes", "offset_bytes", "len_bytes", "chunks", "block size"];
    add_one_bulk = AddOneBulk {
        vectors: 3,
        len_bytes: u64::MAX,
        dst: 0,
        dst_offset_bytes: u64::MAX,
        src: 1,
        threads: MOST,
        shared_bytes: MOST,
    } => ["vectors", "block size", "dst_offset_bytes", "len_bytes", "chunks"];
    add_one_ring = AddOneRing {
        counter: None,
        stages: MOST,
        len_bytes: u64::MAX,
        dst: 0,
        src: 1,
        blocks: MOST,
        threads: MOST,
    } => ["stages", "block size", "len_bytes", "chunks"];
    copy_tile = CopyTile {
        stages: MOST,
        tiles: MOST,
        map: TILES,
        dst: 0,
        src: 1,
        counter: 2,
        blocks: MOST,
        shared_bytes: MOST,
    } => ["stages", "bytes per tile", "tiles per patch", "columns", "rows", "patches", "blocks"];
    add_one_tile = AddOneTile {
        vectors: usize::MAX,
        tiles: MOST,
        map: TILES,
        dst: 0,
        src: 1,
        shared_bytes: MOST,
    } => ["vectors", "bytes per tile", "tiles per patch", "columns", "rows", "patches", "element size", "block size"];
    add_one_tile_ring = AddOneTileRing {
        stages: MOST,
        tiles: MOST,
        map: TILES,
        dst: 0,
        src: 1,
        counter: 2,
        blocks: MOST,
    } => ["stages", "bytes per tile", "tiles per patch", "columns", "rows", "patches", "element size", "bytes per patch", "blocks"];
    tile_gather = TileGather {
        form: TileGatherForm::View,
        stages: MOST,
        tensor: 0,
        width: MOST,
        height: MOST,
        positions: 1,
        rounds: MOST,
        sums: 2,
        blocks: MOST,
        threads: MOST,
    } => ["stages", "block size", "rounds"];
}

fn backward() -> AttentionBackward {
    AttentionBackward {
        elements: MOST,
        sequences: MOST,
        queries: MOST,
        keys: MOST,
        heads: MOST,
        key_heads: MOST,
        scale: f32::MAX,
        numbers: kernels_gpu::gemm::Numbers::F16,
        is_causal: true,
        is_ordered: true,
        ..AttentionBackward::default()
    }
}

fn attention(form: DeformAttnForm) -> DeformAttn {
    DeformAttn {
        form,
        shapes: [[MOST; 2]; 4],
        batches: MOST,
        queries: MOST,
        value: 0,
        locations: 1,
        weights: 2,
        output: 3,
        blocks: MOST,
        warps: MOST,
        waves: MOST,
    }
}

/// Blocks with numbers of items that would wrap to zero, though there are few items: no more of them are
/// taken than the message states.
#[test]
fn numbers_that_would_wrap_are_refused() {
    let copy = |blocks| CopyBulk {
        stages: 8,
        chunk_bytes: 16,
        len_bytes: 64,
        dst: 0,
        dst_offset_bytes: 0,
        src: 1,
        counter: 2,
        blocks,
        shared_bytes: 0,
        threads: 32,
    };
    let most = (MOST - 4) / 8;
    assert!(copy(most).launch().is_ok());
    let message = "blocks is 536870912; must be 0 to 536870911 (drawn items are counted in 32 bits); use \
                536870911";
    refused(copy(most + 1).launch(), &[message]);
    let ring = |counter| AddOneRing {
        counter,
        stages: 3,
        len_bytes: 64,
        dst: 0,
        src: 1,
        blocks: i32::MAX as u32,
        threads: 64,
    };
    assert!(ring(None).launch().is_ok());
    assert!(ring(Some(2)).launch().is_ok());
    let most = i32::MAX as u32;
    let longer = AddOneRing {
        len_bytes: 1 << 20,
        ..ring(Some(2))
    };
    assert_eq!(longer.launch().unwrap_err().0[0].value, most.to_string());
    let attention = |blocks| DeformAttn {
        shapes: [[3; 2]; 4],
        batches: 1,
        queries: 8,
        warps: 8,
        waves: 1,
        blocks,
        ..attention(DeformAttnForm::Gather)
    };
    assert!(attention(MOST / 8).launch().is_ok());
    assert!(attention(MOST / 8 + 1).launch().is_err());
    let images = |images| ConvIm2col {
        form: ConvIm2colForm::Result,
        images,
        height: 1,
        width: 1,
        padding: 1,
        data: 0,
        filters: 1,
        output: 2,
    };
    assert!(images(MOST - 32).launch().is_ok());
    assert!(images(MOST).launch().is_err());
}

/// The backend refuses a table that is too large for a map and a grid that is too long.
#[test]
fn what_the_wrappers_leave_to_the_backend_does_not_overflow() {
    let gather = GatherRows {
        table: 0,
        table_rows: u64::MAX,
        indices: 1,
        output: 2,
        rows: MOST,
    };
    assert!(gather.launch().is_ok());
    let encode = EncodeMap {
        template: false,
        fields: 0,
        tensors: 1,
        maps: 2,
        count: MOST,
    };
    assert!(encode.launch().is_ok());
}
