//! Forms of copies that came after sm_90: rows, wide im2col, pairs of blocks, masks of bytes.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel, refused_map, wait_and_write, with_input},
    run_launch,
};
use tensor_map::{DataType, Params, TensorMap};
use tma_launch::{Buffer, Launch};

/// A tensor of 10 x 6 words with rows of 12 words.
fn words() -> Vec<u32> {
    (0..72).map(|n| n / 12 * 100 + n % 12 + 1).collect()
}

fn rows_of_eight() -> Params {
    TensorMap::tiled(DataType::U32, &[10, 6])
        .strides_bytes(&[48])
        .box_dims(&[8, 1])
        .params()
}

fn map_kernel(body: &str) -> String {
    kernel(".param .u64 in, .param .align 64 .b8 map[128]", "", body)
}

/// Loads by the map at these coordinates and returns `words` words of the tile.
fn loaded(
    mode: &str,
    dims: usize,
    coordinates: &[i32],
    more: &str,
    params: Params,
    input: &[u32],
    words: u32,
) -> Vec<u32> {
    let names: Vec<String> = (0..coordinates.len())
        .map(|n| format!("%r{}", n + 4))
        .collect();
    let moves: String = names
        .iter()
        .zip(coordinates)
        .map(|(name, at)| format!("mov.u32 {name}, {at};"))
        .collect();
    let body = format!(
        "{INIT} @!%p1 bra WAIT; mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2; {moves}
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {};
        cp.async.bulk.tensor.{dims}d.shared::cta.global.{mode}.mbarrier::complete_tx::bytes [%tile], [%rd2, {{{}}}], [%bar]{more};
        {}",
        4 * words,
        names.join(", "),
        wait_and_write(words)
    );
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(params, 1);
    with_input(&map_kernel(&body), launch, input, words as usize)
}

#[test]
fn four_rows_are_gathered() {
    for (column, rows) in [(0, [0, 1, 2, 3]), (4, [5, 0, 5, 6]), (-4, [-1, 2, 100, 3])] {
        let coordinates = [&[column], &rows[..]].concat();
        let got = loaded(
            "tile::gather4",
            2,
            &coordinates,
            "",
            rows_of_eight(),
            &words(),
            32,
        );
        let expected = (0..32).map(|n| {
            let (x, y) = (column + n % 8, rows[n as usize / 8]);
            let inside = (0..10).contains(&x) && (0..6).contains(&y);
            if inside { (y * 100 + x + 1) as u32 } else { 0 }
        });
        assert_eq!(got, expected.collect::<Vec<_>>(), "{coordinates:?}");
    }
}

/// Stores or reduces four rows of the numbers 1000, 1001 ... into zeros.
fn scattered(instruction: &str, column: i32, rows: [i32; 4]) -> Result<Vec<u32>, String> {
    let [a, b, c, d] = rows;
    let body = format!(
        "mad.lo.u32 %r1, %t, 4, %tile; add.u32 %r2, %t, 1000; st.shared.u32 [%r1], %r2; fence.proxy.async.shared::cta; bar.sync 0;
        @!%p1 bra END; mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2; mov.u32 %r4, {column};
        mov.u32 %r5, {a}; mov.u32 %r6, {b}; mov.u32 %r7, {c}; mov.u32 %r8, {d};
        {instruction} [%rd2, {{%r4, %r5, %r6, %r7, %r8}}], [%tile];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
    );
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(rows_of_eight(), 1);
    let buffers = vec![
        Buffer::zeroed::<u32>("out", 1),
        Buffer::zeroed::<u32>("in", 72),
    ];
    let buffers = run_launch(&map_kernel(&body), launch, buffers, 7)
        .map_err(|failure| failure.to_string())?;
    Ok(buffers[1].to_vec().unwrap())
}

#[test]
fn four_rows_are_scattered() {
    let store = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group";
    for (column, rows) in [(0, [3, 0, 5, 1]), (4, [2, 6, 4, 0])] {
        let got = scattered(store, column, rows).unwrap();
        let mut expected = vec![0; 72];
        for (row, y) in rows.iter().enumerate().filter(|(_, y)| **y < 6) {
            // A row has 10 words; the 16 bytes of the last reach to 12.
            for x in (0..8).filter(|x| x + column < 12) {
                expected[(y * 12 + x + column) as usize] = 1000 + 8 * row as u32 + x as u32;
            }
        }
        assert_eq!(got, expected, "{column}, {rows:?}");
    }
    let add = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group";
    let got = scattered(add, 0, [1, 1, 1, 2]).unwrap();
    assert_eq!(
        got[12..20],
        [0, 1, 2, 3, 4, 5, 6, 7].map(|x| 3 * (1008 + x))
    );
    let message = scattered(store, 0, [0, -1, 0, 0]).unwrap_err();
    assert!(
        message.contains("coordinate -1 of dimension 1 must not be negative in a store"),
        "{message}"
    );
}

/// Pixels of four words: image, W and channel can be read off each.
fn pixels(w: u32, images: u32) -> Vec<u32> {
    (0..4 * w * images)
        .map(|n| n / (4 * w) * 10_000 + n / 4 % w * 10 + n % 4 + 1)
        .collect()
}

#[test]
fn pixels_along_w_with_their_halo() {
    // Five pixels along W, restricted by the pixel box to -1 to 4; three images.
    let params = TensorMap::im2col_wide(DataType::U32, &[4, 5, 3])
        .pixel_box(-1, -1)
        .channels_per_pixel(4)
        .pixels_per_column(7)
        .params();
    let pixel = |w: i32, image: i32| -> [u32; 4] {
        let inside = (0..5).contains(&w) && (0..3).contains(&image);
        let word = |c| {
            if inside {
                (image * 10_000 + w * 10 + c + 1) as u32
            } else {
                0
            }
        };
        [0, 1, 2, 3].map(word)
    };
    let got = |mode, more: &str, pixels: u32| {
        let words = 4 * pixels;
        loaded(
            mode,
            3,
            &[0, 2, 0],
            more,
            params,
            &self::pixels(5, 3),
            words,
        )
    };
    let load = got("im2col::w", ", {0, 0}", 7);
    let coords = [(2, 0), (3, 0), (-1, 1), (0, 1), (1, 1), (2, 1), (3, 1)];
    assert_eq!(load, coords.map(|(w, image)| pixel(w, image)).concat());
    // Two more of a halo; an offset of one moves the first pixel and the box.
    let load = got("im2col::w", ", {2, 1}", 9);
    let coords = [
        (3, 0),
        (4, 0),
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),
        (0, 2),
        (1, 2),
    ];
    assert_eq!(load, coords.map(|(w, image)| pixel(w, image)).concat());
    // 128 pixels, independent of the map, and three more after each 32.
    let load = got("im2col::w::128", ", {3, 0}", 140);
    let walk: Vec<(i32, i32)> = (0..132)
        .map(|n| n + 3)
        .map(|n| (n % 5 - 1, n / 5))
        .collect();
    let expected = (0..4_usize).flat_map(|group| walk[32 * group..32 * group + 35].to_vec());
    let expected: Vec<u32> = expected.flat_map(|(w, image)| pixel(w, image)).collect();
    assert_eq!(load, expected);
}

#[test]
fn the_mode_of_the_instruction_is_that_of_the_map() {
    let im2col = TensorMap::im2col(DataType::U32, &[4, 5, 3])
        .channels_per_pixel(4)
        .params();
    let tiled = TensorMap::tiled(DataType::U32, &[4, 5, 3])
        .box_dims(&[4, 1, 1])
        .params();
    for (params, mode, more, message) in [
        (
            im2col,
            "tile",
            "",
            "has the mode `.tile`, but the map is an im2col map",
        ),
        (
            tiled,
            "im2col",
            ", {0}",
            "has the mode `.im2col`, but the map is a tiled map",
        ),
        (
            tiled,
            "im2col::w",
            ", {0, 0}",
            "has the mode `.im2col::w`, but the map is a tiled map",
        ),
        (
            im2col,
            "im2col::w",
            ", {512, 0}",
            "the halo is 512; must be 0 to 511 in a wide load",
        ),
    ] {
        let body = format!(
            "{INIT} mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2; mov.u32 %r4, 0;
            @%p1 cp.async.bulk.tensor.3d.shared::cta.global.{mode}.mbarrier::complete_tx::bytes [%tile], [%rd2, {{%r4, %r4, %r4}}], [%bar]{more};"
        );
        let failure = refused_map(&map_kernel(&body), params, 72);
        assert!(failure.contains(message), "{failure}");
    }
}

/// Loads two rows of eight words with `modifiers` in block 1 of clusters of four, with the barrier in block `at`.
/// Each block writes its tile's first words once its barrier completes, if it waits for `bytes[block]`.
fn paired(modifiers: &str, mask: &str, at: u32, bytes: [u32; 4]) -> Result<Vec<u32>, String> {
    let [a, b, c, d] = bytes;
    let body = format!(
        "mad.lo.u32 %r1, %t, 4, %tile; mov.u32 %r2, 0; st.shared.u32 [%r1], %r2; fence.proxy.async.shared::cta;
        {INIT} mov.u32 %r10, %cluster_ctarank; mov.u32 %r11, {a};
        setp.eq.u32 %p4, %r10, 1; selp.u32 %r11, {b}, %r11, %p4; setp.eq.u32 %p4, %r10, 2; selp.u32 %r11, {c}, %r11, %p4;
        setp.eq.u32 %p4, %r10, 3; selp.u32 %r11, {d}, %r11, %p4;
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], %r11;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2; mov.u32 %r4, 0; mov.u32 %r5, 2; mov.u32 %r6, {at}; mov.u16 %h1, 13;
        mapa.shared::cluster.u32 %r9, %bar, %r6; setp.eq.and.u32 %p4, %r10, 1, %p1;
        @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{modifiers} [%tile], [%rd2, {{%r4, %r5}}], [%r9]{mask};
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
        barrier.cluster.arrive; barrier.cluster.wait;
        setp.lt.u32 %p3, %t, 16; mad.lo.u32 %r1, %t, 4, %tile; ld.shared.u32 %r2, [%r1];
        shl.b32 %r3, %r10, 4; add.u32 %r3, %r3, %t; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd3, %out; @%p3 st.global.u32 [%rd3], %r2;"
    );
    let text = kernel(
        ".param .u64 in, .param .align 64 .b8 map[128]",
        ".reqnctapercluster 4, 1, 1",
        &body,
    );
    let params = TensorMap::tiled(DataType::U32, &[10, 6])
        .strides_bytes(&[48])
        .box_dims(&[8, 2])
        .params();
    let launch = Launch::new("k", 4, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(params, 1);
    let results = SEEDS.map(|seed| {
        let buffers = vec![
            Buffer::zeroed::<u32>("out", 64),
            Buffer::new("in", &words()),
        ];
        let buffers = run_launch(&text, launch.clone(), buffers, seed);
        buffers
            .map_err(|failure| failure.to_string())
            .map(|buffers| buffers[0].to_vec::<u32>().unwrap())
    });
    assert!(
        results
            .iter()
            .all(|result| result.is_ok() == results[0].is_ok())
    );
    results.into_iter().next().unwrap()
}

#[test]
fn a_pair_of_blocks_shares_a_barrier() {
    let tile: Vec<u32> = (0..16).map(|n| (n / 8 + 2) * 100 + n % 8 + 1).collect();
    let of = |blocks: [bool; 4]| -> Vec<u32> {
        blocks
            .iter()
            .flat_map(|has| if *has { tile.clone() } else { vec![0; 16] })
            .collect()
    };
    let only_1 = of([false, true, false, false]);
    assert_eq!(
        paired(".cta_group::1", "", 1, [0, 64, 0, 0]),
        Ok(only_1.clone())
    );
    assert_eq!(
        paired(".cta_group::2", "", 1, [0, 64, 0, 0]),
        Ok(only_1.clone())
    );
    assert_eq!(paired(".cta_group::2", "", 0, [64, 0, 0, 0]), Ok(only_1));
    // Blocks 0, 2 and 3 get it; the even ones count, or the odd ones.
    let several = of([true, false, true, true]);
    let both = ".multicast::cluster.cta_group::2";
    assert_eq!(
        paired(both, ", %h1", 0, [64, 0, 128, 0]),
        Ok(several.clone())
    );
    assert_eq!(
        paired(both, ", %h1", 1, [0, 64, 0, 128]),
        Ok(several.clone())
    );
    let alone = ".multicast::cluster";
    assert_eq!(paired(alone, ", %h1", 1, [64, 0, 64, 64]), Ok(several));
    for (modifiers, at) in [("", 0), (".cta_group::1", 0), (".cta_group::2", 2)] {
        let message = paired(modifiers, "", at, [0; 4]).unwrap_err();
        assert!(
            message.contains(&format!("the barrier has rank {at} in the cluster")),
            "{message}"
        );
    }
}

#[test]
fn a_mask_picks_bytes_of_each_sixteen() {
    let stored = |mask: u16| {
        let body = format!(
            "mad.lo.u32 %r1, %t, 4, %tile; mad.lo.u32 %r2, %t, 0x04040404, 0x04030201; st.shared.u32 [%r1], %r2;
            fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra END; mov.u16 %h1, {mask}; mov.u64 %rd3, 0;
            cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%tile], 48, %h1;
            cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%out+48], [%tile+48], 16, %rd3, %h1;
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
        );
        let text = kernel(".param .u64 in", "", &body);
        let out = with_input(&text, Launch::new("k", 1, 32).buffer(0).buffer(1), &[0], 16);
        out.into_iter()
            .flat_map(u32::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    for mask in [0xffff, 0, 0b1010_0000_0111_0001, 0x8001] {
        let byte = |n: u8| if mask >> (n % 16) & 1 != 0 { n + 1 } else { 0 };
        assert_eq!(
            stored(mask),
            (0..64).map(byte).collect::<Vec<_>>(),
            "{mask:#x}"
        );
    }
}
