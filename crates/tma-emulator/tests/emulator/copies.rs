//! mbarriers, bulk copies and tensor copies, within a block and a cluster.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel, wait_and_write, with_input},
    failure, run_launch,
};
use tensor_map::{DataType, Swizzle, TensorMap};
use tma_launch::{Buffer, Launch};

#[test]
fn a_bulk_copy_completes_the_phase_with_its_last_byte() {
    let input: Vec<u32> = (0..1024).map(|n| n * 3 + 1).collect();
    let body = format!(
        "{INIT} @!%p1 bra WAIT; ld.param.u64 %rd2, [in];
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 4096;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%rd2], 4096, [%bar];
        {}",
        wait_and_write(1024)
    );
    let text = kernel(".param .u64 in", "", &body);
    assert_eq!(
        with_input(
            &text,
            Launch::new("k", 1, 32).buffer(0).buffer(1),
            &input,
            1024
        ),
        input
    );
}

#[test]
fn a_store_and_a_reduction_are_awaited_by_their_groups() {
    let body = "mad.lo.u32 %r1, %t, 4, %tile; st.shared.u32 [%r1], %t; fence.proxy.async.shared::cta; bar.sync 0;
        @!%p1 bra END; add.u64 %rd2, %out, 256;
        cp.async.bulk.global.shared::cta.bulk_group [%out], [%tile], 128; cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%tile], 128;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%rd2], [%tile], 128;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; END:";
    let text = kernel(".param .u64 in", "", body);
    let out = with_input(&text, Launch::new("k", 1, 32).buffer(0).buffer(1), &[0], 96);
    assert_eq!(out[..32], (0..32).map(|t| 2 * t).collect::<Vec<u32>>());
    assert_eq!(out[64..], (0..32).collect::<Vec<u32>>());
}

#[test]
fn blocks_of_a_cluster_send_bytes_and_arrive_at_each_other() {
    // Each block sends its tile to the next one, and the barrier there counts the bytes.
    let body = format!(
        "{INIT} mov.u32 %r4, %cluster_ctarank; shl.b32 %r5, %r4, 8; add.u32 %r5, %r5, %t;
        mad.lo.u32 %r6, %t, 4, %tile; st.shared.u32 [%r6+4096], %r5; fence.proxy.async;
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd9, [%bar], 128;
        barrier.cluster.arrive; barrier.cluster.wait;
        add.u32 %r7, %r4, 1; and.b32 %r7, %r7, 3;
        mapa.shared::cluster.u32 %r8, %tile, %r7; mapa.shared::cluster.u32 %r9, %bar, %r7; add.u32 %r10, %tile, 4096;
        @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r10], 128, [%r9];
        mul.wide.u32 %rd8, %r4, 128; add.u64 %out, %out, %rd8;
        {}
        barrier.cluster.arrive; barrier.cluster.wait;",
        wait_and_write(32)
    );
    let text = kernel(".param .u64 in", ".reqnctapercluster 4, 1, 1", &body);
    let out = with_input(
        &text,
        Launch::new("k", 4, 32).buffer(0).buffer(1),
        &[0],
        128,
    );
    let expected: Vec<u32> = (0..128).map(|n| (n / 32 + 3) % 4 * 256 + n % 32).collect();
    assert_eq!(out, expected);
}

#[test]
fn a_multicast_reaches_every_block_of_its_mask() {
    let body = format!(
        "{INIT} @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd9, [%bar], 128;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r4, %cluster_ctarank; setp.eq.and.u32 %p4, %r4, 1, %p1; ld.param.u64 %rd2, [in]; mov.u16 %h1, 3;
        @%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%tile], [%rd2], 128, [%bar], %h1;
        mul.wide.u32 %rd8, %r4, 128; add.u64 %out, %out, %rd8;
        {}
        barrier.cluster.arrive; barrier.cluster.wait;",
        wait_and_write(32)
    );
    let text = kernel(".param .u64 in", ".reqnctapercluster 2, 1, 1", &body);
    let input: Vec<u32> = (100..132).collect();
    let out = with_input(
        &text,
        Launch::new("k", 2, 32).buffer(0).buffer(1),
        &input,
        64,
    );
    assert_eq!(out, [input.clone(), input].concat());
}

/// Loads the box at (`x`, `y`) of a 10 x 6 tensor of words.
fn load_box(swizzle: Swizzle, x: i32, y: i32) -> Vec<u32> {
    let body = format!(
        "mad.lo.u32 %r2, %t, 16, %tile; mov.u32 %r3, 0;
        st.shared.v4.u32 [%r2], {{%r3, %r3, %r3, %r3}}; fence.proxy.async.shared::cta;
        {INIT} @!%p1 bra WAIT; cvta.param.u64 %rd2, map; mov.u32 %r4, {x}; mov.u32 %r5, {y};
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%rd2, {{%r4, %r5}}], [%bar];
        {}",
        wait_and_write(128)
    );
    let text = kernel(".param .align 64 .b8 map[128]", "", &body);
    let params = TensorMap::tiled(DataType::U32, &[10, 6])
        .strides_bytes(&[48])
        .box_dims(&[8, 4])
        .swizzle(swizzle)
        .params();
    let launch = Launch::new("k", 1, 32).buffer(0).tensor_map(params, 1);
    let input: Vec<u32> = (0..72).map(|n| n / 12 * 100 + n % 12 + 1).collect();
    with_input(&text, launch, &input, 128)
}

/// The value of an element, zero outside.
fn element(x: i32, y: i32) -> u32 {
    let inside = (0..10).contains(&x) && (0..6).contains(&y);
    if inside { (y * 100 + x + 1) as u32 } else { 0 }
}

#[test]
fn a_tensor_load_fills_what_is_outside_with_zeros() {
    for (x, y) in [(0, 0), (4, 3), (-4, -2), (8, 5), (100, 0)] {
        let tile = load_box(Swizzle::None, x, y);
        let expected = (0..32).map(|n| element(x + n % 8, y + n / 8));
        assert_eq!(tile[..32], expected.collect::<Vec<_>>(), "at {x}, {y}");
    }
}

#[test]
fn a_swizzle_follows_the_shared_address() {
    // A row of 32 bytes takes a span of 128, with its pieces of 16 bytes permuted by the row.
    let tile = load_box(Swizzle::B128, 0, 0);
    for row in 0..4_usize {
        for column in 0..8_usize {
            let piece = (column / 4) ^ row;
            let at = row * 32 + piece * 4 + column % 4;
            assert_eq!(
                tile[at],
                element(column as i32, row as i32),
                "{column}, {row}"
            );
        }
    }
}

/// Stores, or reduces, a box of the threads' numbers at (`x`, `y`).
fn store_box(instruction: &str, x: i32, y: i32) -> Result<Vec<u32>, tma_launch::Failure> {
    let body = format!(
        "mad.lo.u32 %r1, %t, 4, %tile; add.u32 %r2, %t, 1000; st.shared.u32 [%r1], %r2; fence.proxy.async.shared::cta; bar.sync 0;
        @!%p1 bra END; mov.u64 %rd3, map; cvta.param.u64 %rd2, %rd3; mov.u32 %r4, {x}; mov.u32 %r5, {y};
        {instruction} [%rd2, {{%r4, %r5}}], [%tile];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
    );
    let text = kernel(".param .align 64 .b8 map[128]", "", &body);
    let params = TensorMap::tiled(DataType::U32, &[10, 6])
        .strides_bytes(&[48])
        .box_dims(&[8, 4])
        .params();
    let launch = Launch::new("k", 1, 32).buffer(0).tensor_map(params, 1);
    let input: Vec<u32> = (0..72).collect();
    let buffers = vec![Buffer::zeroed::<u32>("out", 1), Buffer::new("in", &input)];
    Ok(run_launch(&text, launch, buffers, 7)?[1].to_vec().unwrap())
}

#[test]
fn a_tensor_store_is_cut_at_sixteen_bytes() {
    let stored = store_box(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
        4,
        4,
    )
    .unwrap();
    for (at, word) in (0_u32..).zip(stored) {
        let (x, y) = (at % 12, at / 12);
        // Rows have 10 elements; the 16 bytes of the last reach to 12.
        let inside = (4..12).contains(&x) && (4..6).contains(&y);
        assert_eq!(
            word,
            if inside {
                1000 + (y - 4) * 8 + x - 4
            } else {
                at
            },
            "{x}, {y}"
        );
    }
    let outside = store_box(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
        12,
        0,
    );
    assert_eq!(outside.unwrap(), (0..72).collect::<Vec<u32>>());
    let reduced = store_box(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
        0,
        0,
    )
    .unwrap();
    assert_eq!(reduced[12 * 2 + 3], 12 * 2 + 3 + 1000 + 2 * 8 + 3);
}

#[test]
fn cp_async_copies_and_fills_with_zeros() {
    let body = "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 16; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 16, %tile;
        cp.async.cg.shared.global [%r1], [%rd2], 16, 8; cp.async.commit_group; cp.async.wait_group 0;
        ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r1]; add.u64 %rd4, %out, %rd3; st.global.v4.u32 [%rd4], {%r2, %r3, %r4, %r5};";
    let input: Vec<u32> = (1..=128).collect();
    let out = with_input(
        &kernel(".param .u64 in", "", body),
        Launch::new("k", 1, 32).buffer(0).buffer(1),
        &input,
        128,
    );
    let expected: Vec<u32> = (0..128)
        .map(|n| if n % 4 < 2 { n + 1 } else { 0 })
        .collect();
    assert_eq!(out, expected);
}

#[test]
fn tokens_and_counts_of_an_mbarrier() {
    // 32 arrivals are one step: all lanes get the same count; the phase completes with them.
    let body = "{ .shared .align 8 .b64 b; mov.u32 %r2, b; setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%r2], 32; bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %rd1, [%r2]; mbarrier.pending_count.b64 %r1, %rd1;
        mbarrier.test_wait.shared::cta.b64 %p2, [%r2], %rd1; selp.u32 %r3, 1000, 0, %p2; add.u32 %r1, %r1, %r3; }
        mul.wide.u32 %rd9, %t, 4; add.s64 %rd9, %rd9, %out; st.global.u32 [%rd9], %r1;";
    assert_eq!(crate::common::run(body, 32, 32).unwrap(), [1032; 32]);
    // After a drop, later phases expect fewer.
    let body = "{ .shared .align 8 .b64 b; mov.u32 %r2, b; mbarrier.init.shared::cta.b64 [%r2], 2;
        mbarrier.arrive_drop.shared::cta.b64 _, [%r2]; mbarrier.arrive.shared::cta.b64 _, [%r2];
        mbarrier.arrive.shared::cta.b64 %rd1, [%r2]; mbarrier.test_wait.shared::cta.b64 %p2, [%r2], %rd1; selp.u32 %r1, 1, 0, %p2; }
        st.global.u32 [%out], %r1;";
    assert_eq!(crate::common::run(body, 1, 1).unwrap(), [1]);
}

#[test]
fn what_stops_a_gpu_stops_the_emulator() {
    let barrier = |rest: &str| {
        let body = format!(
            "{{ .shared .align 128 .b8 buffer[256]; .shared .align 8 .b64 b; mov.u32 %r2, b; mov.u32 %r3, buffer; {rest} }}"
        );
        failure(&body, 32)
    };
    let contains_all = |message: String, parts: &[&str]| {
        for part in parts {
            assert!(message.contains(part), "`{part}` is missing from {message}");
        }
    };
    contains_all(
        barrier("mbarrier.arrive.shared::cta.b64 _, [%r2];"),
        &["not initialised", "LAUNCH_FAILED"],
    );
    contains_all(
        barrier(
            "mbarrier.init.shared::cta.b64 [%r2], 1; mbarrier.arrive.shared::cta.b64 _, [%r2];",
        ),
        &[
            "32 arrivals in phase 0, which expects 1 more",
            "LAUNCH_FAILED",
        ],
    );
    contains_all(
        barrier("mbarrier.init.shared::cta.b64 [%r2+4], 1;"),
        &["MISALIGNED_ADDRESS"],
    );
    contains_all(
        barrier("cp.async.bulk.global.shared::cta.bulk_group [%out+8], [%r3], 16;"),
        &[
            "the destination 0x7f0000000008 is not a multiple of 16",
            "MISALIGNED_ADDRESS",
        ],
    );
    contains_all(
        barrier("cp.async.bulk.global.shared::cta.bulk_group [%out], [%r3], 512;"),
        &[
            "the copy's 512 bytes at 0x7f0000000000 are in no allocation",
            "ILLEGAL_ADDRESS",
        ],
    );
    let store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group";
    let unaligned = store_box(store, 1, 0).unwrap_err().to_string();
    contains_all(
        unaligned,
        &[
            "coordinate 1 of dimension 0 must be a multiple of 16 bytes",
            "ILLEGAL_INSTRUCTION",
        ],
    );
    let negative = store_box(store, 0, -1).unwrap_err().to_string();
    contains_all(
        negative,
        &[
            "coordinate -1 of dimension 1 must not be negative in a store",
            "ILLEGAL_INSTRUCTION",
        ],
    );
}

#[test]
fn a_deadlock_at_an_mbarrier_shows_its_arithmetic() {
    let body = format!(
        "{INIT} @!%p1 bra WAIT; ld.param.u64 %rd2, [in];
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%rd2], 128, [%bar];
        {}",
        wait_and_write(32)
    );
    let text = kernel(".param .u64 in", "", &body);
    for seed in SEEDS {
        let buffers = vec![
            Buffer::zeroed::<u32>("out", 32),
            Buffer::zeroed::<u32>("in", 32),
        ];
        let message = run_launch(
            &text,
            Launch::new("k", 1, 32).buffer(0).buffer(1),
            buffers,
            seed,
        )
        .unwrap_err()
        .to_string();
        let wanted = "1 of 1 arrivals came, 128 of 256 expected bytes came, 128 bytes are missing";
        assert!(
            message.contains("deadlock") && message.contains(wanted),
            "{message}"
        );
        assert!(
            message.contains(
                "`mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64` waits for phase 0"
            ),
            "{message}"
        );
    }
}

#[test]
fn fences_and_hints_of_every_kind_are_known() {
    let body = "fence.acq_rel.gpu; fence.sc.cluster; fence.release.cta; membar.sys; fence.proxy.alias;
        fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta; fence.mbarrier_init.release.cluster;
        fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%out+128], 128;
        cp.async.bulk.prefetch.L2.global [%out], 32; prefetch.global.L2 [%out]; prefetch.tensormap [%out];
        griddepcontrol.wait; griddepcontrol.launch_dependents; nanosleep.u32 20; pmevent 1;
        mov.u32 %r1, 1; st.global.u32 [%out], %r1;";
    assert_eq!(crate::common::run(body, 1, 1).unwrap(), [1]);
}
