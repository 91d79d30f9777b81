//! `st.async`, `red.async`, `st.bulk`, `cp.async` and `cp.async.mbarrier.arrive`.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel, wait_and_write, with_input},
    run_launch,
};
use tma_launch::{Buffer, Launch};

fn launch(blocks: u32) -> Launch {
    Launch::new("k", blocks, 32).buffer(0).buffer(1)
}

/// Each thread of a block sends to the next block of its cluster of four, with `%r8` and `%r9` the
/// tile and the barrier there, `%r4` the sender's number times 100 plus the thread.
fn ring(bytes: u32, before: &str, instruction: &str, words: u32) -> Vec<u32> {
    let body = format!(
        ".reg .f32 %f<4>; .reg .f64 %fd<4>;
        {INIT} mov.u32 %r10, %cluster_ctarank; mad.lo.u32 %r4, %r10, 100, %t; {before}
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {bytes};
        barrier.cluster.arrive; barrier.cluster.wait;
        add.u32 %r7, %r10, 1; and.b32 %r7, %r7, 3;
        mapa.shared::cluster.u32 %r8, %tile, %r7; mapa.shared::cluster.u32 %r9, %bar, %r7;
        {instruction}
        mul.wide.u32 %rd8, %r10, {}; add.u64 %out, %out, %rd8;
        {}
        barrier.cluster.arrive; barrier.cluster.wait;",
        4 * words,
        wait_and_write(words)
    );
    let text = kernel(".param .u64 in", ".reqnctapercluster 4, 1, 1", &body);
    with_input(&text, launch(4), &[0], 4 * words as usize)
}

#[test]
fn stores_of_every_shape_reach_the_next_block() {
    let store = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";
    // Words of each thread: the sender's number, then one, two and three more.
    let words = "add.u32 %r5, %r4, 1; add.u32 %r6, %r4, 2; add.u32 %r11, %r4, 3;";
    let longs = "mov.b64 %rd3, {%r4, %r5}; mov.b64 %rd4, {%r6, %r11};";
    let at = |words: u32| format!("mad.lo.u32 %r8, %t, {}, %r8; {longs}", 4 * words);
    let forms = [
        (1, format!("{store}.b32 [%r8], %r4, [%r9];")),
        (1, format!("{store}.f32 [%r8], %f1, [%r9];")),
        (2, format!("{store}.v2.s32 [%r8], {{%r4, %r5}}, [%r9];")),
        (2, format!("{store}.u64 [%r8], %rd3, [%r9];")),
        (4, format!("{store}.v2.b64 [%r8], {{%rd3, %rd4}}, [%r9];")),
        (4, format!("{store}.v4.u32 [%r8], {{%r4, %r5, %r6, %r11}}, [%r9];")),
        (
            1,
            "cvt.u64.u32 %rd5, %r8; cvt.u64.u32 %rd6, %r9; cvta.shared::cluster.u64 %rd5, %rd5;
            cvta.shared::cluster.u64 %rd6, %rd6; st.async.mbarrier::complete_tx::bytes.b32 [%rd5], %r4, [%rd6];"
                .to_owned(),
        ),
    ];
    for (words_each, form) in forms {
        let before = format!("{words} mov.b32 %f1, %r4;");
        let instruction = format!("{} {form}", at(words_each));
        let got = ring(128 * words_each, &before, &instruction, 32 * words_each);
        let expected = (0..4 * 32 * words_each).map(|n| {
            let (block, word) = (n / (32 * words_each), n % (32 * words_each));
            (block + 3) % 4 * 100 + word / words_each + word % words_each
        });
        assert_eq!(got, expected.collect::<Vec<_>>(), "{form}");
    }
}

/// Sequential, as the hardware may do it in any order.
fn reduced(op: &str, start: u32, values: impl Iterator<Item = u32>) -> u32 {
    values.fold(start, |old, b| match op {
        "add.u32" | "add.s32" => old.wrapping_add(b),
        "min.u32" => old.min(b),
        "max.u32" => old.max(b),
        "min.s32" => (old as i32).min(b as i32) as u32,
        "max.s32" => (old as i32).max(b as i32) as u32,
        "and.b32" => old & b,
        "or.b32" => old | b,
        "xor.b32" => old ^ b,
        "inc.u32" if old >= b => 0,
        "inc.u32" => old + 1,
        "dec.u32" if old == 0 || old > b => b,
        "dec.u32" => old - 1,
        _ => panic!("{op}"),
    })
}

#[test]
fn reductions_of_every_operator_reach_the_next_block() {
    let ops = [
        "add.u32", "add.s32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32",
        "xor.b32", "inc.u32", "dec.u32",
    ];
    for op in ops {
        for start in [0_u32, 5, 0x8000_0003, u32::MAX] {
            // The same operand for all threads if the order would matter.
            let counts = op.starts_with("inc") || op.starts_with("dec");
            let value = if counts {
                "mov.u32 %r5, 11;"
            } else {
                "mad.lo.u32 %r5, %t, 0x9e3779b9, %r10;"
            };
            let before = format!("mov.u32 %r6, {start}; @%p1 st.shared.u32 [%tile], %r6; {value}");
            let instruction = format!(
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op} [%r8], %r5, [%r9];"
            );
            let got = ring(128, &before, &instruction, 1);
            let expected = (0..4_u32).map(|block| {
                let from = (block + 3) % 4;
                let value = |t: u32| match counts {
                    true => 11,
                    false => t.wrapping_mul(0x9e37_79b9).wrapping_add(from),
                };
                reduced(op, start, (0..32).map(value))
            });
            assert_eq!(got, expected.collect::<Vec<_>>(), "{op} from {start:#x}");
        }
    }
    // 64 bits: a carry from the low word.
    let before =
        "mov.u64 %rd3, 0xffffffff; mov.u64 %rd4, 0x100000001; @%p1 st.shared.u64 [%tile], %rd3;";
    let instruction = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r8], %rd4, [%r9];";
    let got = ring(256, before, instruction, 2);
    assert_eq!(got, [31, 33, 31, 33, 31, 33, 31, 33]);
}

#[test]
fn a_barrier_in_another_block_than_the_destination_is_a_fault() {
    let body = format!(
        "{INIT} barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r7, 1;
        mapa.shared::cluster.u32 %r8, %tile, %r7;
        @%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r8], %t, [%bar];
        barrier.cluster.arrive; barrier.cluster.wait;"
    );
    let text = kernel(".param .u64 in", ".reqnctapercluster 2, 1, 1", &body);
    let buffers = vec![
        Buffer::zeroed::<u32>("out", 1),
        Buffer::zeroed::<u32>("in", 1),
    ];
    let message = run_launch(&text, launch(2), buffers, 0)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("the barrier has rank 0 in the cluster, the destination rank 1"),
        "{message}"
    );
}

#[test]
fn stores_and_sums_that_release_reach_global_memory_before_the_grid_ends() {
    let body = "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %out; add.u32 %r1, %t, 500; cvt.u16.u32 %h1, %r1;
        cvt.u64.u32 %rd3, %r1; mov.u64 %rd4, 0x200000003;
        st.async.release.gpu.global.b32 [%rd1], %r1;
        mul.wide.u32 %rd2, %t, 2; add.u64 %rd2, %rd2, %out; st.async.release.sys.global.u16 [%rd2+128], %h1;
        add.u64 %rd5, %out, %rd3; st.async.release.gpu.global.b8 [%rd5+-308], %h1;
        red.async.release.gpu.global.add.u32 [%out+256], %r1;
        red.async.mmio.release.sys.global.add.u32 [%out+260], %t;
        red.async.release.sys.global.add.s64 [%out+264], %rd4;";
    let out = with_input(&kernel(".param .u64 in", "", body), launch(1), &[0], 68);
    assert_eq!(out[..32], (500..532).collect::<Vec<u32>>());
    let halves: Vec<u32> = (0..16)
        .map(|n| 500 + 2 * n + ((501 + 2 * n) << 16))
        .collect();
    assert_eq!(out[32..48], halves);
    let bytes: Vec<u32> = (0..8)
        .map(|n| u32::from_le_bytes([0, 1, 2, 3].map(|i| (500 + 4 * n + i) as u8)))
        .collect();
    assert_eq!(out[48..56], bytes);
    let sum: u32 = (0..32).sum();
    assert_eq!(out[64..68], [32 * 500 + sum, sum, 96, 64]);
}

#[test]
fn many_zeros() {
    let fill = "mad.lo.u32 %r1, %t, 8, %tile; add.u32 %r2, %t, 1; st.shared.v2.u32 [%r1], {%r2, %r2}; bar.sync 0;";
    let store = "mad.lo.u32 %r1, %t, 4, %tile; ld.shared.u32 %r3, [%r1]; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r3;";
    let zeroed = |instruction: &str| {
        let body = format!("{fill} {instruction} bar.sync 0; {store}");
        with_input(&kernel(".param .u64 in", "", &body), launch(1), &[0], 32)
    };
    let expected = |zeros: std::ops::Range<u32>| -> Vec<u32> {
        (0..32)
            .map(|n| if zeros.contains(&n) { 0 } else { n / 2 + 1 })
            .collect()
    };
    let of = zeroed("mov.u64 %rd2, 40; @%p1 st.bulk.weak.shared::cta [%tile+16], %rd2, 0;");
    assert_eq!(of, expected(4..14));
    let of =
        zeroed("cvt.u64.u32 %rd3, %tile; cvta.shared.u64 %rd3, %rd3; @%p1 st.bulk [%rd3], 8, 0;");
    assert_eq!(of, expected(0..2));
    let message = |instruction: &str| {
        crate::common::failure(
            &format!(".shared .align 8 .b8 b[64]; mov.u32 %r1, b; {instruction}"),
            1,
        )
    };
    assert!(
        message("st.bulk.shared::cta [%r1], 12, 0;").contains("12 bytes: must be a multiple of 8")
    );
    let most = message("st.bulk.shared::cta [%r1], 16777224, 0;");
    assert!(most.contains("at most 16777216"), "{most}");
    assert!(message("st.bulk.shared::cta [%r1], 72, 0;").contains("ILLEGAL_ADDRESS"));
    assert!(message("st.bulk.shared::cta [%r1+4], 8, 0;").contains("MISALIGNED_ADDRESS"));
}

/// Returns the 16 bytes that each thread's `cp.async` copies, from a source of words 1, 2, 3 ... to a
/// destination of 0xffff.
fn copied(instruction: &str) -> Vec<[u32; 4]> {
    let body = format!(
        "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 16; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 16, %tile;
        mov.u32 %r2, 0xffff; st.shared.v4.u32 [%r1], {{%r2, %r2, %r2, %r2}};
        and.b32 %r3, %t, 1; setp.eq.u32 %p2, %r3, 1; mov.u64 %rd5, 0;
        {instruction} cp.async.wait_all;
        ld.shared.v4.u32 {{%r2, %r3, %r4, %r5}}, [%r1]; add.u64 %rd4, %out, %rd3; st.global.v4.u32 [%rd4], {{%r2, %r3, %r4, %r5}};"
    );
    let input: Vec<u32> = (1..=128).collect();
    let text = kernel(".param .u64 in", "", &body);
    let out = with_input(&text, launch(1), &input, 128);
    out.chunks_exact(4)
        .map(|word| word.try_into().unwrap())
        .collect()
}

#[test]
fn small_copies_have_sizes_and_may_ignore_their_source() {
    type BytesRead = fn(u32) -> u32;
    let cases: [(&str, u32, BytesRead); 9] = [
        ("cp.async.ca.shared.global [%r1], [%rd2], 4;", 4, |_| 4),
        (
            "cp.async.ca.shared::cta.global.L2::128B [%r1], [%rd2], 8;",
            8,
            |_| 8,
        ),
        (
            "cp.async.cg.shared::cta.global.L2::cache_hint.L2::256B [%r1], [%rd2], 16, %rd5;",
            16,
            |_| 16,
        ),
        (
            "cp.async.ca.shared::cta.global [%r1], [%rd2], 16, 4;",
            16,
            |_| 4,
        ),
        (
            "cp.async.ca.shared::cta.global [%r1], [%rd2], 8, %r3;",
            8,
            |t| t % 2,
        ),
        (
            "cp.async.ca.shared::cta.global.L2::cache_hint [%r1], [%rd2], 4, 0, %rd5;",
            4,
            |_| 0,
        ),
        (
            "cp.async.cg.shared::cta.global [%r1], [%rd2], 16, %p2;",
            16,
            |t| if t % 2 == 1 { 0 } else { 16 },
        ),
        (
            "cp.async.ca.shared::cta.global.L2::cache_hint [%r1], [%rd2], 8, %p2, %rd5;",
            8,
            |t| if t % 2 == 1 { 0 } else { 8 },
        ),
        (
            "@%p2 cp.async.ca.shared::cta.global.L2::64B [%r1], [%rd2], 4;",
            0,
            |_| 4,
        ),
    ];
    for (instruction, size, read) in cases {
        let got = copied(instruction);
        for (t, words) in (0_u32..).zip(got) {
            // Guarded, it copies in odd threads alone.
            let size = if size == 0 { t % 2 * 4 } else { size };
            let expected = [0, 1, 2, 3].map(|word| {
                let bytes = [0, 1, 2, 3].map(|byte| match 4 * word + byte {
                    at if at >= size => [0xff, 0xff, 0, 0][byte as usize],
                    at if at >= read(t) => 0,
                    _ => (4 * t + word + 1).to_le_bytes()[byte as usize],
                });
                u32::from_le_bytes(bytes)
            });
            assert_eq!(words, expected, "{instruction} thread {t}");
        }
    }
}

/// Each thread copies 16 bytes, arrives by `arrivals`, waits for the barrier of `count` arrivals, and reads the
/// bytes that the next thread copied.
fn arriving(count: u32, arrivals: &str) -> String {
    let body = format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], {count}; bar.sync 0;
        ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 16; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 16, %tile;
        cp.async.cg.shared.global [%r1], [%rd2], 16; {arrivals}
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
        xor.b32 %r2, %t, 1; mad.lo.u32 %r2, %r2, 16, %tile; ld.shared.u32 %r3, [%r2+8];
        mul.wide.u32 %rd4, %t, 4; add.u64 %rd4, %rd4, %out; st.global.u32 [%rd4], %r3;"
    );
    kernel(".param .u64 in", "", &body)
}

#[test]
fn copies_arrive_at_an_mbarrier_when_they_are_complete() {
    let input: Vec<u32> = (0..128).collect();
    let expected: Vec<u32> = (0..32_u32).map(|t| (t ^ 1) * 4 + 2).collect();
    let generic = "cvt.u64.u32 %rd5, %bar; cvta.shared.u64 %rd5, %rd5; cp.async.mbarrier.arrive.noinc.b64 [%rd5];";
    let cases = [
        // The phase expects one arrival more for each.
        (
            32,
            "cp.async.mbarrier.arrive.shared::cta.b64 [%bar]; mbarrier.arrive.shared::cta.b64 _, [%bar];",
        ),
        (32, "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];"),
        (32, generic),
        (
            64,
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar]; mbarrier.arrive.shared::cta.b64 _, [%bar];",
        ),
    ];
    for (count, arrivals) in cases {
        let out = with_input(&arriving(count, arrivals), launch(1), &input, 32);
        assert_eq!(out, expected, "{arrivals}");
    }
    let failure = |count, arrivals, seed| {
        let buffers = vec![Buffer::zeroed::<u32>("out", 32), Buffer::new("in", &input)];
        let text = arriving(count, arrivals);
        run_launch(&text, launch(1), buffers, seed)
            .unwrap_err()
            .to_string()
    };
    for seed in SEEDS {
        let message = failure(
            33,
            "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];",
            seed,
        );
        assert!(
            message.contains("deadlock") && message.contains("32 of 33 arrivals came"),
            "{message}"
        );
        // Alone they cancel out: the phase is never complete.
        let message = failure(1, "cp.async.mbarrier.arrive.shared.b64 [%bar];", seed);
        assert!(message.contains("deadlock"), "{message}");
    }
}
