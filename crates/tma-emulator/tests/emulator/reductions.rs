//! `cp.reduce.async.bulk` and `cp.reduce.async.bulk.tensor`, with results written out by hand or
//! computed by integers of Rust.

use crate::common::{SEEDS, copies::kernel, run_launch};
use tensor_map::{DataType, Params, TensorMap};
use tma_launch::{Buffer, Launch};

/// Stores the words of `in` to the tile, fences the proxies, and then what thread 0 does.
fn stored(rest: &str) -> String {
    format!(
        "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 4; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r1, [%rd2];
        mad.lo.u32 %r2, %t, 4, %tile; st.shared.u32 [%r2], %r1; fence.proxy.async; bar.sync 0; {rest}"
    )
}

fn same_with_all_seeds(text: &str, launch: &Launch, buffers: &[Buffer]) -> Vec<u32> {
    let results = SEEDS.map(|seed| {
        let buffers = run_launch(text, launch.clone(), buffers.to_vec(), seed);
        buffers.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"))[0]
            .to_vec::<u32>()
            .unwrap()
    });
    assert!(results.iter().all(|other| *other == results[0]));
    results[0].clone()
}

/// `old` after a reduction of 128 bytes by `new`, in global memory and, where the instruction takes
/// such a destination, in another block.
fn reduced(op: &str, old: &[u32], new: &[u32]) -> Vec<u32> {
    let buffers = [Buffer::new("out", old), Buffer::new("in", new)];
    let launch = Launch::new("k", 1, 32).buffer(0).buffer(1);
    let body = stored(&format!(
        "@!%p1 bra END; cp.reduce.async.bulk.global.shared::cta.bulk_group.{op} [%out], [%tile], 128;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
    ));
    same_with_all_seeds(&kernel(".param .u64 in", "", &body), &launch, &buffers)
}

/// Reduces into the other block's tile.
fn reduced_in_cluster(op: &str, old: &[u32], new: &[u32]) -> Vec<u32> {
    let both: Vec<u32> = new.iter().chain(old).copied().collect();
    let buffers = [Buffer::zeroed::<u32>("out", 32), Buffer::new("in", &both)];
    let launch = Launch::new("k", 2, 32).buffer(0).buffer(1);
    // Block 0 has the new words in its tile, block 1 the old ones.
    let body = format!(
        "mov.u32 %r5, %cluster_ctarank; shl.b32 %r6, %r5, 5; add.u32 %r6, %r6, %t;
        @%p1 mbarrier.init.shared::cta.b64 [%bar], 1; setp.ne.and.u32 %p4, %r5, 0, %p1; @%p4 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
        ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r1, [%rd2];
        mad.lo.u32 %r2, %t, 4, %tile; st.shared.u32 [%r2], %r1; fence.proxy.async;
        barrier.cluster.arrive; barrier.cluster.wait;
        setp.ne.u32 %p4, %r5, 0; @%p4 bra WAIT; mov.u32 %r7, 1;
        mapa.shared::cluster.u32 %r8, %tile, %r7; mapa.shared::cluster.u32 %r9, %bar, %r7;
        @%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op} [%r8], [%tile], 128, [%r9];
        bra END;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
        ld.shared.u32 %r1, [%r2]; mul.wide.u32 %rd3, %t, 4; add.u64 %rd3, %rd3, %out; st.global.u32 [%rd3], %r1;
        END: barrier.cluster.arrive; barrier.cluster.wait;"
    );
    let text = kernel(".param .u64 in", ".reqnctapercluster 2, 1, 1", &body);
    same_with_all_seeds(&text, &launch, &buffers)
}

const WORDS: [(u32, u32); 8] = [
    (0, 0),
    (1, 2),
    (u32::MAX, 1),
    (7, 7),
    (8, 7),
    (0, 9),
    (0x8000_0000, 0x7fff_ffff),
    (5, u32::MAX),
];

#[test]
fn words() {
    let old: Vec<u32> = (0..32).map(|n| WORDS[n % 8].0).collect();
    let new: Vec<u32> = (0..32).map(|n| WORDS[n % 8].1).collect();
    type Op = (&'static str, fn(u32, u32) -> u32);
    let ops: [Op; 12] = [
        ("add.u32", u32::wrapping_add),
        ("add.s32", u32::wrapping_add),
        ("min.u32", u32::min),
        ("max.u32", u32::max),
        ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
        ("max.s32", |a, b| (a as i32).max(b as i32) as u32),
        ("and.b32", |a, b| a & b),
        ("or.b32", |a, b| a | b),
        ("xor.b32", |a, b| a ^ b),
        // Up to the operand, and down from it.
        ("inc.u32", |a, b| if a < b { a + 1 } else { 0 }),
        ("dec.u32", |a, b| if a == 0 || a > b { b } else { a - 1 }),
        (
            "inc.u32.L2::cache_hint",
            |a, b| if a < b { a + 1 } else { 0 },
        ),
    ];
    for (op, reference) in ops {
        let expected: Vec<u32> = (0..32).map(|n| reference(old[n], new[n])).collect();
        if let Some(op) = op.strip_suffix(".L2::cache_hint") {
            let hinted = format!("L2::cache_hint.{op}");
            let body = stored(&format!(
                "@!%p1 bra END; createpolicy.fractional.L2::evict_first.b64 %rd5, 0f3F800000;
                cp.reduce.async.bulk.global.shared::cta.bulk_group.{hinted} [%out], [%tile], 128, %rd5;
                cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
            ));
            let text = kernel(".param .u64 in", "", &body);
            let launch = Launch::new("k", 1, 32).buffer(0).buffer(1);
            let buffers = [Buffer::new("out", &old), Buffer::new("in", &new)];
            assert_eq!(same_with_all_seeds(&text, &launch, &buffers), expected);
            continue;
        }
        assert_eq!(reduced(op, &old, &new), expected, "{op}");
        assert_eq!(reduced_in_cluster(op, &old, &new), expected, "{op}");
    }
}

/// Each pair of a long and its operand as words, 16 of them.
fn longs(pairs: &[(u64, u64); 4]) -> (Vec<u32>, Vec<u32>) {
    let words = |n: u64| [n as u32, (n >> 32) as u32];
    let old = (0..16).flat_map(|n| words(pairs[n % 4].0)).collect();
    let new = (0..16).flat_map(|n| words(pairs[n % 4].1)).collect();
    (old, new)
}

#[test]
fn longs_of_64_bits() {
    let pairs = [
        (u64::MAX, 1),
        (0xffff_ffff, 0x1_0000_0001),
        (1 << 63, 1),
        (0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321),
    ];
    let (old, new) = longs(&pairs);
    type Op = (&'static str, fn(u64, u64) -> u64);
    let ops: [Op; 9] = [
        ("add.u64", u64::wrapping_add),
        ("min.u64", u64::min),
        ("max.u64", u64::max),
        ("min.s64", |a, b| (a as i64).min(b as i64) as u64),
        ("max.s64", |a, b| (a as i64).max(b as i64) as u64),
        ("and.b64", |a, b| a & b),
        ("or.b64", |a, b| a | b),
        ("xor.b64", |a, b| a ^ b),
        ("add.f64", |a, b| {
            (f64::from_bits(a) + f64::from_bits(b)).to_bits()
        }),
    ];
    for (op, reference) in ops {
        let pairs = match op {
            "add.f64" => [
                (0.1, 0.2),
                (1e300, -1e300),
                (f64::MIN_POSITIVE / 4.0, 5e-324),
                (1.0, 1e-17),
            ]
            .map(|(a, b): (f64, f64)| (a.to_bits(), b.to_bits())),
            _ => pairs,
        };
        let (old, new) = if op == "add.f64" {
            longs(&pairs)
        } else {
            (old.clone(), new.clone())
        };
        let (expected, _) = longs(&pairs.map(|(a, b)| (reference(a, b), 0)));
        assert_eq!(reduced(op, &old, &new), expected, "{op}");
        if op == "add.u64" {
            assert_eq!(reduced_in_cluster(op, &old, &new), expected);
        }
    }
}

#[test]
fn sums_of_single_precision_keep_subnormal_numbers() {
    let cases: [(u32, u32, u32); 8] = [
        // 1.5 + 2.25
        (0x3fc0_0000, 0x4010_0000, 0x4070_0000),
        // 2^24 + 1 is halfway, and 2^24 + 3 halfway above it.
        (0x4b80_0000, 0x3f80_0000, 0x4b80_0000),
        (0x4b80_0001, 0x3f80_0000, 0x4b80_0002),
        // The smallest numbers.
        (1, 1, 2),
        (0x0080_0000, 0x8000_0001, 0x007f_ffff),
        // Infinity less infinity, and a number beyond the largest.
        (0x7f80_0000, 0xff80_0000, 0x7fff_ffff),
        (0x7f7f_ffff, 0x7f7f_ffff, 0x7f80_0000),
        // -0 and +0
        (0x8000_0000, 0, 0),
    ];
    let word = |n: usize| cases[n % 8];
    let old: Vec<u32> = (0..32).map(|n| word(n).0).collect();
    let new: Vec<u32> = (0..32).map(|n| word(n).1).collect();
    let expected: Vec<u32> = (0..32).map(|n| word(n).2).collect();
    assert_eq!(reduced("add.f32", &old, &new), expected);
}

/// Pairs of halves and what becomes of them, repeated until they fill 32 words.
fn halves(cases: &[(u16, u16, u16)]) -> [Vec<u32>; 3] {
    let pick = |part: fn((u16, u16, u16)) -> u16| {
        let half = |n: usize| u32::from(part(cases[n % cases.len()]));
        (0..32)
            .map(|n| half(2 * n) | half(2 * n + 1) << 16)
            .collect()
    };
    [
        pick(|case| case.0),
        pick(|case| case.1),
        pick(|case| case.2),
    ]
}

#[test]
fn half_precision_is_rounded_to_nearest_even() {
    let sums = [
        // 2048 + 1 is halfway to 2050, 2050 + 1 halfway to 2052.
        (0x6800, 0x3c00, 0x6800),
        (0x6801, 0x3c00, 0x6802),
        // 0.1 + 0.2: 0x2e66 is 0.0999755859375, 0x3266 0.199951171875; their sum 0.2999267578125.
        (0x2e66, 0x3266, 0x34cc),
        // 65504 + 16 is halfway to what would be 65536; 65504 + 8 is not.
        (0x7bff, 0x4c00, 0x7c00),
        (0x7bff, 0x4800, 0x7bff),
        // Subnormal numbers stay: 2^-24 + 2^-24; 2^-14 - 2^-24.
        (0x0001, 0x0001, 0x0002),
        (0x0400, 0x8001, 0x03ff),
        // A NaN
        (0x7e01, 0x3c00, 0x7fff),
    ];
    let [old, new, expected] = halves(&sums);
    assert_eq!(reduced("add.noftz.f16", &old, &new), expected);
    let sums = [
        // 256 + 1 is halfway to 258, 258 + 1 to 260.
        (0x4380, 0x3f80, 0x4380),
        (0x4381, 0x3f80, 0x4382),
        // 1 + 2^-8 + a little, which does not fit: 1 + 2^-7 is next.
        (0x3f80, 0x3b81, 0x3f81),
        // The largest twice.
        (0x7f7f, 0x7f7f, 0x7f80),
        (0x0001, 0x0003, 0x0004),
        (0x0080, 0x8001, 0x007f),
        (0xff80, 0x7f80, 0x7fff),
        (0x8000, 0x0000, 0x0000),
    ];
    let [old, new, expected] = halves(&sums);
    assert_eq!(reduced("add.noftz.bf16", &old, &new), expected);
    // The order: a NaN yields to a number, and -0 is less than 0.
    let least = [
        (0x3c00, 0xbc00, 0xbc00),
        (0x0000, 0x8000, 0x8000),
        (0x7e00, 0x3c00, 0x3c00),
        (0xfc00, 0x7e00, 0xfc00),
    ];
    for ty in ["f16", "bf16"] {
        let nan = if ty == "f16" { 0x7e00 } else { 0x7fc0 };
        let of = |bits: u16| if bits == 0x7e00 { nan } else { bits };
        let [old, new, expected] = halves(&least.map(|(a, b, c)| (of(a), of(b), c)));
        assert_eq!(reduced(&format!("min.{ty}"), &old, &new), expected, "{ty}");
        let most = least.map(|(a, b, c)| {
            let other = if a == c { b } else { a };
            (of(a), of(b), if other == 0x7e00 { c } else { other })
        });
        let [old, new, expected] = halves(&most);
        assert_eq!(reduced(&format!("max.{ty}"), &old, &new), expected, "{ty}");
    }
}

/// Returns a tensor of 10 x 6 words, with rows of 12, after a reduction of the box of 8 x 4 words at (`x`,
/// `y`).
fn reduced_box(
    params: Params,
    op: &str,
    x: i32,
    y: i32,
    old: &[u32],
    new: &[u32],
) -> Result<Vec<u32>, String> {
    let body = stored(&format!(
        "@!%p1 bra END; mov.u64 %rd3, map; cvta.param.u64 %rd4, %rd3; mov.u32 %r4, {x}; mov.u32 %r5, {y};
        cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [%rd4, {{%r4, %r5}}], [%tile];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
    ));
    let text = kernel(".param .u64 in, .param .align 64 .b8 map[128]", "", &body);
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(params, 0);
    let buffers = vec![Buffer::new("out", old), Buffer::new("in", new)];
    let buffers = run_launch(&text, launch, buffers, 3).map_err(|failure| failure.to_string())?;
    Ok(buffers[0].to_vec().unwrap())
}

/// Returns a map of such a tensor with elements of this type; a word may hold several, or an element several
/// words.
fn words_of(data_type: DataType) -> Params {
    let length = |words: u64| words * 4 / data_type.bytes();
    TensorMap::tiled(data_type, &[length(10), 6])
        .strides_bytes(&[48])
        .box_dims(&[length(8) as u32, 4])
        .params()
}

#[test]
fn boxes_of_every_type() {
    let old: Vec<u32> = (0..72_u32).map(|n| n.wrapping_mul(0x8531_a5c7)).collect();
    let new: Vec<u32> = (0..32_u32)
        .map(|n| n.wrapping_mul(0x1234_5679) ^ 0x55)
        .collect();
    let long = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    type Reference = fn(u64, u64) -> u64;
    let of_words: [(DataType, &str, Reference); 9] = [
        (DataType::U32, "add", |a, b| {
            u64::from((a as u32).wrapping_add(b as u32))
        }),
        (DataType::U32, "inc", |a, b| if a < b { a + 1 } else { 0 }),
        (DataType::U32, "dec", |a, b| {
            if a == 0 || a > b { b } else { a - 1 }
        }),
        (DataType::U32, "xor", |a, b| a ^ b),
        (DataType::I32, "min", |a, b| {
            u64::from((a as i32).min(b as i32) as u32)
        }),
        (DataType::I32, "max", |a, b| {
            u64::from((a as i32).max(b as i32) as u32)
        }),
        (DataType::I32, "and", |a, b| a & b),
        (DataType::I32, "or", |a, b| a | b),
        (DataType::I32, "add", |a, b| {
            u64::from((a as u32).wrapping_add(b as u32))
        }),
    ];
    let of_longs: [(DataType, &str, Reference); 6] = [
        (DataType::U64, "add", u64::wrapping_add),
        (DataType::U64, "max", u64::max),
        (DataType::U64, "and", |a, b| a & b),
        (DataType::I64, "min", |a, b| (a as i64).min(b as i64) as u64),
        (DataType::I64, "max", |a, b| (a as i64).max(b as i64) as u64),
        (DataType::U64, "xor", |a, b| a ^ b),
    ];
    let cases = of_words
        .iter()
        .map(|case| (1, case))
        .chain(of_longs.iter().map(|case| (2, case)));
    for (words, (data_type, op, reference)) in cases {
        for (x, y) in [(0, 0), (4, 3), (8, 5)] {
            let got = reduced_box(words_of(*data_type), op, x / words, y, &old, &new).unwrap();
            let mut expected = old.clone();
            for row in 0..4 {
                for column in (0..8).step_by(words as usize) {
                    let (to_x, to_y) = (x + column, y + row);
                    // Rows have 10 words; the 16 bytes of the last reach to 12.
                    if to_x >= 12 || to_y >= 6 {
                        continue;
                    }
                    let (to, from) = ((to_y * 12 + to_x) as usize, (row * 8 + column) as usize);
                    if words == 1 {
                        expected[to] = reference(old[to].into(), new[from].into()) as u32;
                    } else {
                        let (a, b) = (long(old[to], old[to + 1]), long(new[from], new[from + 1]));
                        let result = reference(a, b);
                        expected[to] = result as u32;
                        expected[to + 1] = (result >> 32) as u32;
                    }
                }
            }
            assert_eq!(got, expected, "{op} of {data_type:?} at {x}, {y}");
        }
    }
    for (data_type, op) in [
        (DataType::F32, "max"),
        (DataType::F16, "inc"),
        (DataType::U8, "add"),
        (DataType::U64, "inc"),
        (DataType::I32, "dec"),
    ] {
        let message = reduced_box(words_of(data_type), op, 0, 0, &old, &new).unwrap_err();
        assert!(message.contains("there is no reduction"), "{message}");
    }
}

#[test]
fn boxes_of_floating_point_numbers() {
    // 2^-126 less the smallest number; twice the smallest; 1 + 1.
    let (old, new) = ([0x0080_0000, 1, 0x3f80_0000], [0x8000_0001, 1, 0x3f80_0000]);
    let fill =
        |words: [u32; 3], count: usize| -> Vec<u32> { (0..count).map(|n| words[n % 3]).collect() };
    // A row of the tensor has 12 words, one of the box 8: of the first row alone, both agree.
    for (data_type, sums) in [
        (DataType::F32, [0x007f_ffff, 2, 0x4000_0000]),
        (DataType::F32Ftz, [0x0080_0000, 0, 0x4000_0000]),
    ] {
        let got = reduced_box(
            words_of(data_type),
            "add",
            0,
            0,
            &fill(old, 72),
            &fill(new, 32),
        )
        .unwrap();
        assert_eq!(got[..8], fill(sums, 8), "{data_type:?}");
    }
    // Two halves a word: 1 + 2 and 2048 + 1; 256 + 1 in the other format.
    for (data_type, old, new, sum) in [
        (DataType::F16, 0x6800_3c00, 0x3c00_4000, 0x6800_4200),
        (DataType::Bf16, 0x4380_3f80, 0x3f80_4000, 0x4380_4040),
    ] {
        let got = reduced_box(words_of(data_type), "add", 8, 1, &[old; 72], &[new; 32]).unwrap();
        let inside = |n: usize| n % 12 >= 4 && (1..5).contains(&(n / 12));
        let expected: Vec<u32> = (0..72).map(|n| if inside(n) { sum } else { old }).collect();
        assert_eq!(got, expected, "{data_type:?}");
    }
    let half = |values: [f64; 2]| {
        values
            .map(|value| value.to_bits())
            .map(|bits| [bits as u32, (bits >> 32) as u32])
            .concat()
    };
    let old: Vec<u32> = half([0.1, 1e300]).repeat(18);
    let new: Vec<u32> = half([0.2, 1e284]).repeat(8);
    let got = reduced_box(words_of(DataType::F64), "add", 0, 2, &old, &new).unwrap();
    assert_eq!(got[24..28], half([0.1 + 0.2, 1e300 + 1e284]));
    assert_eq!(got[..24], old[..24]);
}

#[test]
fn a_column_of_pixels_is_reduced() {
    // 3 images of 5 pixels of 4 words; six pixels from the third pixel of image 1 on.
    let params = TensorMap::im2col(DataType::U32, &[4, 5, 3])
        .channels_per_pixel(4)
        .pixels_per_column(6)
        .params();
    let body = stored(
        "@!%p1 bra END; mov.u64 %rd3, map; cvta.param.u64 %rd4, %rd3; mov.u32 %r4, 0; mov.u32 %r5, 2; mov.u32 %r6, 1;
        cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group [%rd4, {%r4, %r5, %r6}], [%tile];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
    );
    let text = kernel(".param .u64 in, .param .align 64 .b8 map[128]", "", &body);
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(params, 0);
    let (old, new): (Vec<u32>, Vec<u32>) = ((1000..1060).collect(), (0..32).collect());
    let buffers = [Buffer::new("out", &old), Buffer::new("in", &new)];
    let got = same_with_all_seeds(&text, &launch, &buffers);
    let first = 4 * (5 + 2);
    let expected = (0..60).map(|n| match n {
        n if (first..first + 24).contains(&n) => 1000 + n + (n - first),
        n => 1000 + n,
    });
    assert_eq!(got, expected.collect::<Vec<u32>>());
}

/// PTX ISA 9.7.13.5: `atom.add.f32` keeps subnormal numbers in shared memory alone.
#[test]
fn atomic_sums_keep_subnormal_numbers_in_shared_memory_alone() {
    let add = |space: &str, address: &str| {
        let body = format!(
            ".shared .align 4 .b8 cell[4]; mov.u32 %r5, cell; mov.b32 %r2, 3; st.{space}.b32 [{address}], %r2; mov.b32 %r3, 0x00800000;
            atom.{space}.add.f32 %r4, [{address}], %r3; ld.{space}.b32 %r1, [{address}];
            st.global.b32 [%out], %r1;"
        );
        crate::common::run(&body, 1, 1).unwrap_or_else(|failure| panic!("{failure}"))[0]
    };
    assert_eq!(add("global", "%out"), 0x0080_0000);
    assert_eq!(add("shared", "%r5"), 0x0080_0003);
}
