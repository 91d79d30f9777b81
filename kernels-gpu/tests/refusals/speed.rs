//! Kernels that are made for speed.

use kernels_gpu::{
    add_one_ring::AddOneRing,
    add_one_tile::AddOneTile,
    add_one_tile_ring::AddOneTileRing,
    copy_tile::CopyTile,
    gemm::Gemm,
    gemm_fp8::{GemmFp8, Groups},
    gemm_mma::GemmMma,
    gemm_step::GemmStep,
    layer_norm::LayerNorm,
    rms_norm::RmsNorm,
    rows::{Numbers, Rows},
    softmax::Softmax,
    tile_gather::{TileGather, TileGatherForm},
};
use tensor_map::{DataType, Swizzle, TensorMap, Tiled};

use crate::{WARPS, least_bytes, refused};

#[test]
fn add_one_ring() {
    let good = AddOneRing {
        counter: Some(2),
        stages: 2,
        len_bytes: 4096,
        dst: 0,
        src: 1,
        blocks: 2,
        threads: 96,
    };
    assert_eq!(good.launch().unwrap().shape.shared_bytes, 2 * (2048 + 20));
    refused(
        AddOneRing {
            counter: None,
            threads: 32,
            ..good
        }
        .launch(),
        &[
            "stages is 2; must be one of 3, 4, 6 (compiled instances); use 3",
            "block size is 32; must be 64 to 544 (one loading warp and 1 to 16 working warps); use 64",
        ],
    );
}

fn matrix(data_type: DataType, tile: [u32; 2], swizzle: Swizzle) -> Tiled {
    TensorMap::tiled(data_type, &[100, 50])
        .strides_bytes(&[416])
        .box_dims(&tile)
        .swizzle(swizzle)
}

#[test]
fn copy_tile() {
    let good = CopyTile {
        stages: 3,
        tiles: 1,
        map: matrix(DataType::I32, [32, 8], Swizzle::None),
        dst: 0,
        src: 1,
        counter: 2,
        blocks: 2,
        shared_bytes: 0,
    };
    let launch = good.launch().unwrap();
    assert_eq!(launch.shape.shared_bytes, 3 * (1024 + 20));
    assert_eq!(least_bytes(Ok(launch)), [(2, 4)]);
    // Four tiles along the columns, two patches.
    let each = CopyTile {
        stages: 1,
        tiles: 3,
        ..good
    };
    let shape = each.launch().unwrap().shape;
    assert_eq!((shape.grid.x, shape.grid.y), (2, 7));
    assert_eq!(shape.shared_bytes, 3 * 1024);
    refused(
        CopyTile { tiles: 0, ..good }.launch(),
        &["tiles per patch is 0; must be 1 to 1023 (bytes of one barrier phase); use 1"],
    );
    refused(
        CopyTile {
            tiles: 1024,
            ..good
        }
        .launch(),
        &["tiles per patch is 1024; must be 1 to 1023 (bytes of one barrier phase); use 1023"],
    );
    refused(
        CopyTile {
            stages: 8,
            map: matrix(DataType::I32, [32, 4], Swizzle::B128),
            ..good
        }
        .launch(),
        &[
            "stages is 8; must be one of 2, 3, 4, 6 (compiled instances); use 6",
            "bytes per tile is 512; must be a multiple of 1024 (consecutive tiles start at repeats of the swizzle); \
             use 1024",
        ],
    );
    refused(
        CopyTile {
            map: TensorMap::tiled(DataType::I32, &[64, 1 << 31]).box_dims(&[64, 2]),
            ..good
        }
        .launch(),
        &["rows is 2147483648; must be 1 to 2147483645 (coordinates have 31 bits); use 2147483645"],
    );
}

#[test]
fn add_one_tile() {
    let good = AddOneTile {
        vectors: 4,
        tiles: 1,
        map: matrix(DataType::I32, [32, 32], Swizzle::None),
        dst: 0,
        src: 1,
        shared_bytes: 0,
    };
    let launch = good.launch().unwrap();
    assert_eq!((launch.shape.grid.x, launch.shape.grid.y), (4, 2));
    assert_eq!(launch.shape.block.x, 64);
    refused(
        AddOneTile {
            vectors: 3,
            map: matrix(DataType::Bf16, [64, 8], Swizzle::None),
            ..good
        }
        .launch(),
        &[
            "vectors is 3; must be one of 1, 2, 4 (compiled instances); use 2 or 4",
            "element size is 2; must be 4 (the kernel adds to 4-byte integers); use 4",
            "block size is 21; must be 32 to 1024; use 32",
        ],
    );
}

#[test]
fn add_one_tile_ring() {
    let good = AddOneTileRing {
        stages: 2,
        tiles: 1,
        map: matrix(DataType::I32, [32, 32], Swizzle::B128),
        dst: 0,
        src: 1,
        counter: 2,
        blocks: 2,
    };
    assert_eq!(good.launch().unwrap().shape.block.x, 32 + 64);
    refused(
        AddOneTileRing {
            stages: 6,
            map: matrix(DataType::I32, [32, 24], Swizzle::B128),
            ..good
        }
        .launch(),
        &[
            "stages is 6; must be one of 2, 3, 4 (compiled instances); use 4",
            "bytes per patch is 3072; must be a multiple of 2048 (64 bytes for each thread of a warp); use 2048 or \
             4096",
        ],
    );
}

#[test]
fn tile_gather() {
    let good = TileGather {
        form: TileGatherForm::Boxes,
        stages: 2,
        tensor: 0,
        width: 10,
        height: 7,
        positions: 1,
        rounds: 3,
        sums: 2,
        blocks: 2,
        threads: 64,
    };
    assert_eq!(least_bytes(good.launch()), [(1, 3 * 32), (2, 2 * 64 * 16)]);
    refused(
        TileGather {
            stages: 3,
            threads: 100,
            rounds: u32::MAX,
            ..good
        }
        .launch(),
        &[
            "stages is 3; must be one of 1, 2, 4 (compiled instances); use 2 or 4",
            WARPS,
            "rounds is 4294967295; must be 0 to 4294967271 \
             (rounds, with those of the next turns, are counted in 32 bits); use 4294967271",
        ],
    );
}

#[test]
fn rows() {
    let good = Rows {
        len: 264,
        rows: 100,
        ..Rows::default()
    };
    let softmax = |rows| Softmax { rows }.launch();
    assert_eq!(least_bytes(softmax(good)), [(1, 52_800), (0, 52_800)]);
    let longer = Rows { len: 8200, ..good };
    assert_eq!(
        least_bytes(softmax(longer)),
        [(1, 1_640_000), (0, 1_640_000)]
    );
    let norm = RmsNorm {
        rows: good,
        weight: 3,
        epsilon: 0.0,
    };
    assert!(least_bytes(norm.launch()).contains(&(3, 528)));
    let norm = LayerNorm {
        rows: Rows { src: 0, ..good },
        weight: 4,
        bias: 3,
        epsilon: 0.0,
    };
    assert_eq!(
        least_bytes(norm.launch()),
        [(0, 52_800), (4, 528), (3, 528)]
    );
    refused(
        softmax(Rows {
            len: 260,
            rows: 0,
            ..good
        }),
        &[
            "bytes per row is 520; must be a multiple of 16 (bulk copies move units of 16 bytes); use 512 or 528",
            "rows is 0; must be 1 to 2147483647 (a grid has at most 2^31 - 1 blocks); use 1",
        ],
    );
    refused(
        softmax(Rows {
            numbers: Numbers::F32,
            len: 32772,
            ..good
        }),
        &[
            "len is 32772; must be 4 to 32768 (rows are made of units of 16 bytes, and must fit in the shared memory of a block); use 32768",
        ],
    );
}

/// A warp or a block for each row, and shared memory that limits how many are resident.
#[test]
fn blocks_of_rows() {
    let shape = |numbers, len, rows| {
        let rows = Rows {
            numbers,
            len,
            rows,
            ..Rows::default()
        };
        let shape = Softmax { rows }.launch().unwrap().shape;
        [shape.grid.x, shape.block.x, shape.shared_bytes]
    };
    assert_eq!(shape(Numbers::Bf16, 1024, 1000), [250, 128, 4 * 2048]);
    assert_eq!(shape(Numbers::F32, 512, 1001), [251, 128, 4 * 2048]);
    assert_eq!(shape(Numbers::Bf16, 1032, 1000), [1000, 64, 2064]);
    assert_eq!(shape(Numbers::F32, 4096, 7), [7, 256, 16384]);
    assert_eq!(shape(Numbers::Bf16, 8192, 7), [7, 256, 16384]);
    assert_eq!(shape(Numbers::F32, 4, u32::MAX >> 1), [1 << 29, 128, 64]);
    // Six rows of little more than 16 KiB at once, three of 32 KiB and 40 KiB, two of more.
    assert_eq!(shape(Numbers::F32, 4100, 1000), [1000, 160, 36 << 10]);
    for len in [16384, 20480] {
        let threads = len / 64;
        let shape = shape(Numbers::Bf16, len, 7);
        assert_eq!(shape, [7, threads, 76 * 1024 - 2048]);
    }
    assert_eq!(shape(Numbers::F32, 16384, 1000), [1000, 512, 112 << 10]);
    assert_eq!(shape(Numbers::F32, 32768, 1000), [1000, 1024, 128 << 10]);
    assert_eq!(shape(Numbers::Bf16, 65536, 1000), [1000, 1024, 128 << 10]);
    let rows = Rows {
        len: 16384,
        rows: 7,
        ..Rows::default()
    };
    let (weight, bias, epsilon) = (2, 3, 0.0);
    let norm = RmsNorm {
        rows,
        weight,
        epsilon,
    };
    let layer_norm = LayerNorm {
        rows,
        weight,
        bias,
        epsilon,
    };
    let shapes = [norm.launch(), layer_norm.launch()].map(|launch| launch.unwrap().shape);
    assert_eq!(
        shapes.map(|shape| shape.shared_bytes),
        [76 * 1024 - 2048, 32 << 10]
    );
}

#[test]
fn gemm_mma() {
    let good = GemmMma {
        numbers: kernels_gpu::gemm::Numbers::Bf16,
        size: [40, 21, 16],
        a_transposed: false,
        b_transposed: true,
        strides: [Some(24), None, None],
        c: 0,
        a: 1,
        b: 2,
        stages: 2,
        multiprocessors: 132,
    };
    // An element after the last one is written.
    assert_eq!(least_bytes(good.launch()), [(0, (39 * 24 + 22) * 2)]);
    assert_eq!(
        good.launch().unwrap().shape.shared_bytes,
        2 * (6 * 8192 + 20)
    );
    refused(
        GemmMma {
            size: [40, 20, 12],
            strides: [None, Some(8), None],
            stages: 3,
            ..good
        }
        .launch(),
        &[
            "stages is 3; must be one of 2, 4 (compiled instances); use 2 or 4",
            "row stride of C is 20; must be a multiple of 8 (rows start at multiples of 16 bytes); use 16 or 24",
            "row stride of A is 8; must be at least 12 (rows must not overlap); use 12 or more",
            "row stride of B is 12; must be a multiple of 8 (rows start at multiples of 16 bytes); use 8 or 16",
        ],
    );
}

#[test]
fn gemm_fp8() {
    let good = GemmFp8 {
        size: [65, 136, 144],
        a_scale_stride: Some(68),
        ..GemmFp8::default()
    };
    // For two blocks of columns two along K.
    assert_eq!(least_bytes(good.launch()), [(4, 2 * 2 * 4)]);
    let launch = |size| {
        let launch = GemmFp8 { size, ..good }.launch().unwrap();
        let shape = launch.shape;
        let threads = shape.block.x;
        (launch.entry, shape.grid.x, threads, shape.shared_bytes)
    };
    let bytes = 32768 + 5 * (4 * 8192 + 1024 + 20);
    assert_eq!(launch(good.size), ("gemm_fp8".into(), 2, 384, bytes));
    // A cluster of two for each tile.
    let bytes = 16384 + 32768 + 6 * (3 * 8192 + 1024 + 20);
    let thin = ("gemm_fp8_thin".into(), 4, 256, bytes);
    assert_eq!(launch([64, 136, 144]), thin);
    // From the first tile on that a wave of clusters does not have, a block for each two tiles.
    assert_eq!(launch([64, 66 * 128, 144]).0, "gemm_fp8_thin");
    let bytes = 32768 + 4 * (5 * 8192 + 1024 + 20);
    let wide = ("gemm_fp8_thin_wide".into(), 34, 384, bytes);
    assert_eq!(launch([64, 66 * 128 + 8, 144]), wide);
    refused(
        GemmFp8 {
            size: [40, 20, 136],
            strides: [None, Some(128), Some(152)],
            a_scale_stride: Some(39),
            ..good
        }
        .launch(),
        &[
            "row stride of C is 20; must be a multiple of 8 (rows start at multiples of 16 bytes); use 16 or 24",
            "row stride of A is 128; must be at least 136 (rows must not overlap); use 136 or more",
            "row stride of B is 152; must be a multiple of 16 (rows start at multiples of 16 bytes); use 144 or 160",
            "stride of the scales of A is 39; must be at least 40 (one scale for each row of A); use 40 or more",
            "stride of the scales of A is 39; must be a multiple of 4 (tensor copies need rows of scales at multiples of 16 bytes); use 36 or 40",
        ],
    );
}

#[test]
fn gemm_fp8_of_experts() {
    let contiguous = GemmFp8 {
        size: [300, 136, 144],
        groups: Groups::Contiguous {
            experts: 3,
            numbers: 5,
        },
        ..GemmFp8::default()
    };
    // Scales of two blocks of each expert; a number for each 128 rows.
    assert_eq!(
        least_bytes(contiguous.launch()),
        [(4, 3 * 2 * 2 * 4), (5, 3 * 4)]
    );
    let masked = GemmFp8 {
        size: [256, 136, 144],
        groups: Groups::Masked {
            experts: 3,
            rows: 5,
        },
        ..contiguous
    };
    assert_eq!(
        least_bytes(masked.launch()),
        [(4, 3 * 2 * 2 * 4), (5, 3 * 4)]
    );
    let uneven = GemmFp8 {
        size: [200, 136, 144],
        ..masked
    };
    refused(
        uneven.launch(),
        &[
            "rows of an expert is 200; must be a multiple of 128 (a tile has rows of one expert only); use 128 or 256",
        ],
    );
}

#[test]
fn gemm() {
    let good = Gemm {
        size: [40, 24, 16],
        bias: Some(3),
        ..Gemm::default()
    };
    assert_eq!(least_bytes(good.launch()), [(3, 24 * 4)]);
    refused(
        Gemm {
            size: [40, 20, 12],
            strides: [None, Some(8), None],
            b_transposed: true,
            ..good
        }
        .launch(),
        &[
            "row stride of C is 20; must be a multiple of 8 (rows start at multiples of 16 bytes); use 16 or 24",
            "row stride of A is 8; must be at least 12 (rows must not overlap); use 12 or more",
            "row stride of B is 12; must be a multiple of 8 (rows start at multiples of 16 bytes); use 8 or 16",
        ],
    );
    refused(
        Gemm {
            size: [0, 24, 16],
            ..good
        }
        .launch(),
        &["M is 0; must be 1 to 8388480 (tiles in each direction are counted in 16 bits); use 1"],
    );
}

#[test]
fn gemm_batched() {
    let good = Gemm {
        is_single: true,
        batches: 3,
        size: [40, 20, 16],
        beta: 0.5,
        strides: [None, None, Some(24)],
        ..Gemm::default()
    };
    assert_eq!(least_bytes(good.launch()), [(0, 3 * 40 * 20 * 4)]);
    // Rows of one matrix between the rows of another.
    let between = Gemm {
        strides: [Some(60), None, Some(24)],
        batch_strides: [Some(20), None, Some(0)],
        ..good
    };
    assert_eq!(least_bytes(between.launch()), [(0, 3 * 40 * 20 * 4)]);
    refused(
        Gemm {
            batch_strides: [Some(780), Some(636), None],
            batches: 2,
            ..good
        }
        .launch(),
        &[
            "batch stride of A is 636; must be a multiple of 8 (matrices start at multiples of 16 bytes); use 632 or 640",
            "batch stride of C is 780; must keep results apart (matrices follow each other, or their rows alternate); \
             use 800 or more",
        ],
    );
    refused(
        Gemm {
            batch_strides: [Some(16), None, None],
            ..between
        }
        .launch(),
        &[
            "batch stride of C is 16; must keep results apart (matrices follow each other, or their rows alternate); \
             use 2360 or more",
        ],
    );
    refused(
        Gemm { batches: 0, ..good }.launch(),
        &["batches is 0; must be 1 to 2147483647; use 1"],
    );
}

#[test]
fn gemm_step() {
    for step in 1..=7 {
        let good = GemmStep {
            step,
            size: [10, 24, 16],
            c: 0,
            a: 1,
            b: 2,
            multiprocessors: 2,
        };
        let bytes = [(0, 10 * 24 * 2), (1, 10 * 16 * 2), (2, 24 * 16 * 2)];
        assert_eq!(least_bytes(good.launch()), bytes);
        refused(
            GemmStep {
                size: [10, 20, 12],
                ..good
            }
            .launch(),
            &[
                "N is 20; must be a multiple of 8 (rows start at multiples of 16 bytes); use 16 or 24",
                "K is 12; must be a multiple of 8 (rows start at multiples of 16 bytes); use 8 or 16",
            ],
        );
        refused(
            GemmStep { step: 8, ..good }.launch(),
            &["step is 8; must be one of 1, 2, 3, 4, 5, 6, 7; use 7"],
        );
        let nothing = GemmStep {
            size: [0, 24, 16],
            ..good
        };
        let message = nothing.launch().unwrap_err().to_string();
        let first =
            "M is 0; must be 1 to 1073741823 (coordinates are signed 32-bit numbers); use 1";
        assert!(message.contains(first), "{message}");
    }
}
