//! Kernels that take tensor maps.

use kernels_gpu::{
    Matrix,
    consume_map::ConsumeMap,
    conv_im2col::{ConvIm2col, ConvIm2colForm},
    encode_map::{EncodeMap, map_fields},
    gather_rows::GatherRows,
    hwc_tile::{HwcTile, HwcTileLanes, Image},
    multicast_tile::{MulticastTile, MulticastTileForm},
    persistent_tiles::PersistentTiles,
    tile_2d::{MapSource, Tile2d, Tile2dTo},
    transpose::{Transpose, TransposeForm},
};
use tensor_map::{DataType, Swizzle, TensorMap};

use crate::{WARPS, least_bytes, refused};

#[test]
fn conv_im2col() {
    let good = ConvIm2col {
        form: ConvIm2colForm::Result,
        images: 2,
        height: 5,
        width: 7,
        padding: 1,
        data: 0,
        filters: 1,
        output: 2,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(1, 4 * 8 * 9 * 16), (2, 4 * 8 * 2 * 5 * 7)]
    );
    refused(
        ConvIm2col {
            padding: 0,
            height: 2,
            width: 1,
            images: 0,
            ..good
        }
        .launch(),
        &[
            "width is 1; must be at least 3 (the filter must fit in the padded image); use 3 or more",
            "height is 2; must be at least 3 (the filter must fit in the padded image); use 3 or more",
            "images is 0; must be at least 1 (a tensor must not be empty); use 1 or more",
        ],
    );
    refused(
        ConvIm2col { padding: 3, ..good }.launch(),
        &[
            "padding is 3; must be 0 to 2 (the 3 x 3 filter must cover at least one pixel of the image); use 2",
        ],
    );
    refused(
        ConvIm2col {
            images: 1 << 30,
            ..good
        }
        .launch(),
        &[
            "results is 37580963840; must be 0 to 4294967263 (results, with those past the last, are numbered in 32 bits); use 4294967263",
        ],
    );
}

#[test]
fn conv_im2col_padded() {
    let good = ConvIm2col {
        form: ConvIm2colForm::Results,
        images: 3,
        height: 11,
        width: 15,
        padding: 1,
        data: 0,
        filters: 1,
        output: 2,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(1, 4 * 8 * 9 * 16), (2, 4 * 8 * 3 * 11 * 15)]
    );
    // Of the padded images' 663 pixels a block has 384, and loads two rows and two columns more.
    let launch = good.launch().unwrap();
    assert_eq!(launch.shape.grid.count(), 2);
    assert_eq!(launch.shape.shared_bytes, 4 * 128 * 64);
    assert!(
        ConvIm2col {
            width: 1022,
            ..good
        }
        .launch()
        .is_ok()
    );
    refused(
        ConvIm2col {
            width: u32::MAX,
            height: 1,
            images: 1,
            ..good
        }
        .launch(),
        &[
            "results is 4294967293; must be 0 to 4294967263 (results, with those past the last, are numbered in 32 bits); use 4294967263",
            "width is 4294967295; must be 0 to 1024 (columns of the padded image that fit in shared memory); use 1024",
            "pixels is 12884901885; must be 0 to 4294963839 (padded pixels, with those past the last, are numbered in 32 bits); use 4294963839",
        ],
    );
}

#[test]
fn encode_map_and_consume_map() {
    let good = EncodeMap {
        template: true,
        fields: 1,
        tensors: 0,
        maps: 2,
        count: 3,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 3 * 104), (2, 3 * 128)]);
    refused(
        EncodeMap { count: 0, ..good }.launch(),
        &["maps is 0; must be at least 1 (the grid must not be empty); use 1 or more"],
    );
    let good = ConsumeMap {
        rank: 2,
        maps: 0,
        output: 1,
        coords: [-16, 3],
        count: 3,
        threads: 32,
    };
    assert_eq!(least_bytes(good.launch()), [(0, 3 * 128), (1, 3 * 512)]);
    let five = ConsumeMap { rank: 5, ..good };
    assert_eq!(least_bytes(five.launch()), [(0, 3 * 128), (1, 3 * 256)]);
    refused(
        ConsumeMap {
            rank: 3,
            coords: [-8, 3],
            threads: 100,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "rank is 3; must be one of 2, 5 (compiled instances); use 2 or 5",
            "distance of the first byte is 8; must be a multiple of 16 (boxes start at multiples of 16 bytes); use 16",
        ],
    );
}

#[test]
fn map_fields_are_those_of_maps_that_can_be_made_and_used() {
    let tiled = || TensorMap::tiled(DataType::U8, &[256, 8]).box_dims(&[128, 4]);
    assert!(map_fields(&tiled(), 32).is_ok());
    refused(
        map_fields(&tiled().swizzle(Swizzle::B128), 32),
        &[
            "tensor is U8, None, B128, Zeros; must be U8 without interleave and swizzle, \
             filled with zeros; make other maps on the host",
        ],
    );
    refused(
        map_fields(&tiled().box_dims(&[64, 8]), 32),
        &[
            "box is [64, 8] bytes; must be [128, 4] or [16, 2, 2, 2, 2] bytes, as `ConsumeMap` \
             loads; use one of these",
        ],
    );
    refused(
        map_fields(&tiled(), 8),
        &[
            "tensor is 8 bytes into its buffer; parameters of the tiled tensor map break \
             1 rule:",
            "address = 0x1008: must be a multiple of 16; use 0x1000 [address-multiple]; follow \
             the rules of tensor maps",
        ],
    );
    refused(
        map_fields(&tiled().strides_bytes(&[250]), u64::MAX),
        &[
            "tensor is 18446744073709551615 bytes into its buffer; parameters of the tiled tensor map break \
             3 rules:",
            "address = 0xffffffffffffffff: must be a multiple of 16; use 0x1fffffffffffff0 \
             [address-multiple]",
            "address = 0xffffffffffffffff: must be below 2^57; use 0x1fffffffffffff0 [address-range]",
            "strides_bytes[0] = 250: must be a multiple of 16 bytes; use 256 [stride-multiple]; follow \
             the rules of tensor maps",
        ],
    );
    refused(
        map_fields(&TensorMap::tiled(DataType::U16, &[64]).box_dims(&[64]), 0),
        &[
            "tensor is U16, None, None, Zeros; must be U8 without interleave and swizzle, \
             filled with zeros; make other maps on the host",
            "box is [64] bytes; must be [128, 4] or [16, 2, 2, 2, 2] bytes, as `ConsumeMap` \
             loads; use one of these",
        ],
    );
}

#[test]
fn gather_rows() {
    let good = GatherRows {
        table: 0,
        table_rows: 10,
        indices: 1,
        output: 2,
        rows: 33,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 33 * 4), (2, 33 * 256)]);
    refused(
        GatherRows { rows: 0, ..good }.launch(),
        &["rows is 0; must be at least 1 (the grid must not be empty); use 1 or more"],
    );
}

#[test]
fn hwc_tile() {
    let image = Image {
        height: 94,
        width: 162,
        channels: 32,
    };
    let good = HwcTile {
        image,
        data: 0,
        output: 1,
        coords: [-8, -1, 93],
        threads: 64,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 256)]);
    refused(
        HwcTile {
            coords: [4, 0, 0],
            threads: 160,
            image: Image {
                channels: 36,
                ..image
            },
            ..good
        }
        .launch(),
        &[
            "block size is 160; must be one of 64, 96, 128 (one thread for each word of the tile, in full warps); use 128",
            "channels is 36; must be a multiple of 8 (pixels start at multiples of 16 bytes); use 32 or 40",
            "distance of the first channel is 4; must be a multiple of 8 (boxes start at multiples of 16 bytes); use 8",
        ],
    );
    let good = HwcTileLanes {
        image,
        data: 0,
        coords: 1,
        output: 2,
        tiles: 16,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 16 * 8), (2, 16 * 256)]);
    refused(
        HwcTileLanes {
            tiles: 12,
            image: Image {
                channels: 1,
                ..image
            },
            ..good
        }
        .launch(),
        &[
            "channels is 1; must be a multiple of 8 (pixels start at multiples of 16 bytes); use 8",
            "tiles is 12; must be a multiple of 8 (eight lanes of a block copy a tile each); use 8 or 16",
        ],
    );
}

const MATRIX: Matrix = Matrix {
    width: 101,
    height: 40,
    pitch: 104,
};
const WRONG: Matrix = Matrix {
    pitch: 98,
    ..MATRIX
};

#[test]
fn multicast_tile() {
    let good = MulticastTile {
        form: MulticastTileForm::Tile,
        matrix: MATRIX,
        data: 0,
        output: 1,
        origin: [-4, -3],
        clusters: 2,
        threads: 96,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 8 * 64 * 32 * 4)]);
    let tiles = MulticastTile {
        form: MulticastTileForm::Tiles,
        clusters: 9,
        ..good
    };
    assert_eq!(least_bytes(tiles.launch()), [(1, 36 * 64 * 32 * 4)]);
    // A cluster of four blocks has four tiles.
    assert_eq!(tiles.launch().unwrap().shape.grid.count(), 12);
    refused(
        MulticastTile {
            matrix: WRONG,
            origin: [3, 0],
            threads: 100,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "pitch of the matrix is 98; must be a multiple of 4 and at least the \
             width, 101 (rows start at multiples of 16 bytes); use 104",
            "distance of the first column is 3; must be a multiple of 4 (boxes start at multiples of 16 bytes); use 4",
        ],
    );
    refused(
        MulticastTile {
            origin: [i32::MAX - 3, 0],
            ..good
        }
        .launch(),
        &[
            "first column of the last tile is 2147483708; must be -2147483648 to 2147483647 \
             (coordinates have 32 bits); use 2147483647",
        ],
    );
}

#[test]
fn persistent_tiles() {
    let good = PersistentTiles {
        stages: 3,
        matrix: MATRIX,
        source: 0,
        target: 1,
        blocks: 2,
        threads: 96,
    };
    assert!(good.launch().is_ok());
    refused(
        PersistentTiles {
            stages: 5,
            matrix: WRONG,
            threads: 48,
            ..good
        }
        .launch(),
        &[
            "stages is 5; must be one of 2, 3, 4 (compiled instances); use 4",
            "block size is 48; must be 64 to 288 (one loading warp and 1 to 8 computing warps); \
             use 64",
            "pitch of the matrix is 98; must be a multiple of 4 and at least the \
             width, 101 (rows start at multiples of 16 bytes); use 104",
        ],
    );
    let matrix = Matrix {
        height: 0,
        ..Matrix::packed(1 << 32, 0)
    };
    refused(
        PersistentTiles {
            threads: 320,
            matrix,
            ..good
        }
        .launch(),
        &[
            "block size is 320; must be 64 to 288 (one loading warp and 1 to 8 computing warps); \
             use 288",
            "width of the matrix is 4294967296; must be 1 to 2147483648 \
             (coordinates have 31 bits); use 2147483648",
            "height of the matrix is 0; must be 1 to 2147483648 (coordinates have 31 bits); \
             use 1",
        ],
    );
    let matrix = Matrix::packed(1 << 31, 1 << 31);
    refused(
        PersistentTiles { matrix, ..good }.launch(),
        &[
            "tiles is 2251799813685248; must be 0 to 4294967293 (tiles, with those of the next round, are counted in 32 bits); use 4294967293",
        ],
    );
}

#[test]
fn tile_2d() {
    let map = MapSource::Global(1);
    let good = Tile2d {
        map,
        matrix: MATRIX,
        data: 0,
        origin: [4, 1],
        blocks: [2, 3],
        threads: 32,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 128)]);
    refused(
        Tile2d {
            matrix: WRONG,
            origin: [-8, -1],
            threads: 100,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "pitch of the matrix is 98; must be a multiple of 4 and at least the \
             width, 101 (rows start at multiples of 16 bytes); use 104",
            "first column that is stored is -8; must be at least 0 (store coordinates must not be negative); \
             use 0 or more",
            "first row that is stored is -1; must be at least 0 (store coordinates must not be negative); \
             use 0 or more",
        ],
    );
    refused(
        Tile2d {
            origin: [6, 0],
            blocks: [1, 1 << 28],
            ..good
        }
        .launch(),
        &[
            "distance of the first column is 6; must be a multiple of 4 (boxes start at multiples of 16 bytes); use 4 or 8",
            "first column that is stored is 6; must be a multiple of 4 (boxes start at multiples of 16 bytes); use 4 or 8",
            "first row of the last tile is 4294967280; must be -2147483648 to 2147483647 \
             (coordinates have 32 bits); use 2147483647",
        ],
    );
    let good = Tile2dTo {
        source: MATRIX,
        source_data: 0,
        source_origin: [-8, -5],
        target: Matrix::packed(64, 16),
        target_data: 1,
        target_origin: [0, 0],
        blocks: [1, 1],
        threads: 32,
    };
    assert!(good.launch().is_ok());
    refused(
        Tile2dTo {
            source: WRONG,
            source_origin: [-6, 0],
            target_origin: [-4, 2],
            ..good
        }
        .launch(),
        &[
            "pitch of the source is 98; must be a multiple of 4 and at least the \
             width, 101 (rows start at multiples of 16 bytes); use 104",
            "distance of the first column is 6; must be a multiple of 4 (boxes start at multiples of 16 bytes); use 4 or 8",
            "first column that is stored is -4; must be at least 0 (store coordinates must not be negative); \
             use 0 or more",
        ],
    );
    refused(
        Tile2dTo {
            target: WRONG,
            source_origin: [i32::MAX - 3, 0],
            blocks: [2, 1],
            ..good
        }
        .launch(),
        &[
            "pitch of the target is 98; must be a multiple of 4 and at least the \
             width, 101 (rows start at multiples of 16 bytes); use 104",
            "first column of the last tile is 2147483708; must be -2147483648 to 2147483647 \
             (coordinates have 32 bits); use 2147483647",
        ],
    );
}

#[test]
fn transpose() {
    let good = Transpose {
        form: TransposeForm::Tile,
        source: MATRIX,
        source_data: 0,
        target_pitch: 40,
        target_data: 1,
    };
    assert!(good.launch().is_ok());
    let wide = Transpose {
        form: TransposeForm::Wide,
        source: Matrix::packed(132, 260),
        target_pitch: 260,
        ..good
    };
    assert_eq!(wide.launch().unwrap().shape.grid.to_array(), [5, 3, 1]);
    refused(
        Transpose {
            source: WRONG,
            target_pitch: 39,
            ..good
        }
        .launch(),
        &[
            "pitch of the source is 98; must be a multiple of 4 and at least the \
             width, 101 (rows start at multiples of 16 bytes); use 104",
            "pitch of the target is 39; must be a multiple of 4 and at least the \
             width, 40 (rows start at multiples of 16 bytes); use 40",
        ],
    );
}
