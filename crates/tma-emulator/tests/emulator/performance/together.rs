//! Lanes that have diverged count together again where they do on a GPU.

use tma_emulator::{EmulatorBackend, Performance};
use tma_launch::{Buffer, Job, Launch, Ptx};

use super::{at, counted, of_body, of_shared};
use crate::common::{kernel, module};

/// Requests and wavefronts of each line, in the order of the text.
fn requests(body: &str) -> Vec<[u64; 2]> {
    let mut lines = of_body(body, 32).shared;
    lines.sort_by_key(|line| line.location.line);
    let counts = lines.iter().map(|line| line.counts);
    counts
        .map(|counts| [counts.requests, counts.wavefronts])
        .collect()
}

#[test]
fn lanes_wait_for_others_at_the_end_of_a_loop_that_stands_before_its_body() {
    // One lane makes a detour in each of 4 iterations; the increment is before the body in the text.
    let body = format!(
        "{} mov.u32 %r5, 0; bra BODY;
        NEXT: add.u32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 4; @%p2 bra END;
        BODY:
        ld.shared.u32 %r2, [%r1];
        setp.ne.u32 %p1, %t, 7; @%p1 bra NEXT;
        add.u32 %r6, %r5, 1; add.u32 %r6, %r6, 1; add.u32 %r6, %r6, 1;
        st.shared.u32 [%r1], %r6;
        bra NEXT;
        END:
        ld.shared.u32 %r3, [%r1];",
        at(4, 4)
    );
    assert_eq!(requests(&body), [[4, 4], [4, 4], [1, 1]]);
}

#[test]
fn lanes_that_leave_a_loop_wait_for_those_in_it() {
    // Lane t makes 1 + t / 8 iterations; the code after the loop is before it in the text.
    let body = format!(
        "{} mov.u32 %r5, 0; shr.u32 %r6, %t, 3; bra LOOP;
        AFTER:
        ld.shared.u32 %r3, [%r1];
        bra END;
        LOOP:
        ld.shared.u32 %r2, [%r1];
        setp.eq.u32 %p1, %r5, %r6; add.u32 %r5, %r5, 1; @!%p1 bra LOOP;
        bra AFTER;
        END:",
        at(4, 128)
    );
    // 32, 24, 16 and 8 lanes in one bank.
    assert_eq!(requests(&body), [[1, 32], [4, 80]]);
}

#[test]
fn lanes_meet_after_one_of_them_has_waited_for_a_copy() {
    let body = format!(
        ".shared .align 8 .b64 bar; mov.u32 %r9, bar; {}
        setp.ne.u32 %p1, %t, 3; @%p1 bra TOGETHER;
        mbarrier.init.shared::cta.b64 [%r9], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 4096;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 4096, [%r9];
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0; @!%p2 bra WAIT;
        TOGETHER:
        ld.shared.u32 %r2, [%r1];",
        at(4096, 4)
    );
    assert_eq!(requests(&body), [[1, 1]]);
}

#[test]
fn lanes_that_wait_for_others_of_their_warp_are_no_deadlock() {
    // Lane 0 spins until lane 1 has stored, which comes later in the text.
    let body = format!(
        "{} st.shared.u32 [%r1], 0; bar.warp.sync -1;
        setp.ne.u32 %p1, %t, 0; @%p1 bra OTHERS;
        SPIN: ld.volatile.shared.u32 %r2, [tile+4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
        bra END;
        OTHERS: st.volatile.shared.u32 [%r1], 1;
        END:",
        at(0, 4)
    );
    let text = kernel(&format!(".shared .align 1024 .b8 tile[8192];\n{body}"));
    let mut job = Job::new(Ptx {
        name: "test.ptx",
        text: &text,
    });
    job.buffers = vec![Buffer::zeroed::<u32>("out", 1)];
    job.launch(Launch::new("k", 1, 32).buffer(0));
    let mut performance = Performance::default();
    let ran = EmulatorBackend::new(0).observe(&mut job, &mut performance);
    assert_eq!(ran.map(|reports| reports.len()), Ok(1));
}

#[test]
fn lanes_wait_for_others_in_a_function() {
    // Odd lanes call; the function follows the kernel, but its calls do not follow the code after them.
    let text = module(
        ".shared .align 1024 .b8 tile[8192];
        .func touch(.reg .b32 at) {
            .reg .b32 %r<2>;
            ld.shared.u32 %r1, [at];
            ret; }
        .visible .entry k(.param .u64 out) {
            .reg .pred %p<2>; .reg .b32 %r<8>;
            mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 128, %r2;
            and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra BOTH;
            call touch, (%r2);
        BOTH:
            st.shared.u32 [%r2], %r1;
            ret; }",
    );
    let launch = Launch::new("k", 1, 32).buffer(0);
    let mut lines = counted(&text, &launch, &[Buffer::zeroed::<u32>("out", 1)]).shared;
    lines.sort_by_key(|line| line.location.line);
    let counts: Vec<_> = lines.iter().map(|line| of_shared(&line.counts)).collect();
    // All words are in one bank.
    assert_eq!(counts, [[1, 16, 1, 16], [1, 32, 1, 32]]);
}

#[test]
fn lanes_of_a_branch_meet_again() {
    // Odd and even lanes write different words of a row on their own, and then read together.
    let body = format!(
        "{} and.b32 %r3, %t, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;
        st.shared.u32 [%r1], %t; add.u32 %r4, %t, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;
        bra BOTH;
        EVEN: st.shared.u32 [%r1], 7;
        BOTH: ld.shared.u32 %r2, [%r1];",
        at(4, 8)
    );
    let report = of_body(&body, 32);
    let mut lines: Vec<_> = report
        .shared
        .iter()
        .map(|line| of_shared(&line.counts))
        .collect();
    lines.sort_unstable();
    // Lanes at a distance of 16 bytes: 16 of them have 8 banks.
    assert_eq!(lines, [[1, 2, 1, 2], [1, 2, 1, 2], [1, 2, 1, 2]]);
}
