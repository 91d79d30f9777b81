//! Counts of memory accesses, each derived by hand from the addresses in the kernel.

mod bulk_copies;
mod together;

use tma_emulator::{
    EmulatorBackend, Performance,
    performance::{GlobalCounts, Line, PerformanceReport, SharedCounts},
};
use tma_launch::{Buffer, Job, Launch, Ptx};

use crate::common::{SEEDS, kernel, module};

/// Counts a launch with these buffers, which must not depend on the seed.
fn counted(text: &str, launch: &Launch, buffers: &[Buffer]) -> PerformanceReport {
    let mut reports = SEEDS.iter().map(|seed| {
        let mut job = Job::new(Ptx {
            name: "test.ptx",
            text,
        });
        job.buffers = buffers.to_vec();
        job.launch(launch.clone());
        let mut performance = Performance::default();
        let backend = EmulatorBackend::new(*seed);
        let ran = backend.observe(&mut job, &mut performance);
        ran.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        performance.finish()
    });
    let first = reports.next().unwrap();
    for (other, seed) in reports.zip(&SEEDS[1..]) {
        let mut other = other;
        // The most bytes in flight follow the schedule.
        other.flights.clone_from(&first.flights);
        assert_eq!(first, other, "seed {seed} has other counts");
    }
    first
}

/// Counts a kernel's body in blocks of `threads`; `tile` has 8192 bytes at a multiple of 1024, and `%out` is a buffer
/// of 64 KiB.
fn of_body(body: &str, threads: u32) -> PerformanceReport {
    let text = kernel(&format!(".shared .align 1024 .b8 tile[8192];\n{body}"));
    let launch = Launch::new("k", 1, threads).buffer(0);
    counted(&text, &launch, &[Buffer::zeroed::<u32>("out", 16384)])
}

/// Returns requests, wavefronts, ideal wavefronts and ways of the only line.
fn shared(body: &str, threads: u32) -> [u64; 4] {
    let report = of_body(body, threads);
    let [line] = &report.shared[..] else {
        panic!("{} lines: {:?}", report.shared.len(), report.shared);
    };
    of_shared(&line.counts)
}

fn of_shared(counts: &SharedCounts) -> [u64; 4] {
    [
        counts.requests,
        counts.wavefronts,
        counts.ideal,
        counts.ways,
    ]
}

/// Returns requests, sectors, ideal sectors and lines of the only line.
fn global(body: &str, threads: u32) -> [u64; 4] {
    let report = of_body(body, threads);
    let [line] = &report.global[..] else {
        panic!("{} lines: {:?}", report.global.len(), report.global);
    };
    of_global(&line.counts)
}

fn of_global(counts: &GlobalCounts) -> [u64; 4] {
    [counts.requests, counts.sectors, counts.ideal, counts.lines]
}

/// Puts `tile + first + stride * thread` into `%r1`.
fn at(first: u32, stride: u32) -> String {
    format!("mov.u32 %r1, tile; add.u32 %r1, %r1, {first}; mad.lo.u32 %r1, %t, {stride}, %r1;")
}

#[test]
fn words_of_shared_memory_conflict_by_their_stride() {
    let load = |first, stride| {
        let body = format!("{} ld.shared.u32 %r2, [%r1];", at(first, stride));
        shared(&body, 32)
    };
    assert_eq!(load(4, 4), [1, 1, 1, 1]);
    assert_eq!(load(4, 8), [1, 2, 1, 2]);
    assert_eq!(load(260, 128), [1, 32, 1, 32]);
    assert_eq!(load(260, 132), [1, 1, 1, 1]);
    // All lanes have one word.
    assert_eq!(load(516, 0), [1, 1, 1, 1]);
}

#[test]
fn wide_shared_accesses_go_in_parts() {
    let store = |vector: &str, values: &str, first, stride, threads| {
        let body = format!("{} st.shared{vector} [%r1], {values};", at(first, stride));
        shared(&body, threads)
    };
    assert_eq!(store(".u64", "%out", 8, 8, 32), [1, 2, 2, 1]);
    assert_eq!(store(".u64", "%out", 8, 128, 32), [1, 32, 2, 16]);
    let four = "{%t, %t, %t, %t}";
    assert_eq!(store(".v4.u32", four, 16, 16, 32), [1, 4, 4, 1]);
    assert_eq!(store(".v4.u32", four, 16, 128, 32), [1, 32, 4, 8]);
    assert_eq!(store(".v4.u32", four, 16, 144, 32), [1, 4, 4, 1]);
    // The second warp has 10 lanes: 8 and 2.
    assert_eq!(store(".v4.u32", four, 16, 16, 42), [2, 6, 6, 1]);
}

#[test]
fn lanes_that_a_guard_excludes_need_nothing() {
    let body = format!(
        "{} setp.lt.u32 %p1, %t, 5; @%p1 st.shared.u32 [%r1], %t;",
        at(4, 128)
    );
    assert_eq!(shared(&body, 64), [1, 5, 1, 5]);
}

#[test]
fn ordered_vectors_and_generic_addresses_are_one_request() {
    let body = format!(
        "{} ld.volatile.shared.v4.u32 {{%r2, %r3, %r4, %r5}}, [%r1];",
        at(16, 16)
    );
    assert_eq!(shared(&body, 32), [1, 4, 4, 1]);
    let body = format!(
        "{} cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1; ld.u32 %r2, [%rd1];",
        at(4, 8)
    );
    assert_eq!(shared(&body, 32), [1, 2, 1, 2]);
}

#[test]
fn atomics_on_one_word_are_one_wavefront() {
    let add = |first, stride| {
        shared(
            &format!("{} red.shared.add.u32 [%r1], 1;", at(first, stride)),
            32,
        )
    };
    assert_eq!(add(64, 0), [1, 1, 1, 1]);
    assert_eq!(add(64, 128), [1, 32, 1, 32]);
    assert_eq!(add(64, 4), [1, 1, 1, 1]);
}

/// The lane's row of four matrices one after another, `stride` bytes apart.
fn matrix_rows(first: u32, stride: u32) -> String {
    at(first, stride)
}

#[test]
fn each_matrix_of_ldmatrix_is_a_wavefront_without_conflicts() {
    let load = |rows: String, form: &str| {
        let body = format!(
            "{rows} ldmatrix.sync.aligned.m8n8.x4{form}.shared.b16 {{%r2, %r3, %r4, %r5}}, [%r1];"
        );
        shared(&body, 32)
    };
    assert_eq!(load(matrix_rows(512, 16), ""), [1, 4, 4, 1]);
    assert_eq!(load(matrix_rows(512, 128), ""), [1, 32, 4, 8]);
    assert_eq!(load(matrix_rows(512, 144), ".trans"), [1, 4, 4, 1]);
    // A 128-byte swizzle: bits 4 to 6 of the address are combined with bits 7 to 9.
    let swizzled = format!(
        "{} shr.u32 %r6, %r1, 3; and.b32 %r6, %r6, 112; xor.b32 %r1, %r1, %r6;",
        at(0, 128)
    );
    assert_eq!(load(swizzled, ""), [1, 4, 4, 1]);
    // A 64-byte swizzle with rows of 128 bytes: bits 4 and 5 with bits 7 and 8.
    let swizzled = format!(
        "{} shr.u32 %r6, %r1, 3; and.b32 %r6, %r6, 48; xor.b32 %r1, %r1, %r6;",
        at(0, 128)
    );
    assert_eq!(load(swizzled, ""), [1, 8, 4, 2]);
}

#[test]
fn stmatrix_and_single_matrices_count_their_rows() {
    let body = format!(
        "{} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r2}}, [%r1];",
        at(256, 64)
    );
    // Eight rows of 16 bytes at 64 bytes: two at each of the places in 128 bytes.
    assert_eq!(shared(&body, 32), [1, 4, 1, 4]);
    let body = format!(
        "{} stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {{%r2, %r3}};",
        at(256, 128)
    );
    assert_eq!(shared(&body, 64), [2, 32, 4, 8]);
}

/// Puts `out + first + stride * thread` into `%rd1`.
fn in_out(first: u32, stride: u32) -> String {
    format!(
        "mul.wide.u32 %rd1, %t, {stride}; add.u64 %rd1, %rd1, %out; add.u64 %rd1, %rd1, {first};"
    )
}

#[test]
fn global_requests_take_sectors_by_their_stride() {
    let load = |first, stride, threads| {
        global(
            &format!("{} ld.global.u32 %r2, [%rd1];", in_out(first, stride)),
            threads,
        )
    };
    assert_eq!(load(128, 4, 32), [1, 4, 4, 1]);
    assert_eq!(load(128, 8, 32), [1, 8, 4, 2]);
    assert_eq!(load(128, 32, 32), [1, 32, 4, 8]);
    assert_eq!(load(132, 4, 32), [1, 5, 4, 2]);
    assert_eq!(load(132, 0, 32), [1, 1, 1, 1]);
    // Warps of 32, 32 and 3 lanes.
    assert_eq!(load(128, 4, 67), [3, 9, 9, 3]);
}

#[test]
fn forms_of_global_accesses_count_alike() {
    let body = |access: &str| format!("{} {access}", in_out(256, 16));
    let wide = "{%r2, %r3, %r4, %r5}";
    for access in [
        format!("ld.global.v4.u32 {wide}, [%rd1];"),
        format!("ld.global.nc.v4.u32 {wide}, [%rd1];"),
        format!("ld.volatile.global.v4.u32 {wide}, [%rd1];"),
        format!("ld.v4.u32 {wide}, [%rd1];"),
        "st.global.v4.u32 [%rd1], {%t, %t, %t, %t};".to_owned(),
    ] {
        assert_eq!(global(&body(&access), 32), [1, 16, 16, 4], "{access}");
    }
    // One word of each 16 bytes.
    for access in [
        "red.global.add.u32 [%rd1], 1;",
        "atom.global.add.u32 %r2, [%rd1], 1;",
    ] {
        assert_eq!(global(&body(access), 32), [1, 16, 4, 4], "{access}");
    }
}

#[test]
fn copies_of_lanes_count_in_both_memories() {
    let body = format!(
        "{} {} cp.async.ca.shared.global [%r1], [%rd1], 16; cp.async.wait_all;",
        at(16, 128),
        in_out(512, 32)
    );
    let report = of_body(&body, 32);
    assert_eq!(of_shared(&report.shared[0].counts), [1, 32, 4, 8]);
    // Half of each sector.
    assert_eq!(of_global(&report.global[0].counts), [1, 32, 16, 8]);
    // Eight bytes are read, and zeros fill the rest: each lane still writes 16 bytes.
    let body = format!(
        "{} {} cp.async.ca.shared.global [%r1], [%rd1], 16, 8; cp.async.wait_all;",
        at(16, 16),
        in_out(512, 16)
    );
    let report = of_body(&body, 32);
    assert_eq!(of_shared(&report.shared[0].counts), [1, 4, 4, 1]);
    assert_eq!(of_global(&report.global[0].counts), [1, 16, 8, 4]);
}

#[test]
fn loops_and_blocks_add_up_and_lines_merge() {
    let text = module(
        ".visible .entry k(.param .u64 out) {
            .shared .align 128 .b8 tile[8192];
            .reg .pred %p<2>; .reg .b32 %r<8>;
            mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 64, %r2; mov.u32 %r3, 0;
        NEXT:
            st.shared.u32 [%r2], %r1; st.shared.u32 [%r2+4], %r1;
            add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra NEXT;
            ret; }",
    );
    let launch = Launch::new("k", 3, 64).buffer(0);
    let report = counted(&text, &launch, &[Buffer::zeroed::<u32>("out", 1)]);
    let [line] = &report.shared[..] else {
        panic!("{:?}", report.shared);
    };
    // Two stores at one line, five times, by two warps of three blocks; 64 bytes apart are two banks: 16-way.
    assert_eq!(of_shared(&line.counts), [60, 960, 60, 16]);
    let Line {
        kernel,
        opcode,
        instructions,
        ..
    } = line;
    assert_eq!(
        (kernel.as_str(), opcode.as_str(), *instructions),
        ("k", "st.shared.u32", 2)
    );
    assert_eq!(line.location.line, 9);
}

#[test]
fn memory_of_other_blocks_is_not_behind_the_banks() {
    let text = module(
        ".visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1 {
            .shared .align 128 .b8 tile[8192];
            .reg .b32 %r<8>;
            mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 128, %r2;
            mov.u32 %r3, %cluster_ctarank; xor.b32 %r3, %r3, 1;
            mapa.shared::cluster.u32 %r4, %r2, %r3;
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
            st.shared::cluster.u32 [%r4], %r1;
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
            ret; }",
    );
    let launch = Launch::new("k", 2, 32).buffer(0);
    let report = counted(&text, &launch, &[Buffer::zeroed::<u32>("out", 1)]);
    assert_eq!(report.shared, []);
}

#[test]
fn waits_for_the_group_just_closed_are_at_once() {
    let product = "wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd1, 1, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned;";
    let text = kernel(&format!(
        ".shared .align 128 .b8 tile[2048];
        mov.u32 %r1, tile; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1;
        or.b64 %rd1, %rd1, {};
        {product}
        wgmma.wait_group.sync.aligned 0;
        {product}
        {product}
        wgmma.wait_group.sync.aligned 1;
        add.u32 %r2, %r1, 1;
        wgmma.wait_group.sync.aligned 0;",
        8_u64 << 16 | 16 << 32
    ));
    let launch = Launch::new("k", 3, 256).buffer(0);
    let report = counted(&text, &launch, &[Buffer::zeroed::<u32>("out", 1)]);
    let waits = report.products.iter().map(|line| {
        let counts = line.counts;
        (line.location.line, counts.waits, counts.at_once)
    });
    // Two warpgroups of three blocks; the first wait in the text is worst.
    let waits: Vec<_> = waits.collect();
    let at_once: Vec<_> = waits
        .iter()
        .map(|(_, waits, at_once)| (*waits, *at_once))
        .collect();
    assert_eq!(at_once, [(6, 6), (6, 0), (6, 0)]);
    assert!(waits[0].0 < waits[1].0.min(waits[2].0), "{waits:?}");
}

#[test]
fn the_report_shows_the_worst_lines_first() {
    let body = format!(
        "{}
        st.shared.u32 [%r1], %t;
        {}
        st.shared.u32 [%r1], %t;
        {}
        ld.global.u32 %r2, [%rd1];
        ld.shared.u32 %r2, [tile];",
        at(0, 8),
        at(0, 128),
        in_out(0, 8)
    );
    let report = of_body(&body, 32).to_string();
    let expected = "\
performance, counted in this run and not measured:

shared memory: wavefronts of requests (ncu: memory_l1_wavefronts_shared, memory_l1_wavefronts_shared_ideal)
  requests  wavefronts  ideal    lost  conflicts  line
         1          32      1  96.9 %     32-way  test.ptx:13 `st.shared.u32` in `k`
         1           2      1  50.0 %      2-way  test.ptx:11 `st.shared.u32` in `k`
         1           1      1   0.0 %          -  test.ptx:16 `ld.shared.u32` in `k`
         3          35      3  91.4 %     32-way  all 3 lines
  = help: lanes need different words of one bank: give tiles of tensor copies a 128-byte swizzle (`Swizzle128`, rows of 128 bytes), or pad the rows of other tiles by 16 bytes

global memory: sectors of requests (ncu: memory_l2_theoretical_sectors_global, memory_l1_tag_requests_global for lines)
  requests  sectors  ideal    lost  lines  line
         1        8      4  50.0 %      2  test.ptx:15 `ld.global.u32` in `k`
  = help: a warp fetches sectors of 32 bytes for few of their bytes: let neighbouring lanes access neighbouring elements from a multiple of 32 bytes on, or load the tile by a tensor copy

occupancy: blocks on a multiprocessor, and their warps of 64
  threads  shared memory  registers  barriers  blocks  warps     limited by  kernel
       32           8192          -         -      25     25  shared memory  `k`
";
    assert_eq!(report, expected);
}
