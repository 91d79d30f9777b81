//! Counts of bulk and tensor copies, and of their bytes in flight.

use tensor_map::{DataType, L2Promotion, Params, Swizzle, TensorMap};
use tma_emulator::{
    EmulatorBackend, Performance,
    performance::{ByPtxas, CopyCounts, PerformanceReport},
};
use tma_launch::{Buffer, Job, Launch, Ptx};

use super::counted;
use crate::common::copies;

/// Counts the copies of a kernel with a map of `in`, which has `words` words.
fn of_map(copy: &str, map: impl Into<Params>, words: usize) -> CopyCounts {
    let body = format!("{} {copy}", copies::INIT);
    let text = copies::kernel(
        ".param .u64 in, .param .align 64 .b8 map[128]",
        "",
        &format!(".reg .b64 %in; ld.param.u64 %in, [in]; {body}"),
    );
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(map, 1);
    let buffers = [
        Buffer::zeroed::<u32>("out", 4096),
        Buffer::zeroed::<u32>("in", words),
    ];
    let report = counted(&text, &launch, &buffers);
    let [line] = &report.copies[..] else {
        panic!("{:?}", report.copies);
    };
    line.counts
}

/// Loads the box at these coordinates and waits for its `bytes`.
fn load(x: i32, y: i32, bytes: u32) -> String {
    format!(
        "mov.b64 %rd2, map; cvta.param.u64 %rd2, %rd2;
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {bytes};
        @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%rd2, {{{x}, {y}}}], [%bar];
        {}",
        copies::wait_and_write(0)
    )
}

/// Copies, bytes of the box, bytes inside, bytes of sectors, bytes of a row.
fn bytes(counts: &CopyCounts) -> [u64; 5] {
    [
        counts.copies,
        counts.box_bytes,
        counts.inside_bytes,
        counts.sector_bytes,
        counts.row_bytes,
    ]
}

#[test]
fn boxes_are_compared_with_their_sectors() {
    let map = |box_dims: [u32; 2]| TensorMap::tiled(DataType::F32, &[64, 32]).box_dims(&box_dims);
    // Rows of 32 bytes at multiples of 32.
    let counts = of_map(&load(8, 3, 128), map([8, 4]), 2048);
    assert_eq!(bytes(&counts), [1, 128, 128, 128, 32]);
    // Rows of 32 bytes from 16 on: two sectors each.
    let counts = of_map(&load(12, 3, 128), map([8, 4]), 2048);
    assert_eq!(bytes(&counts), [1, 128, 128, 256, 32]);
    // Rows of 16 bytes: half a sector each.
    let counts = of_map(&load(4, 3, 64), map([4, 4]), 2048);
    assert_eq!(bytes(&counts), [1, 64, 64, 128, 16]);
    // The last 4 of 8 columns, and 2 of 4 rows, are outside: 2 rows of 16 bytes are inside.
    let counts = of_map(&load(60, 30, 128), map([8, 4]), 2048);
    assert_eq!(bytes(&counts), [1, 128, 32, 64, 32]);
}

#[test]
fn swizzled_boxes_have_the_same_sectors() {
    let map = TensorMap::tiled(DataType::F32, &[64, 32])
        .box_dims(&[32, 8])
        .swizzle(Swizzle::B128)
        .l2_promotion(L2Promotion::B256);
    let counts = of_map(&load(16, 5, 1024), map, 2048);
    assert_eq!(bytes(&counts), [1, 1024, 1024, 1024, 128]);
    // Rows of 128 bytes from 64 on, at a pitch of 256 bytes: a unit of 256 bytes for each of 8 rows.
    assert_eq!((counts.promotion_bytes, counts.promoted_bytes), (256, 2048));
}

#[test]
fn stores_of_boxes_count_what_is_outside() {
    let store = "mov.b64 %rd2, map; cvta.param.u64 %rd2, %rd2;
        @%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {60, 31}], [%tile];
        @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
    let map = TensorMap::tiled(DataType::F32, &[64, 32]).box_dims(&[8, 4]);
    let counts = of_map(store, map, 2048);
    // One row of 4 elements is inside.
    assert_eq!(bytes(&counts), [1, 128, 16, 32, 32]);
    assert!(counts.stores);
}

#[test]
fn bulk_copies_begin_and_end_in_sectors() {
    let copy = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 160;
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%in+48], 160, [%bar];";
    let map = TensorMap::tiled(DataType::F32, &[64, 32]).box_dims(&[8, 4]);
    let counts = of_map(&format!("{copy} {}", copies::wait_and_write(0)), map, 2048);
    // Bytes 48 to 208: sectors 1 to 6.
    assert_eq!(bytes(&counts), [1, 160, 160, 192, 0]);
}

#[test]
fn a_multicast_fetches_once() {
    let body = format!(
        "{} @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd9, [%bar], 128;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r4, %cluster_ctarank; setp.eq.and.u32 %p4, %r4, 1, %p1; ld.param.u64 %rd2, [in]; mov.u16 %h1, 3;
        @%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%tile], [%rd2], 128, [%bar], %h1;
        {} barrier.cluster.arrive; barrier.cluster.wait;",
        copies::INIT,
        copies::wait_and_write(0)
    );
    let text = copies::kernel(".param .u64 in", ".reqnctapercluster 2, 1, 1", &body);
    let launch = Launch::new("k", 2, 32).buffer(0).buffer(1);
    let buffers = [
        Buffer::zeroed::<u32>("out", 64),
        Buffer::zeroed::<u32>("in", 32),
    ];
    let report = counted(&text, &launch, &buffers);
    assert_eq!(bytes(&report.copies[0].counts), [1, 128, 128, 128, 0]);
    // Each block waits for its own 128 bytes.
    assert_eq!(report.flights[0].counts.block_bytes, 128);
}

#[test]
fn loads_are_in_flight_until_a_thread_has_waited() {
    let load = |at: u32, bytes: u32| {
        format!(
            "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {bytes};
            @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile+{at}], [%in+{at}], {bytes}, [%bar];"
        )
    };
    let wait = |parity: u32, name: &str| {
        format!(
            "{name}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], {parity}; @!%p2 bra {name}; bar.sync 0;"
        )
    };
    let most = |body: &str| {
        let body = format!(
            ".reg .b64 %in; ld.param.u64 %in, [in]; {} {body}",
            copies::INIT
        );
        let text = copies::kernel(".param .u64 in", "", &body);
        let launch = Launch::new("k", 1, 128).buffer(0).buffer(1);
        let buffers = [
            Buffer::zeroed::<u32>("out", 1),
            Buffer::zeroed::<u32>("in", 2048),
        ];
        let of_seed = |seed: u64| {
            let mut job = Job::new(Ptx {
                name: "test.ptx",
                text: &text,
            });
            job.buffers = buffers.to_vec();
            job.launch(launch.clone());
            let mut performance = Performance::default();
            let backend = EmulatorBackend::new(seed);
            backend.observe(&mut job, &mut performance).unwrap();
            performance.finish().flights[0].counts
        };
        let first = of_seed(0);
        assert!((1..16).all(|seed| of_seed(seed) == first));
        first
    };
    let one_by_one = format!(
        "{} {} {} {}",
        load(0, 1024),
        wait(0, "A"),
        load(1024, 512),
        wait(1, "B")
    );
    let counts = most(&one_by_one);
    assert_eq!(counts.block_bytes, 1024);
    // 128 threads fit 16 times, and 8200 bytes with the system's 1024, in units of 128, 24 times into 228 KiB.
    assert_eq!(counts.resident_blocks, 16);
    assert_eq!(counts.multiprocessor_bytes(), 16 << 10);
    // One arrival ends the phase, so that both loads count in it.
    let both = "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 512;
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile+2048], [%in+2048], 512, [%bar];";
    let together = format!("{both} {} {}", load(0, 1024), wait(0, "A"));
    assert_eq!(most(&together).block_bytes, 1536);
}

#[test]
fn occupancy_is_limited_by_registers_threads_shared_memory_and_blocks() {
    let text = copies::kernel(".param .u64 in", "", "");
    for (threads, dynamic, registers, blocks, warps, limits) in [
        (32, 0, None, 24, 24, "shared memory"),
        (128, 0, Some(168), 3, 12, "registers"),
        (128, 100_000, Some(168), 2, 8, "shared memory"),
        (1024, 0, None, 2, 64, "threads"),
        (1000, 0, Some(32), 2, 64, "threads, registers"),
        (1024, 0, Some(65), 0, 0, "registers"),
    ] {
        let mut job = Job::new(Ptx {
            name: "test.ptx",
            text: &text,
        });
        job.buffers.push(Buffer::zeroed::<u32>("out", 1));
        let launch = Launch::new("k", 2, threads).buffer(0).buffer(0);
        // Each size of the blocks has one row.
        for _ in 0..2 {
            job.launch(launch.clone().shared_bytes(dynamic));
        }
        let registers = registers.map(|count| ("test.ptx", "k", count));
        let others = [("test.ptx", "other", 1), ("other.ptx", "k", 200)];
        let registers = registers.into_iter().chain(others);
        let by_ptxas = registers.map(|(module, kernel, registers)| {
            let by_ptxas = ByPtxas {
                registers,
                barriers: 1,
            };
            ((module.to_owned(), kernel.to_owned()), by_ptxas)
        });
        let mut performance = Performance::default().with_ptxas(by_ptxas.collect());
        EmulatorBackend::new(0)
            .observe(&mut job, &mut performance)
            .unwrap();
        let report = performance.finish();
        assert_eq!(report.occupancy.len(), 1);
        let found = &report.occupancy[0];
        assert_eq!(
            (found.blocks(), found.warps()),
            (blocks, warps),
            "{found:?}"
        );
        assert_eq!(found.limits().join(", "), limits, "{found:?}");
        let note = "a GPU cannot launch `k` with 1024 threads: a multiprocessor has too few registers for one block";
        assert_eq!(report.to_string().contains(note), blocks == 0);
    }
}

/// Counts a kernel that loads 12 pieces of 256 bytes into four stages, with this many pieces ahead.
fn pipeline(ahead: u32) -> PerformanceReport {
    let load = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 256;
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%in], 256, [%r4];";
    // Piece n is in stage n % 4, in phase n / 4.
    let stage = |piece: &str| {
        format!(
            "and.b32 %r3, {piece}, 3; mad.lo.u32 %r4, %r3, 8, %r2; mad.lo.u32 %r5, %r3, 256, %tile;"
        )
    };
    let init = [0, 8, 16, 24]
        .map(|at| format!("@%p1 mbarrier.init.shared::cta.b64 [%r2+{at}], 1;"))
        .concat();
    let body = format!(
        ".shared .align 8 .b64 full[4]; .reg .b64 %in; ld.param.u64 %in, [in]; mov.u32 %r2, full; mov.u32 %r1, 0;
        {init} bar.sync 0;
        FILL: {0} {load} add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, {ahead}; @%p3 bra FILL;
        mov.u32 %r1, 0;
        NEXT: {0} shr.u32 %r6, %r1, 2; and.b32 %r6, %r6, 1;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], %r6; @!%p2 bra WAIT;
        bar.sync 0;
        add.u32 %r7, %r1, {ahead}; setp.ge.u32 %p3, %r7, 12; @%p3 bra FULL; {1} {load}
        FULL: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 12; @%p3 bra NEXT;",
        stage("%r1"),
        stage("%r7"),
    );
    let text = copies::kernel(".param .u64 in", "", &body);
    let launch = Launch::new("k", 2, 64).buffer(0).buffer(1);
    let buffers = ["out", "in"].map(|name| Buffer::zeroed::<u32>(name, 64));
    counted(&text, &launch, &buffers)
}

#[test]
fn stages_that_are_never_full_at_once_are_named() {
    for ahead in 1..=4 {
        let report = pipeline(ahead);
        let counts = report.flights[0].counts;
        let ahead = u64::from(ahead);
        let counts = [counts.stages, counts.filled, counts.block_bytes];
        assert_eq!(counts, [4, ahead, 256 * ahead]);
        // With three ahead, the fourth stage is being read.
        let note = format!(
            "note: `k` has 4 stages, and loads for at most {ahead} of them were in flight at once"
        );
        assert_eq!(report.to_string().contains(&note), ahead < 3, "{report}");
    }
}
