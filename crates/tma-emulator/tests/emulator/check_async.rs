//! Checks stores and copies by single threads, changed tensor maps, and requests for clusters:
//! right kernels and the same with one bug.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel},
    run_launch,
};
use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, Job, Launch, Ptx};

/// Returns the checker's message, the same with every seed; `None` where the kernel is right.
fn message(body: &str, directives: &str, blocks: u32) -> Option<String> {
    let text = kernel(".param .u64 in", directives, body);
    let results = SEEDS.map(|seed| {
        let launch = Launch::new("k", blocks, 32).buffer(0).buffer(1);
        let buffers = vec![
            Buffer::zeroed::<u32>("out", 1024),
            Buffer::zeroed::<u32>("in", 1024),
        ];
        let failure = run_launch(&text, launch, buffers, seed).err()?;
        Some(failure.to_string())
    });
    let first = results[0].clone();
    let said_something = results
        .iter()
        .all(|message| message.is_some() == first.is_some());
    assert!(said_something, "{results:?}");
    first
}

/// Waits for phase 0 of `%bar`.
const WAIT: &str = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;";

/// The kernel is right; with each of the changes, it has the bug.
fn check(body: &str, directives: &str, blocks: u32, bugs: &[(&str, &str, &str)]) {
    assert_eq!(message(body, directives, blocks), None);
    for (part, instead, kind) in bugs {
        assert!(body.contains(part), "{part}");
        let message = message(&body.replace(part, instead), directives, blocks).unwrap_or_default();
        assert!(
            message.contains(kind),
            "`{instead}` for `{part}`: {message}"
        );
    }
}

#[test]
fn copies_that_arrive_at_an_mbarrier() {
    let body = &format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], 32; bar.sync 0;
        ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 16; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 16, %tile;
        cp.async.cg.shared.global [%r1], [%rd2], 16;
        cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar]; {WAIT}
        xor.b32 %r2, %t, 1; mad.lo.u32 %r2, %r2, 16, %tile; ld.shared.u32 %r3, [%r2+8];
        mul.wide.u32 %rd4, %t, 4; add.u64 %rd4, %rd4, %out; st.global.u32 [%rd4], %r3;"
    );
    check(
        body,
        "",
        1,
        &[
            // An arrival of the thread does not cover its copies.
            (
                "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar];",
                "mbarrier.arrive.shared::cta.b64 _, [%bar];",
                "read-before-completion",
            ),
            (WAIT, "", "read-before-completion"),
        ],
    );
}

/// A bulk copy between the `cp.async` is not one of them.
#[test]
fn bulk_copies_are_not_counted_with_cp_async() {
    let copy = |at: u32| format!("cp.async.ca.shared.global [%r1+{at}], [%rd2+{at}], 16;");
    let body = &format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], 32; bar.sync 0; fence.proxy.async;
        ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 32; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 32, %tile;
        {} {} add.u32 %r2, %tile, 4096; mad.lo.u32 %r2, %t, 16, %r2;
        st.shared.v4.u32 [%r2], {{%t, %t, %t, %t}}; fence.proxy.async; add.u64 %rd4, %out, 2048; mul.wide.u32 %rd5, %t, 16;
        add.u64 %rd4, %rd4, %rd5; cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r2], 16;
        cp.async.bulk.commit_group; cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar]; {WAIT}
        xor.b32 %r2, %t, 1; mad.lo.u32 %r2, %r2, 32, %tile; ld.shared.u32 %r3, [%r2+20];
        mul.wide.u32 %rd4, %t, 4; add.u64 %rd4, %rd4, %out; st.global.u32 [%rd4], %r3; cp.async.bulk.wait_group 0;",
        copy(0),
        copy(16)
    );
    check(body, "", 1, &[(WAIT, "", "read-before-completion")]);
}

#[test]
fn stores_to_another_block() {
    let body = format!(
        "{INIT} mov.u32 %r4, %cluster_ctarank; @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
        barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r5, %r4, 1;
        mapa.shared::cluster.u32 %r8, %tile, %r5; mapa.shared::cluster.u32 %r9, %bar, %r5; mad.lo.u32 %r8, %t, 4, %r8;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r8], %t, [%r9];
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
        mad.lo.u32 %r1, %t, 4, %tile; ld.shared.u32 %r3, [%r1];
        shl.b32 %r6, %r4, 5; add.u32 %r6, %r6, %t; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd4, %out; st.global.u32 [%rd4], %r3;
        barrier.cluster.arrive; barrier.cluster.wait;"
    );
    check(
        &body,
        ".reqnctapercluster 2, 1, 1",
        2,
        &[
            (".acquire.cluster", ".acquire.cta", "scope-too-narrow"),
            ("[%bar], 128;", "[%bar], 132;", "transaction-bytes"),
        ],
    );
}

#[test]
fn maps_that_are_changed_and_copied() {
    let body = format!(
        "{INIT} ld.param.u64 %rd2, [in]; add.u64 %rd6, %out, 1024; add.u32 %r8, %tile, 1024; mov.u64 %rd5, 128;
        @%p1 st.bulk.weak.shared::cta [%r8], %rd5, 0;
        @%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r8], %rd2;
        @%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r8], 0, 32;
        @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r8], 0, 32;
        @%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r8], 0, 1;
        @%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r8], 2;
        bar.warp.sync 0xffffffff;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [%rd6], [%r8], 128;
        fence.proxy.tensormap::generic.acquire.cta [%rd6], 128;
        @!%p1 bra WAIT; mov.u32 %r6, 0; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
        cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%rd6, {{%r6}}], [%bar];
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;"
    );
    check(
        &body,
        "",
        1,
        &[
            (
                "fence.proxy.tensormap::generic.acquire.cta [%rd6], 128;",
                "",
                "tensormap-not-acquired",
            ),
            // The other lanes copy what thread 0 has changed.
            (
                "bar.warp.sync 0xffffffff;\n        tensormap.cp",
                "tensormap.cp",
                "data-race",
            ),
        ],
    );
}

#[test]
fn responses_are_waited_for() {
    let body = format!(
        ".reg .b128 %q; {INIT} @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 16;
        @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%tile], [%bar];
        {WAIT} ld.shared.b128 %q, [%tile];"
    );
    check(&body, "", 1, &[(WAIT, "", "read-before-completion")]);
}

#[test]
fn zeros_of_ordinary_stores_need_a_proxy_fence_before_a_copy() {
    let body = "mov.u64 %rd5, 128; @%p1 st.bulk.weak.shared::cta [%tile], %rd5, 0; fence.proxy.async.shared::cta;
        @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%tile], 128;
        @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
    check(
        body,
        "",
        1,
        &[("fence.proxy.async.shared::cta;", "", "missing-proxy-fence")],
    );
}

#[test]
fn a_fence_of_other_memory_orders_no_copy() {
    let fence = "fence.proxy.async.shared::cta;";
    let body = format!(
        "mad.lo.u32 %r1, %t, 4, %tile; st.shared.u32 [%r1], %t; {fence} bar.warp.sync -1;
        @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%tile], 128;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    );
    let other = "fence.proxy.async.global;";
    let said = "is not on the path, and orders global memory alone";
    check(
        &body,
        "",
        1,
        &[(fence, other, said), (fence, "", "missing-proxy-fence")],
    );
}

#[test]
fn registers_of_a_warpgroup() {
    let body = "setmaxnreg.dec.sync.aligned.u32 104; setmaxnreg.dec.sync.aligned.u32 40;
        setmaxnreg.inc.sync.aligned.u32 96;";
    let wrong = "its threads have 104 registers each";
    let bugs = [
        ("dec.sync.aligned.u32 104", "inc.sync.aligned.u32 96", wrong),
        (
            "dec.sync.aligned.u32 104",
            "dec.sync.aligned.u32 112",
            wrong,
        ),
        (
            "inc.sync.aligned.u32 96",
            "dec.sync.aligned.u32 96",
            "its threads have 40 registers each",
        ),
    ];
    check(body, ".maxnreg 104", 1, &bugs);
    let unbounded = message(body, "", 1);
    assert!(unbounded.is_some_and(|it| it.contains("setmaxnreg-unbounded")));
}

#[test]
fn arrivals_at_a_barrier_are_ordered_by_phase() {
    let body = "shr.u32 %r1, %t, 5; setp.eq.u32 %p2, %r1, 0; setp.eq.u32 %p3, %r1, 1;
        @%p2 bra FIRST; @%p3 bra BOTH; bar.sync 2, 64; bar.arrive 1, 64; bra DONE;
        BOTH: bar.sync 1, 64; bar.arrive 2, 64; bar.sync 1, 64; bra DONE;
        FIRST: bar.arrive 1, 64; DONE:";
    let text = kernel(".param .u64 in", "", body);
    for seed in SEEDS {
        let run = |text: &str| {
            let buffers = vec![Buffer::zeroed::<u32>("out", 4)];
            let launch = Launch::new("k", 1, 96).buffer(0).buffer(0);
            run_launch(text, launch, buffers, seed).map_err(|failure| failure.to_string())
        };
        assert!(run(&text).is_ok());
        let early = run(&text
            .replace("bar.sync 2, 64;", "")
            .replace("bar.arrive 2, 64;", ""));
        let said = early.unwrap_err();
        assert!(said.contains("error[early-barrier-arrival]"), "{said}");
        assert!(said.contains("arrives in its phase 0"), "{said}");
    }
}

/// Block 0 hands a word to block 1.
#[test]
fn the_scope_must_include_both_threads() {
    let body = "mov.u32 %r4, %ctaid.x; mov.u32 %r5, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra USE; @!%p1 bra END;
        st.global.u32 [%out], %r5; st.release.gpu.global.u32 [%out+128], %r5; bra END;
        USE: ld.acquire.gpu.global.u32 %r5, [%out+128]; setp.eq.u32 %p3, %r5, 0; @%p3 bra USE;
        ld.global.u32 %r5, [%out]; END:";
    let far = "the two are in different clusters: `.gpu` is needed";
    let near = "the two are in different blocks of a cluster: `.cluster` is needed";
    for (directives, wanted) in [("", far), (".reqnctapercluster 2", near)] {
        check(
            body,
            directives,
            2,
            &[("release.gpu", "release.cta", wanted)],
        );
    }
}

#[test]
fn findings_are_alike_at_the_same_two_places() {
    let body = "st.global.u32 [%out], %t; ld.global.u32 %r1, [%out]; st.global.u32 [%out+4], %r1;";
    let text = kernel(".param .u64 in", "", body);
    let mut job = Job::new(Ptx {
        name: "test.ptx",
        text: &text,
    });
    job.buffers = vec![Buffer::zeroed::<u32>("out", 4)];
    job.launch(Launch::new("k", 1, 64).buffer(0).buffer(0));
    let checked = EmulatorBackend::new(0).check(&mut job).unwrap();
    let found = &checked.diagnostics[0];
    let mut other = found.clone();
    other.count += 1;
    assert!(found.there.is_some() && found.is_like(&other));
    other.there = None;
    assert!(!found.is_like(&other));
}

#[test]
fn results_of_waits_are_those_of_the_innermost_register() {
    let body = format!(
        ".reg .pred q2; {INIT} @%p1 mbarrier.arrive.shared::cta.b64 _, [%bar]; bar.sync 0; setp.eq.u32 q2, %t, %t;
        {{ .reg .pred q<2>; mbarrier.try_wait.parity.shared::cta.b64 q2, [%bar], 0; }} @!q2 trap;"
    );
    check(&body, "", 1, &[("q<2>", "q2", "unused-wait-result")]);
}

#[test]
fn uninitialised_values_are_followed() {
    let start = "mad.lo.u32 %r1, %t, 8, %tile; st.shared.u64 [%r1], 5; ld.shared.u64 %rd5, [%r1]; mov.u64 %rd6, 7;
        mad.wide.u32 %rd2, %t, 8, %out;";
    for step in [
        "cvta.global.u64 %rd6, %rd5;",
        "setp.eq.u64 %p2, %rd5, %rd5; @%p2 add.u64 %rd6, %rd6, 1;",
        "setp.ne.u64 %p2, %rd5, %rd5; @%p2 add.u64 %rd6, %rd6, 1;",
    ] {
        let body = format!("{start} {step} st.global.u64 [%rd2], %rd6;");
        check(
            &body,
            "",
            1,
            &[("st.shared.u64 [%r1], 5;", "", "uninitialised-use")],
        );
    }
}

/// A producer fills the only stage again, and some lanes of the consumer's warp have not released it.
#[test]
fn a_deadlock_names_the_lanes_that_release_no_stage() {
    let body = "add.u32 %r8, %tile, 4096; setp.eq.u32 %p3, %t, 32;
        .loc 1 46 5\n @%p1 mbarrier.init.shared::cta.b64 [%r8], 1; @%p1 mbarrier.init.shared::cta.b64 [%r8+8], 32;
        .loc 1 50 5\n bar.sync 0; setp.ge.u32 %p2, %t, 32; @%p2 bra READ; @!%p1 bra END; ld.param.u64 %rd2, [in];
        mov.u32 %r5, 1;
        FILL: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8+8], %r5; @!%p2 bra FILL;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%rd2], 128, [%r8];
        sub.u32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra FILL; bra END;
        READ: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], 0; @!%p2 bra READ;
        setp.ge.u32 %p2, %t, 40; @%p2 mbarrier.arrive.shared::cta.b64 _, [%r8+8]; END:";
    let text = kernel(".param .u64 in", "", body).replace(
        ".shared .align 1024",
        ".file 1 \"lib.rs\"\n.shared .align 1024",
    );
    let buffers = vec![
        Buffer::zeroed::<u32>("out", 4),
        Buffer::zeroed::<u32>("in", 64),
    ];
    let launch = Launch::new("k", 1, 64).buffer(0).buffer(1);
    let said = run_launch(&text, launch, buffers, 0)
        .unwrap_err()
        .to_string();
    let wanted = "stage 0 of the pipeline at lib.rs:46 was taken but not released by warp 1 lanes 0 to 7 of block [0, 0, 0]";
    assert!(said.contains(wanted), "{said}");
}
