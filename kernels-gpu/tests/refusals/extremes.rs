//! The largest numbers there are: they are refused, and nothing overflows.

use kernels_gpu::{
    Matrix,
    add_one_1d::AddOne1d,
    add_one_bulk::AddOneBulk,
    add_one_ring::AddOneRing,
    add_one_tile::AddOneTile,
    add_one_tile_ring::AddOneTileRing,
    consume_map::ConsumeMap,
    conv_im2col::ConvIm2col,
    copy_bulk::CopyBulk,
    copy_tile::CopyTile,
    deform_attn::{DeformAttn, DeformAttnForm},
    encode_map::EncodeMap,
    gather_rows::GatherRows,
    histogram::Histogram,
    hwc_tile::{HwcTile, HwcTileLanes, Image},
    multicast_tile::MulticastTile,
    persistent_tiles::PersistentTiles,
    prefetch::Prefetch,
    prefetch_1d::Prefetch1d,
    producer_consumer::{ProducerConsumer, ProducerConsumerForm},
    ring::Ring,
    stencil::{Stencil, StencilForm},
    tile_2d::{MapSource, Tile2d, Tile2dTo},
    tile_gather::{TileGather, TileGatherForm},
    transpose::Transpose,
};
use tensor_map::{DataType, TensorMap, Tiled};

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
const ORIGIN: [i32; 2] = [i32::MIN, i32::MAX];
const TILES: Tiled = TensorMap::tiled(DataType::F64, &[u64::MAX, u64::MAX]).box_dims(&[MOST, MOST]);

macro_rules! refuses {
    ($($name:ident = $launch:expr;)*) => {$(
        #[test]
        fn $name() {
            assert!($launch.launch().is_err());
        }
    )*};
}

refuses! {
    add_one_1d = AddOne1d { offset_elems: u64::MAX, blocks: MOST, threads: MOST, ..AddOne1d::default() };
    conv_im2col = ConvIm2col { images: MOST, height: MOST, width: MOST, padding: MOST, data: 0, filters: 1, output: 2 };
    gather = attention(DeformAttnForm::Gather);
    tiles = attention(DeformAttnForm::Tiles { stages: MOST });
    resident = attention(DeformAttnForm::Resident { stages: MOST });
    consume_map = ConsumeMap { rank: MOST, maps: 0, output: 1, coords: ORIGIN, count: MOST, threads: MOST };
    histogram = Histogram { data: 0, len: MOST, counts: 1, blocks: MOST, threads: MOST };
    hwc_tile = HwcTile { image: IMAGE, data: 0, output: 1, coords: [i32::MAX; 3], threads: MOST };
    hwc_tile_lanes = HwcTileLanes { image: IMAGE, data: 0, coords: 1, output: 2, tiles: MOST };
    multicast_tile = MulticastTile { matrix: MATRIX, data: 0, output: 1, origin: ORIGIN, clusters: MOST, threads: MOST };
    persistent_tiles = PersistentTiles { stages: MOST, matrix: MATRIX, source: 0, target: 1, blocks: MOST, threads: MOST };
    prefetch = Prefetch { stages: MOST, output: 0, input: 1, batches: MOST, blocks: MOST, threads: MOST };
    prefetch_1d = Prefetch1d { stages: MOST, output: 0, input: 1, batches: MOST, blocks: MOST, threads: MOST };
    producer_consumer = ProducerConsumer {
        form: ProducerConsumerForm::Ring, input: 0, output: 1, batches: MOST, buffer_len: MOST, blocks: MOST, threads: MOST,
    };
    ring = Ring { output: 0, rounds: MOST, clusters: MOST, threads: MOST };
    stencil = Stencil { form: StencilForm::Block, left: 0, center: 1, right: 2, output: 3, blocks: MOST, threads: MOST };
    tile_2d = Tile2d { map: MapSource::Parameter, matrix: MATRIX, data: 0, origin: ORIGIN, blocks: [MOST; 2], threads: MOST };
    tile_2d_to = Tile2dTo {
        source: MATRIX, source_data: 0, source_origin: ORIGIN, target: MATRIX, target_data: 1, target_origin: ORIGIN,
        blocks: [MOST; 2], threads: MOST,
    };
    transpose = Transpose { source: MATRIX, source_data: 0, target_pitch: usize::MAX, target_data: 1 };
    copy_bulk = CopyBulk {
        stages: MOST,
        chunk_bytes: MOST,
        len_bytes: u64::MAX,
        dst: 0,
        dst_offset_bytes: u64::MAX,
        src: 1,
        counter: 2,
        blocks: MOST,
    };
    add_one_bulk = AddOneBulk {
        len_bytes: u64::MAX,
        dst: 0,
        dst_offset_bytes: u64::MAX,
        src: 1,
        threads: MOST,
    };
    add_one_ring = AddOneRing {
        counter: None,
        stages: MOST,
        len_bytes: u64::MAX,
        dst: 0,
        src: 1,
        blocks: MOST,
        threads: MOST,
    };
    copy_tile = CopyTile {
        stages: MOST,
        map: TILES,
        dst: 0,
        src: 1,
        counter: 2,
        blocks: MOST,
    };
    add_one_tile = AddOneTile {
        vectors: usize::MAX,
        map: TILES,
        dst: 0,
        src: 1,
    };
    add_one_tile_ring = AddOneTileRing {
        stages: MOST,
        map: TILES,
        dst: 0,
        src: 1,
        counter: 2,
        blocks: MOST,
    };
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
    };
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

/// What the backend refuses: a table that is too large for a map, a grid that is too long.
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
