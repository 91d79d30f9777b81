//! Kernels that were proved though they have an error or several results, and correct ones that look like them.

use super::*;

const ONE_LANE_EACH: &str =
    "and.b32 %r1, %t, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; setp.ge.u32 %p2, %t, 32;";

/// Searches a kernel in which one lane of warp 0 waits and one lane of warp 1 writes.
fn waiter_and_writer(waits: &str, writes: &str) -> Exploration {
    let body =
        format!("{ONE_LANE_EACH} @%p2 bra WRITER;\n{waits}\nbra END; WRITER: {writes}\nEND:");
    let bounds = Bounds {
        schedules: 100,
        ..Bounds::NONE
    };
    search(&kernel(&body), &Launch::new("k", 1, 64), false, bounds).0
}

const SET_FLAG: &str = "st.release.gpu.global.u32 [%out], 1;";

#[test]
fn a_loop_that_keeps_something_from_a_failed_turn_is_not_proved() {
    // After a branch that only failed turns take, before the test, and in a loop that waits for a phase.
    let kept = [
        "mov.u32 %r2, 0; WAIT: ld.acquire.gpu.global.u32 %r3, [%out]; setp.ne.u32 %p3, %r3, 0; @%p3 bra GOT;
         mov.u32 %r2, 1; bra WAIT; GOT: st.global.u32 [%out+64], %r2;",
        "mov.u32 %r2, 0; WAIT: mov.u32 %r4, %r2; mov.u32 %r2, 1; ld.acquire.gpu.global.u32 %r3, [%out];
         setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT; st.global.u32 [%out+64], %r4;",
        "mov.u32 %r2, 0; WAIT: ld.acquire.gpu.global.u32 %r3, [%out]; setp.ne.u32 %p3, %r3, 0; @%p3 bra GOT;
         bra AGAIN; AGAIN: add.u32 %r2, %r2, 1; bra WAIT; GOT: st.global.u32 [%out+64], %r2;",
    ];
    for waits in kept {
        let found = waiter_and_writer(waits, SET_FLAG);
        let is_open = matches!(found.verdict, Verdict::Unfinished { .. });
        assert!(is_open || found.results > 1, "{waits}: {:?}", found.verdict);
    }
    let waits = "mbarrier.init.shared::cta.b64 [%bar], 1; mov.u32 %r2, 0; st.release.cta.shared::cta.u32 [%tile], 1;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0; @%p3 bra GOT; mov.u32 %r2, 1; bra WAIT;
        GOT: st.global.u32 [%out+64], %r2;";
    let writes = "FIRST: ld.acquire.cta.shared::cta.u32 %r3, [%tile]; setp.eq.u32 %p3, %r3, 0; @%p3 bra FIRST;
        mbarrier.arrive.shared::cta.b64 _, [%bar];";
    let found = waiter_and_writer(waits, writes);
    assert!(
        found.verdict != Verdict::Proved || found.results > 1,
        "{:?}",
        found.verdict
    );
}

#[test]
fn an_error_only_after_a_failed_turn_is_no_proof() {
    let waits = "mov.u32 %r2, 0; WAIT: ld.acquire.gpu.global.u32 %r3, [%out]; setp.ne.u32 %p3, %r3, 0; @%p3 bra GOT;
        mov.u32 %r2, 1; bra WAIT; GOT: setp.ne.u32 %p3, %r2, 0; @%p3 bra END; st.global.u32 [%out+64], 1;";
    let writes = "st.release.gpu.global.u32 [%out], 1; st.global.u32 [%out+64], 2;";
    let found = waiter_and_writer(waits, writes);
    assert!(found.verdict != Verdict::Proved, "{}", found.schedules);
}

#[test]
fn loops_that_only_test_are_proved_with_what_surrounds_them() {
    let only_tests = [
        // A test that succeeds leads back to itself, for the next flag.
        (
            "mov.u64 %rd1, %out; mov.u32 %r2, 0; WAIT: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0;
             @%p3 bra WAIT; add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 2; @%p4 bra WAIT;",
            "st.release.gpu.global.u32 [%out], 1; st.release.gpu.global.u32 [%out+4], 1;",
        ),
        // The same, and the result of the last test is overwritten on the way.
        (
            "mov.u64 %rd1, %out; mov.u32 %r2, 0; WAIT: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0;
             @%p3 bra WAIT; add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 2; @%p3 bra WAIT;",
            "st.release.gpu.global.u32 [%out], 1; st.release.gpu.global.u32 [%out+4], 1;",
        ),
        // The address is computed in each turn, and in the first one.
        (
            "mov.u32 %r2, 1; WAIT: mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %out; nanosleep.u32 20;
             ld.acquire.gpu.global.u32 %r3, [%rd1+-4]; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;",
            SET_FLAG,
        ),
    ];
    for (waits, writes) in only_tests {
        let found = waiter_and_writer(waits, writes);
        let report: String = found
            .report
            .diagnostics
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found.verdict, Verdict::Proved, "{waits}\n{report}");
        assert_eq!((found.schedules, found.results), (1, 1), "{waits}");
    }
}

/// A kernel of three warpgroups that begin with 64 registers a thread: warps of the last one give `gives` back, then those
/// of the first and second take some. The warps of the second wait until the first ones have theirs.
fn warpgroups(gives: u32, first: u32, second: u32) -> Exploration {
    let text = kernel(&format!(
        "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%bar], 128; shr.u32 %r1, %t, 7;
         setp.eq.u32 %p2, %r1, 0; setp.eq.u32 %p3, %r1, 1; @%p2 bra FIRST; @%p3 bra SECOND;
         setmaxnreg.dec.sync.aligned.u32 {gives}; barrier.sync.aligned 0; bra END;
         FIRST: barrier.sync.aligned 0; setmaxnreg.inc.sync.aligned.u32 {first}; setmaxnreg.dec.sync.aligned.u32 24;
         mbarrier.arrive.shared::cta.b64 _, [%bar]; bra END;
         SECOND: barrier.sync.aligned 0; setmaxnreg.inc.sync.aligned.u32 {second};
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%bar], 0; @!%p5 bra WAIT;
         END:"
    ));
    let text = text.replace(".param .u64 in)", ".param .u64 in) .maxnreg 64");
    let bounds = Bounds {
        schedules: 200,
        ..Bounds::NONE
    };
    search(&text, &Launch::new("k", 1, 384), false, bounds).0
}

#[test]
fn lanes_that_meet_by_chance_are_not_proved_and_wake_the_ones_that_sleep() {
    // Lane 0 parts from the others, and the barrier does not bring them together for ever.
    let body = "setp.ne.u32 %p1, %t, 0; @%p1 bra JOIN; mbarrier.init.shared::cta.b64 [%bar], 1; JOIN: bar.sync 0;
        SYNC red.global.add.u32 [%out], 1; ld.relaxed.gpu.global.u32 %r2, [%out]; st.global.u32 [%out+64], %r2;";
    let launch = Launch::new("k", 1, 32);
    let verdict = |sync: &str| {
        let text = kernel(&body.replace("SYNC", sync));
        search(&text, &launch, false, Bounds::NONE).0.verdict
    };
    let why = match verdict("") {
        Verdict::Unfinished { why, .. } => why,
        other => format!("{other:?}"),
    };
    assert!(why.contains("parted"), "{why}");
    assert_eq!(verdict("bar.warp.sync -1;"), Verdict::Proved);
    // The first half polls one word; the second half polls another one with the same load, and then sets the first.
    let body = "setp.lt.u32 %p1, %t, 16; mov.u64 %rd1, %out; @%p1 bra POLL; add.u64 %rd1, %out, 4;
        st.release.gpu.global.u32 [%rd1], 1;
        POLL: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra POLL;
        @%p1 bra END; st.release.gpu.global.u32 [%out], 1; END:";
    let found = search(&kernel(body), &launch, false, Bounds::NONE).0;
    assert_eq!(kinds(&found), BTreeSet::new(), "{:?}", found.verdict);
}

#[test]
fn warps_that_take_too_many_registers_together_are_not_proved() {
    // Any two takes have enough; eight have enough only in some orders.
    let found = warpgroups(24, 72, 104);
    assert!(found.verdict != Verdict::Proved, "{}", found.schedules);
    let found = warpgroups(24, 72, 88);
    assert_eq!((found.verdict, found.schedules), (Verdict::Proved, 1));
}

#[test]
fn states_of_an_mbarrier_are_the_same_in_every_order_of_arrivals() {
    let body = "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%bar], 3; bar.sync 0;
        and.b32 %r1, %t, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; shr.u32 %r1, %t, 5;
        mul.wide.u32 %rd1, %r1, 8; add.u64 %rd1, %rd1, %out;
        mbarrier.arrive.shared::cta.b64 %rd2, [%bar]; st.global.u64 [%rd1], %rd2; END:";
    let launch = Launch::new("k", 1, 64);
    for is_plain in [false, true] {
        let found = search(&kernel(body), &launch, is_plain, Bounds::NONE).0;
        assert_eq!((found.verdict, found.results), (Verdict::Proved, 1));
    }
}

#[test]
fn a_failed_test_that_orders_more_is_no_proof() {
    let body = |last: &str| {
        format!(
            "and.b32 %r1, %t, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; shr.u32 %r1, %t, 5; setp.eq.u32 %p1, %r1, 1;
             setp.eq.u32 %p2, %r1, 2; @%p1 bra FIRST; @%p2 bra SECOND;
             WAIT: ld.acquire.gpu.global.u32 %r2, [%out]; setp.ne.u32 %p3, %r2, 2; @%p3 bra WAIT;
             ld.global.u32 %r3, [%out+16]; st.global.u32 [%out+64], %r3; bra END;
             FIRST: st.global.u32 [%out+16], 7; st.release.gpu.global.u32 [%out], 1; bra END;
             SECOND: ld.relaxed.gpu.global.u32 %r2, [%out]; setp.ne.u32 %p3, %r2, 1; @%p3 bra SECOND;
             {last} END:"
        )
    };
    let verdict = |last: &str| {
        let text = kernel(&body(last));
        search(&text, &Launch::new("k", 1, 96), false, Bounds::NONE)
            .0
            .verdict
    };
    // Only a failed test that reads 1 orders the store of 7 before the load.
    let open = verdict("st.relaxed.gpu.global.u32 [%out], 2;");
    assert_ne!(open, Verdict::Proved);
    // An atomic passes on the release that it reads.
    assert_eq!(
        verdict("atom.relaxed.gpu.global.add.u32 %r2, [%out], 1;"),
        Verdict::Proved
    );
}

#[test]
fn a_wait_is_one_only_if_the_phase_alone_ends_its_loop() {
    let wait = |turn: &str| {
        let body = format!(
            "setp.ne.u32 %p1, %t, 0; @%p1 mov.u32 %r5, 1; @!%p1 mov.u32 %r5, 0; @!%p1 mbarrier.init.shared::cta.b64 [%bar], 1;
             bar.sync 0; and.b32 %r1, %t, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; setp.eq.u32 %p2, %t, 32;
             mov.u32 %r3, 0; @!%p2 bra ARRIVE;
             WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0; {turn} bra END;
             ARRIVE: mbarrier.arrive.shared::cta.b64 _, [%bar]; END:"
        );
        let bounds = Bounds {
            schedules: 50,
            ..Bounds::NONE
        };
        search(&kernel(&body), &Launch::new("k", 1, 64), false, bounds).0
    };
    // As CUTLASS writes it, and the inverse.
    let usual = wait("selp.b32 %r4, 1, 0, %p3; setp.ne.u32 %p4, %r4, 0; @!%p4 bra WAIT;");
    assert_eq!((usual.verdict, usual.schedules), (Verdict::Proved, 1));
    let inverse = wait("selp.b32 %r4, 0, 1, %p3; setp.eq.u32 %p4, %r4, 0; @!%p4 bra WAIT;");
    assert_eq!((inverse.verdict, inverse.schedules), (Verdict::Proved, 1));
    // Until the phase is not complete; or until anything else is true.
    let found = wait("@%p3 bra WAIT;");
    assert!(found.verdict != Verdict::Proved && !kinds(&found).contains(&DiagnosticKind::Deadlock));
    let found = wait("or.pred %p3, %p3, %p2; @!%p3 bra WAIT;");
    assert_eq!(kinds(&found), BTreeSet::new(), "{:?}", found.verdict);
}

#[test]
fn a_test_whose_address_comes_from_the_test_is_no_poll() {
    let chase = "add.u64 %rd1, %out, 8; st.relaxed.gpu.global.u64 [%out], %rd1; mov.u64 %rd1, %out;
        NEXT: ld.acquire.gpu.global.u64 %rd1, [%rd1]; setp.ne.u64 %p3, %rd1, 0; @%p3 bra NEXT;";
    let found = waiter_and_writer(chase, "");
    assert_eq!(
        (kinds(&found), found.verdict),
        (BTreeSet::new(), Verdict::Proved)
    );
}

#[test]
fn lanes_are_together_after_an_operation_of_all_and_of_no_fewer() {
    let body =
        "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW; red.global.add.u32 [%out+4], 1; HIGH bra JOIN;
        LOW: red.global.add.u32 [%out+8], 1; HALF JOIN: ALL red.global.add.u32 [%out], 1;
        ld.relaxed.gpu.global.u32 %r2, [%out]; st.global.u32 [%out+64], %r2;";
    let verdict = |high: &str, low: &str, all: &str| {
        let body = body
            .replace("HIGH", high)
            .replace("HALF", low)
            .replace("ALL", all);
        search(
            &kernel(&body),
            &Launch::new("k", 1, 32),
            false,
            Bounds::NONE,
        )
        .0
        .verdict
    };
    assert_eq!(verdict("", "", "bar.warp.sync -1;"), Verdict::Proved);
    let open = verdict("bar.warp.sync 0xffff0000;", "bar.warp.sync 0xffff;", "");
    assert_ne!(open, Verdict::Proved);
}
