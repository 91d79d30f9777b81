//! Branches, calls, warps, and the memories of a block.

use crate::common::{failure, kernel, module, run, run_launch};
use tma_launch::{Buffer, Launch};

const STORE: &str =
    "mul.wide.u32 %rd9, %t, 4; add.s64 %rd9, %rd9, %out; st.global.u32 [%rd9], %r1;";

fn per_thread(body: &str, threads: u32) -> Vec<u32> {
    run(&format!("{body}\n{STORE}"), threads, threads as usize)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn a_breakpoint_ends_the_kernel_where_a_thread_reaches_it() {
    let body = "setp.eq.u32 %p1, %t, 3; st.global.u32 [%out], 7; @%p1 brkpt;";
    let message = failure(body, 4);
    assert!(
        message.contains("thread [3, 0, 0] of block [0, 0, 0]"),
        "{message}"
    );
    assert!(message.contains("a breakpoint was reached"), "{message}");
    assert_eq!(run(body, 3, 1), Ok(vec![7]));
}

#[test]
fn lanes_diverge_and_converge() {
    // Collatz: every lane leaves the loop at its own time.
    let steps = |thread: u32| {
        let (mut n, mut steps) = (thread + 1, 0);
        while n != 1 {
            n = if n.is_multiple_of(2) {
                n / 2
            } else {
                3 * n + 1
            };
            steps += 1;
        }
        steps
    };
    let body = "add.u32 %r2, %t, 1; mov.u32 %r1, 0;
        AGAIN: setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE;
        and.b32 %r3, %r2, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra EVEN;
        mad.lo.u32 %r2, %r2, 3, 1; bra NEXT;
        EVEN: shr.u32 %r2, %r2, 1;
        NEXT: add.u32 %r1, %r1, 1; bra AGAIN;
        DONE:";
    assert_eq!(
        per_thread(body, 100),
        (0..100).map(steps).collect::<Vec<_>>()
    );
}

#[test]
fn indirect_branches_take_each_lane_to_its_target() {
    let body = "rem.u32 %r2, %t, 3; mov.u32 %r1, 9;
        LIST: .branchtargets A, B, C; brx.idx %r2, LIST;
        A: mov.u32 %r1, 10; bra END;
        B: mov.u32 %r1, 20; bra END;
        C: mov.u32 %r1, 30;
        END:";
    let expected: Vec<u32> = (0..40).map(|t| [10, 20, 30][t % 3]).collect();
    assert_eq!(per_thread(body, 40), expected);
    let message = failure(&body.replace("rem.u32 %r2, %t, 3", "mov.u32 %r2, 3"), 1);
    assert!(
        message.contains("the index 3 must be below 3, the length of its list of targets"),
        "{message}"
    );
}

/// ptxas 13.0 takes `.sync` in any place.
#[test]
fn collectives_have_their_sync_anywhere() {
    let body = "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1; mov.u32 %r9, -1;
        vote.ballot.sync.b32 %r1, %p1, %r9;
        vote.any.sync.pred %p2, %p1, %r9; @%p2 add.u32 %r1, %r1, 1;
        shfl.idx.sync.b32 %r3, %t, 3, 31, %r9; add.u32 %r1, %r1, %r3;
        match.sync.any.b32 %r3, %r2, %r9; popc.b32 %r3, %r3; add.u32 %r1, %r1, %r3;
        redux.add.sync.u32 %r3, %r2, %r9; add.u32 %r1, %r1, %r3;";
    let expected = 0xaaaa_aaaa + 1 + 3 + 16 + 16;
    assert_eq!(per_thread(body, 32), [expected; 32]);
}

/// ptxas 13.0 takes the modifiers of these in other orders than the PTX ISA has them in.
#[test]
fn matrices_are_stored_and_loaded_in_any_spelling() {
    let body = ".shared .align 16 .b8 rows[128];
        mov.u32 %r9, rows; and.b32 %r2, %t, 7; mad.lo.u32 %r2, %r2, 16, %r9; add.u32 %r3, %t, 100;
        stmatrix.sync.aligned.x1.trans.m8n8.shared.b16 [%r2], {%r3};
        ldmatrix.sync.aligned.x1.trans.m8n8.shared.b16 {%r1}, [%r2];";
    let expected: Vec<u32> = (100..132).collect();
    assert_eq!(per_thread(body, 32), expected);
    for (from, to) in [
        (".x1.trans.m8n8", ".m8n8.x1.trans"),
        (".x1.trans.m8n8", ".trans.x1.m8n8"),
    ] {
        assert_eq!(per_thread(&body.replace(from, to), 32), expected, "{to}");
    }
    let one_way = body.replacen("trans.", "", 1);
    assert_ne!(per_thread(&one_way, 32), expected);
}

#[test]
fn functions_take_and_return_and_call_themselves() {
    let text = module(
        ".func (.param .b32 r) fib(.param .b32 n)
        {
            .reg .pred %p<2>; .reg .b32 %r<8>;
            ld.param.u32 %r1, [n];
            setp.lt.u32 %p1, %r1, 2;
            @%p1 bra SMALL;
            sub.u32 %r2, %r1, 1;
            { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), fib, (a); ld.param.b32 %r3, [b]; }
            sub.u32 %r2, %r1, 2;
            { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), fib, (a); ld.param.b32 %r4, [b]; }
            add.u32 %r1, %r3, %r4;
        SMALL:
            st.param.b32 [r], %r1;
            ret;
        }
        .func (.reg .b32 d) add_one(.reg .b32 a) { add.u32 d, a, 1; ret; }
        .visible .entry k(.param .u64 out)
        {
            .reg .b32 %r<8>; .reg .b64 %rd<4>;
            mov.u32 %r1, %tid.x;
            { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fib, (a); ld.param.b32 %r2, [b]; }
            call (%r3), add_one, (%r2);
            mov.u64 %rd3, add_one;
            PROTO: .callprototype (.reg .b32 _) _ (.reg .b32 _);
            call (%r3), %rd3, (%r3), PROTO;
            ld.param.u64 %rd1, [out];
            mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
            st.global.u32 [%rd1], %r3;
            ret;
        }",
    );
    let out = vec![Buffer::zeroed::<u32>("out", 12)];
    let buffers = run_launch(&text, Launch::new("k", 1, 12).buffer(0), out, 3).unwrap();
    let expected = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89].map(|fib: u32| fib + 2);
    assert_eq!(buffers[0].to_vec::<u32>().unwrap(), expected);
}

#[test]
fn shuffles_votes_and_matches() {
    assert_eq!(
        per_thread("shfl.sync.bfly.b32 %r1, %t, 1, 31, -1;", 32),
        (0..32).map(|t| t ^ 1).collect::<Vec<u32>>()
    );
    let segments = "shfl.sync.down.b32 %r1|%p1, %t, 2, 0x1807, -1; @!%p1 mov.u32 %r1, 99;";
    let expected: Vec<u32> = (0..32)
        .map(|t| if t % 8 < 6 { t + 2 } else { 99 })
        .collect();
    assert_eq!(per_thread(segments, 32), expected);
    let ballot = "and.b32 %r2, %t, 3; setp.eq.u32 %p1, %r2, 0; vote.sync.ballot.b32 %r1, %p1, -1;";
    assert_eq!(per_thread(ballot, 32), [0x1111_1111; 32]);
    let matching = "shr.u32 %r2, %t, 3; match.any.sync.b32 %r1, %r2, -1;";
    assert_eq!(
        per_thread(matching, 32),
        (0..32)
            .map(|t| 0xff_u32 << (t / 8 * 8))
            .collect::<Vec<u32>>()
    );
    assert_eq!(per_thread("redux.sync.add.u32 %r1, %t, -1;", 32), [496; 32]);
    let election = "mov.u32 %r1, 77; setp.lt.u32 %p2, %t, 4; @%p2 bra END; elect.sync %r2|%p1, 0xf0; @%p1 mov.u32 %r1, 1; END:";
    assert_eq!(per_thread(election, 8), [77, 77, 77, 77, 1, 77, 77, 77]);
}

#[test]
fn lanes_in_different_arms_converge_at_a_collective() {
    // The two halves shuffle in different locations of the code, each with itself; then all vote.
    let body = "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;
        shfl.sync.idx.b32 %r2, %t, 20, 31, 0xffff0000; bar.warp.sync -1; bra JOIN;
        LOW: shfl.sync.idx.b32 %r2, %t, 3, 31, 0x0000ffff; bar.warp.sync -1;
        JOIN: setp.eq.u32 %p2, %r2, 3; vote.sync.ballot.b32 %r1, %p2, -1;";
    assert_eq!(per_thread(body, 32), [0xffff; 32]);
}

#[test]
fn a_lane_that_spins_does_not_starve_the_one_it_waits_for() {
    let body = "mov.u32 %r1, 5; setp.eq.u32 %p1, %t, 31; @%p1 bra SET;
        SPIN: ld.volatile.global.u32 %r2, [%out+4096]; setp.ne.u32 %p2, %r2, 1; @%p2 bra SPIN; bra END;
        SET: mov.u32 %r3, 1; st.volatile.global.u32 [%out+4096], %r3;
        END:";
    let words = run(&format!("{body}\n{STORE}"), 32, 1025).unwrap();
    assert_eq!(words[..32], [5; 32]);
}

#[test]
fn barriers_of_the_block() {
    let shared = "{ .shared .align 4 .b8 numbers[4096];
        mov.u32 %r2, numbers; mad.lo.u32 %r3, %t, 4, %r2; st.shared.u32 [%r3], %t; bar.sync 0;
        mov.u32 %r4, %ntid.x; sub.u32 %r4, %r4, 1; sub.u32 %r4, %r4, %t;
        mad.lo.u32 %r3, %r4, 4, %r2; ld.shared.u32 %r1, [%r3]; }";
    assert_eq!(
        per_thread(shared, 200),
        (0..200).rev().collect::<Vec<u32>>()
    );
    let reduced = "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1; barrier.cta.red.popc.aligned.u32 %r1, 3, %p1;";
    assert_eq!(per_thread(reduced, 96), [48; 96]);
    // A warp of 8 threads counts as 32.
    assert_eq!(per_thread("bar.sync 1, 64; mov.u32 %r1, 3;", 40), [3; 40]);
    // Threads that are over are not waited for.
    let early = "mov.u32 %r1, 1; setp.ge.u32 %p1, %t, 40; @%p1 exit; bar.sync 0;";
    let words = run(&format!("{early}\n{STORE}"), 64, 64).unwrap();
    assert_eq!((words[39], words[40]), (1, 0xdead_beef));
    let late = "mov.u32 %r1, 1; setp.lt.u32 %p1, %t, 9; @%p1 bra LATE; bar.warp.sync -1; bra END;
        LATE: mov.u32 %r2, 50; AGAIN: sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra AGAIN; exit; END:";
    let words = run(&format!("{late}\n{STORE}"), 32, 32).unwrap();
    assert_eq!((words[8], words[9]), (0xdead_beef, 1));
}

#[test]
fn atomics_of_all_threads_add_up() {
    let body = "atom.global.add.u32 %r2, [%out+2048], 1; red.global.max.u32 [%out+2052], %t;
        and.b32 %r4, %t, 0; atom.global.cas.b32 %r3, [%out+2056], 0xdeadbeef, %r4;
        atom.global.inc.u32 %r3, [%out+2060], 0xffffffff; mov.u32 %r1, 0;";
    let words = run(&format!("{body}\n{STORE}"), 128, 516).unwrap();
    assert_eq!(words[512], 0xdead_beef_u32.wrapping_add(128));
    assert_eq!(words[513], 0xdead_beef);
    assert_eq!(words[514..], [0, 0xdead_beef_u32.wrapping_add(128)]);
}

#[test]
fn local_generic_and_constant_addresses() {
    let text = module(
        ".const .align 4 .u32 table[3] = {5, 6, 7};
        .global .align 4 .u32 counter = 40;
        .global .align 4 .u32 numbers[3] = {50, 51, 52}; .global .align 8 .u64 place = numbers + 8 - 4;
        .shared .align 4 .b8 words[16];
        .visible .entry k(.param .u64 out)
        {
            .local .align 8 .b8 frame[16]; .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [out];
            mov.u64 %rd2, frame; cvta.local.u64 %rd3, %rd2;
            mov.u32 %r1, 11; st.local.u32 [frame+4], %r1; ld.u32 %r2, [%rd3+4];
            ld.const.u32 %r3, [table+8];
            ld.global.u32 %r4, [counter];
            isspacep.local %p1, %rd3; isspacep.global %p2, %rd1; and.pred %p3, %p1, %p2; selp.u32 %r5, 1, 0, %p3;
            st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};
            ld.global.u64 %rd4, [place]; ld.global.u32 %r6, [%rd4]; st.global.u32 [%rd1+16], %r6;
            mov.u32 %r6, 23; st.u32 [words+8], %r6; ld.u32 %r6, [words+8]; ld.u32 %r7, [table+4];
            st.global.v2.u32 [%rd1+24], {%r6, %r7};
            ret;
        }",
    );
    let out = vec![Buffer::zeroed::<u32>("out", 8)];
    let buffers = run_launch(&text, Launch::new("k", 1, 1).buffer(0), out, 0).unwrap();
    let words = buffers[0].to_vec::<u32>().unwrap();
    assert_eq!(words, [11, 7, 40, 1, 51, 0, 23, 6]);
}

#[test]
fn accesses_outside_are_named() {
    let message = failure("st.global.u32 [%out+256], %t;", 1);
    assert!(
        message.contains("`st.global.u32`\n")
            && message.contains("thread [0, 0, 0] of block [0, 0, 0]"),
        "{message}"
    );
    assert!(
        message.contains("nearest is `out`, 256 bytes at 0x7f0000000000: 0 bytes past its end"),
        "{message}"
    );
    assert!(message.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{message}");
    let message = failure("st.global.u32 [%out+2], %t;", 1);
    assert!(
        message.contains("not a multiple of 4")
            && message.contains("CUDA_ERROR_MISALIGNED_ADDRESS"),
        "{message}"
    );
    let message = failure(
        "{ .shared .b8 few[8]; mov.u32 %r1, few; st.shared.u32 [%r1+8], %t; }",
        1,
    );
    assert!(
        message.contains("outside of the block's 8 bytes at 0x400"),
        "{message}"
    );
    for (address, wanted) in [
        (0xfffc, "the pointer is null, or nearly"),
        (0x10000, "may be host memory"),
    ] {
        let message = failure(
            &format!("mov.u64 %rd1, {address}; st.global.u32 [%rd1], %t;"),
            1,
        );
        assert!(message.contains(wanted), "{message}");
    }
    let message = failure("trap;", 1);
    assert!(message.contains("CUDA_ERROR_LAUNCH_FAILED"), "{message}");
}

#[test]
fn types_that_an_instruction_does_not_have_are_refused() {
    for body in [
        "atom.global.cas.f32 %f1, [%out], %f2, %f3;",
        "atom.global.cas.f64 %fd1, [%out], %fd2, %fd3;",
        "sust.b.1d.v4.b64.trap [%rd1, {%r1}], {%rd2, %rd2, %rd2, %rd2};",
    ] {
        let message = failure(body, 1);
        assert!(message.contains("type"), "{body}: {message}");
    }
}

#[test]
fn what_is_not_known_is_listed_before_anything_runs() {
    let text = kernel(".loc 1 7 1\n vadd.s32.s32.s32 %r1, %r2, %r3;\n add.s32.foo %r1, %r2, %r3;\n add.s32 %r1, %r2;\n fence.acq_rel;\n bra.uni;")
        .replace(".visible", ".file 1 \"src/lib.rs\"\n.visible");
    let mut job = tma_launch::Job::new(tma_launch::Ptx {
        name: "kernel.ptx",
        text: &text,
    });
    job.launch(Launch::new("k", 1, 1).scalar(0_u64));
    let failure = tma_emulator::EmulatorBackend::new(0)
        .run(&mut job)
        .unwrap_err();
    assert_eq!(failure.error_name.as_deref(), Some("UNSUPPORTED"));
    let lines: Vec<&str> = failure.what.lines().collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(
        lines[0].ends_with(
            "(src/lib.rs:7): `vadd.s32.s32.s32` is not supported: the instruction is not known"
        ),
        "{lines:?}"
    );
    assert!(
        lines[1].ends_with("its modifier `.foo` is not known here"),
        "{lines:?}"
    );
    let sentences = [
        "`add.s32` is not supported: no form of it with 2 operands is known",
        "`fence.acq_rel` is not supported: `fence.acq_rel` is not a form of PTX ISA 9.5",
        "`bra.uni` is not supported: no form of it with 0 operands is known",
    ];
    for (line, sentence) in lines[2..].iter().zip(sentences) {
        assert!(line.ends_with(sentence), "{lines:?}");
    }
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let message = failure(
        "setp.eq.u32 %p1, %t, 0; @%p1 bar.sync 1, 64; bar.sync 0;",
        32,
    );
    assert!(
        message.contains("deadlock")
            && message.contains("at barrier 1: 1 of 64 threads have arrived"),
        "{message}"
    );
    assert!(
        message.contains("at barrier 0: 31 of 32 threads"),
        "{message}"
    );
    let message = failure(
        "setp.eq.u32 %p1, %t, 7; @%p1 bra SKIP; shfl.sync.idx.b32 %r1, %t, 0, 31, -1; bra END; SKIP: bar.sync 0; END:",
        32,
    );
    assert!(
        message.contains("waits for lane 7 of its warp"),
        "{message}"
    );
}

#[test]
fn printf_and_assert() {
    let text = module(
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
        .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
        .global .align 1 .b8 fmt[20] = \"%5d|%s|%.2f|%llx\";
        .global .align 1 .b8 word[4] = \"abc\";
        .visible .entry k(.param .u64 out)
        {
            .local .align 8 .b8 args[32]; .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f64 %fd<2>;
            mov.u64 %rd1, args; cvta.local.u64 %rd2, %rd1;
            mov.u32 %r1, -42; st.local.u32 [args], %r1; mov.u64 %rd3, word; st.local.u64 [args+8], %rd3;
            mov.f64 %fd1, 0d3FF8000000000000; st.local.f64 [args+16], %fd1; mov.u64 %rd4, 255; st.local.u64 [args+24], %rd4;
            mov.u64 %rd5, fmt;
            { .param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p0], %rd5; st.param.b64 [p1], %rd2; call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r2, [r0]; }
            { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
              st.param.b64 [p0], %rd3; st.param.b64 [p1], %rd3; st.param.b32 [p2], 12; st.param.b64 [p3], %rd3;
              call.uni __assertfail, (p0, p1, p2, p3, p4); }
            ret;
        }",
    );
    let out = vec![Buffer::zeroed::<u32>("out", 1)];
    let message = run_launch(&text, Launch::new("k", 1, 1).buffer(0), out, 0)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("abc:12: abc: assertion `abc` failed")
            && message.contains("CUDA_ERROR_ASSERT"),
        "{message}"
    );
    let text = text.replace("call.uni __assertfail, (p0, p1, p2, p3, p4);", "");
    let mut job = tma_launch::Job::new(tma_launch::Ptx {
        name: "print.ptx",
        text: &text,
    });
    job.launch(Launch::new("k", 1, 1).scalar(0_u64));
    let reports = tma_emulator::EmulatorBackend::new(0)
        .run_unchecked(&mut job, &mut |_| ())
        .unwrap();
    assert_eq!(reports[0].printed, "  -42|abc|1.50|ff");
}

#[test]
fn a_circle_of_waits_is_found_without_the_checker_too() {
    let body = "setp.lt.u32 %p1, %t, 32; @%p1 bra FIRST; bar.sync 1, 64; bar.arrive 2, 64; ret;
        FIRST: bar.sync 2, 64; bar.arrive 1, 64;";
    let text = kernel(body);
    let circle = |failure: tma_launch::Failure| -> Vec<String> {
        let text = failure.to_string();
        let start = text.find("the circle of waits").expect(&text);
        let lines = text[start..].lines().take(5);
        lines
            .map(|line| line.trim().replace(" (CUDA_ERROR_LAUNCH_TIMEOUT)", ""))
            .collect()
    };
    let run = |run: &dyn Fn(&mut tma_launch::Job<'_>) -> tma_launch::Failure| {
        let mut job = tma_launch::Job::new(tma_launch::Ptx {
            name: "circle.ptx",
            text: &text,
        });
        job.launch(Launch::new("k", 1, 64).scalar(0_u64));
        circle(run(&mut job))
    };
    let emulator = tma_emulator::EmulatorBackend::new(0);
    let checked = run(&|job| emulator.run(job).unwrap_err());
    let unchecked = run(&|job| emulator.run_unchecked(job, &mut |_| ()).unwrap_err());
    assert_eq!(checked, unchecked);
}

#[test]
fn shuffles_and_votes_without_sync_are_of_the_lanes_that_come_together() {
    // Five lanes go another way, and meet the others at the vote.
    let body = "setp.lt.u32 %p1, %t, 5; mov.u32 %r1, 0; @!%p1 bra REST; add.u32 %r1, %t, 1; mul.lo.u32 %r1, %r1, 3;
        REST: vote.ballot.b32 %r2, %p1; vote.all.pred %p2, %p1; vote.any.pred %p3, !%p1; vote.uni.pred %p4, %p1;
        selp.u32 %r3, 64, 0, %p2; add.u32 %r2, %r2, %r3; selp.u32 %r3, 128, 0, %p3; add.u32 %r2, %r2, %r3;
        selp.u32 %r3, 256, 0, %p4; add.u32 %r2, %r2, %r3;
        shfl.up.b32 %r4|%p5, %t, 1, 0; shfl.bfly.b32 %r5, %r1, 1, 31; selp.u32 %r6, 512, 0, %p5;
        add.u32 %r1, %r2, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6;";
    let run_as = |from: &str| {
        let text =
            kernel(&format!("{body}\n{STORE}")).replace(".version 8.6\n.target sm_90a", from);
        let results = [0, 1, 2, 3, 4, 5, 6, 7].map(|seed| {
            let out = vec![Buffer::zeroed::<u32>("out", 32)];
            let launch = Launch::new("k", 1, 32).buffer(0);
            let buffers = run_launch(&text, launch, out, seed)?;
            Ok::<_, tma_launch::Failure>(buffers[0].to_vec::<u32>().unwrap())
        });
        results.into_iter().collect::<Result<Vec<_>, _>>()
    };
    let expected: Vec<u32> = (0..32)
        .map(|t: u32| {
            let own = |t: u32| if t < 5 { 3 * (t + 1) } else { 0 };
            let carried = if t == 0 { 0 } else { t - 1 + 512 };
            31 + 128 + carried + own(t ^ 1)
        })
        .collect();
    for from in [".version 6.0\n.target sm_70", ".version 8.0\n.target sm_60"] {
        for found in run_as(from).unwrap() {
            assert_eq!(found, expected, "{from}");
        }
    }
    let message = run_as(".version 6.4\n.target sm_70")
        .unwrap_err()
        .to_string();
    assert!(message.contains("without `.sync`"), "{message}");
}

#[test]
fn the_drivers_registers_are_zero() {
    let body = "mov.b32 %r1, %envreg0; mov.b32 %r2, %envreg31; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, 3;";
    assert_eq!(per_thread(body, 1), [3]);
}
