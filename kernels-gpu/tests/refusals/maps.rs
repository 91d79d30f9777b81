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
            "width is 1; the filter fits in the image with its padding: at least 3; take 3 or more",
            "height is 2; the filter fits in the image with its padding: at least 3; take 3 or more",
            "images is 0; there is no empty tensor: at least 1; take 1 or more",
        ],
    );
    refused(
        ConvIm2col { padding: 3, ..good }.launch(),
        &["padding is 3; a filter of 3 x 3 pixels sees at least one of the image: 0 to 2; take 2"],
    );
    refused(
        ConvIm2col {
            images: 1 << 30,
            ..good
        }
        .launch(),
        &[
            "results is 37580963840; results that are numbered in 32 bits, and those behind the last: \
             0 to 4294967263; take 4294967263",
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
    // Of the padded images' 663 pixels a block has 384, and loads those of two rows and two columns more.
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
            "results is 4294967293; results that are numbered in 32 bits, and those behind the last: \
             0 to 4294967263; take 4294967263",
            "width is 4294967295; what shared memory has room for, columns of an image with its \
             padding: 0 to 1024; take 1024",
            "pixels is 12884901885; pixels with their padding that are numbered in 32 bits, and those \
             behind the last: 0 to 4294963839; take 4294963839",
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
        &["maps is 0; there is no empty grid: at least 1; take 1 or more"],
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
            "rank is 3; there are kernels for 2, 5; take 2 or 5",
            "distance of the first byte is 8; a box begins at a multiple of 16 bytes: a multiple of \
             16; take 16",
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
            "tensor is U8, None, B128, Zeros; the kernels make maps of U8 without interleave and \
             swizzle, filled with zeros; make the others on the host",
        ],
    );
    refused(
        map_fields(&tiled().box_dims(&[64, 8]), 32),
        &[
            "box is [64, 8] bytes; `ConsumeMap` takes boxes that bring [128, 4] or [16, 2, 2, 2, 2]; \
             take one of these",
        ],
    );
    refused(
        map_fields(&tiled(), 8),
        &[
            "tensor is 8 bytes into its buffer; no tiled tensor map of these parameters, 1 rule is \
             broken:",
            "address = 0x1008: must be a multiple of 16; try 0x1000 [address-multiple]; keep the \
             rules of tensor maps",
        ],
    );
    refused(
        map_fields(&tiled().strides_bytes(&[250]), u64::MAX),
        &[
            "tensor is 18446744073709551615 bytes into its buffer; no tiled tensor map of these \
             parameters, 3 rules are broken:",
            "address = 0xffffffffffffffff: must be a multiple of 16; try 0x1fffffffffffff0 \
             [address-multiple]",
            "address = 0xffffffffffffffff: must be below 2^57; try 0x1fffffffffffff0 [address-range]",
            "strides_bytes[0] = 250: must be a multiple of 16 bytes; try 256 [stride-multiple]; keep \
             the rules of tensor maps",
        ],
    );
    refused(
        map_fields(&TensorMap::tiled(DataType::U16, &[64]).box_dims(&[64]), 0),
        &[
            "tensor is U16, None, None, Zeros; the kernels make maps of U8 without interleave and \
             swizzle, filled with zeros; make the others on the host",
            "box is [64] bytes; `ConsumeMap` takes boxes that bring [128, 4] or [16, 2, 2, 2, 2]; \
             take one of these",
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
        &["rows is 0; there is no empty grid: at least 1; take 1 or more"],
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
            "threads of a block is 160; a thread for each word of the tile in whole warps, at most \
             128: one of 64, 96, 128; take 128",
            "channels is 36; pixels begin at multiples of 16 bytes: a multiple of 8; take 32 or 40",
            "distance of the first channel is 4; a box begins at a multiple of 16 bytes: a multiple \
             of 8; take 8",
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
            "channels is 1; pixels begin at multiples of 16 bytes: a multiple of 8; take 8",
            "tiles is 12; eight lanes of a block copy: a multiple of 8; take 8 or 16",
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
            "pitch of the matrix is 98; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 101; take 104",
            "distance of the first column is 3; a box begins at a multiple of 16 bytes: a multiple of \
             4; take 4",
        ],
    );
    refused(
        MulticastTile {
            origin: [i32::MAX - 3, 0],
            ..good
        }
        .launch(),
        &[
            "first column of the last tile is 2147483708; coordinates have 32 bits: -2147483648 to \
             2147483647; take 2147483647",
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
            "stages is 5; there are kernels for 2, 3, 4; take 4",
            "threads of a block is 48; a warp that loads and one to eight that compute: 64 to 288; \
             take 64",
            "pitch of the matrix is 98; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 101; take 104",
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
            "threads of a block is 320; a warp that loads and one to eight that compute: 64 to 288; \
             take 288",
            "width of the matrix is 4294967296; elements whose coordinates have 31 bits: 1 to \
             2147483648; take 2147483648",
            "height of the matrix is 0; elements whose coordinates have 31 bits: 1 to 2147483648; \
             take 1",
        ],
    );
    let matrix = Matrix::packed(1 << 31, 1 << 31);
    refused(
        PersistentTiles { matrix, ..good }.launch(),
        &[
            "tiles is 2251799813685248; tiles that are counted in 32 bits, and those of the next \
             round: 0 to 4294967293; take 4294967293",
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
            "pitch of the matrix is 98; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 101; take 104",
            "first column that is stored is -8; a store begins at no negative coordinate: at least 0; \
             take 0 or more",
            "first row that is stored is -1; a store begins at no negative coordinate: at least 0; \
             take 0 or more",
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
            "distance of the first column is 6; a box begins at a multiple of 16 bytes: a multiple of \
             4; take 4 or 8",
            "first column that is stored is 6; a box begins at a multiple of 16 bytes: a multiple of \
             4; take 4 or 8",
            "first row of the last tile is 4294967280; coordinates have 32 bits: -2147483648 to \
             2147483647; take 2147483647",
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
            "pitch of the source is 98; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 101; take 104",
            "distance of the first column is 6; a box begins at a multiple of 16 bytes: a multiple of \
             4; take 4 or 8",
            "first column that is stored is -4; a store begins at no negative coordinate: at least 0; \
             take 0 or more",
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
            "pitch of the target is 98; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 101; take 104",
            "first column of the last tile is 2147483708; coordinates have 32 bits: -2147483648 to \
             2147483647; take 2147483647",
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
            "pitch of the source is 98; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 101; take 104",
            "pitch of the target is 39; rows begin at multiples of 16 bytes: a multiple of 4, at \
             least the width, 40; take 40",
        ],
    );
}
