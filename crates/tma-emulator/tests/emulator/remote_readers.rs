//! Readers of another block's shared memory, knowledge that a collective passes on, and lanes that store together.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel},
    run_launch,
};
use tma_emulator::{EmulatorBackend, check::DiagnosticKind};
use tma_launch::{Buffer, Job, Launch, Ptx};

/// Returns the kinds of findings and the kinds of notes, the same under every seed.
fn found(body: &str, directives: &str, launch: &Launch) -> [Vec<DiagnosticKind>; 2] {
    let text = kernel(".param .u64 in", directives, body);
    let check = |seed: &u64| {
        let mut job = Job::new(Ptx {
            name: "test.ptx",
            text: &text,
        });
        job.buffer(Buffer::zeroed::<u32>("out", 256));
        job.buffer(Buffer::zeroed::<u32>("in", 256));
        job.launch(launch.clone().buffer(0).buffer(1));
        let checked = EmulatorBackend::new(*seed).check(&mut job);
        let checked = checked.unwrap_or_else(|failure| panic!("{failure}"));
        [checked.diagnostics, checked.notes].map(|found| {
            let mut kinds: Vec<_> = found.iter().map(|found| found.kind).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        })
    };
    let mut results = SEEDS.iter().map(check);
    let first = results.next().expect("there are seeds");
    assert!(results.all(|other| other == first), "the seeds differ");
    first
}

const MEET: &str = "barrier.cluster.arrive; barrier.cluster.wait;";

/// Blocks of the cluster read shared memory of block `owner`: one word, or a row with a word for each lane. Block
/// `owner` then writes there.
fn reads(owner: u32, address: &str, readers: &str, meet: &str) -> String {
    format!(
        "mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, {owner}; mad.lo.u32 %r1, %t, 4, %tile; st.shared.u32 [%r1], %t;
        {MEET} setp.eq.u32 %p3, %r4, %r5; @!%p3 bra READ; bar.sync 0; bar.sync 0; bar.sync 0;
        READ: mapa.shared::cluster.u32 %r8, %tile, %r5; {address} setp.{readers}.u32 %p4, %r4, %r5;
        @!%p4 bra READ_ALL; ld.shared::cluster.u32 %r3, [%r8]; READ_ALL: {meet}
        @%p3 st.shared.u32 [%r1], 9; {MEET}"
    )
}

#[test]
fn reads_of_another_block_come_before_a_write() {
    let launch = Launch::new("k", 2, 32).cluster(2);
    for address in ["", "mad.lo.u32 %r8, %t, 4, %r8;"] {
        for owner in [0, 1] {
            // The other block alone reads, or both blocks.
            for readers in ["ne", "ge", "le"] {
                let clean = reads(owner, address, readers, MEET);
                let case = format!("{owner} {address} {readers}");
                assert_eq!(found(&clean, "", &launch), [vec![], vec![]], "{case}");
                if readers != "ne" && (readers == "ge") == (owner == 1) {
                    continue;
                }
                let bug = reads(owner, address, readers, "");
                let race = vec![DiagnosticKind::DataRace];
                assert_eq!(found(&bug, "", &launch), [race, vec![]], "{case}");
            }
        }
    }
}

#[test]
fn a_collective_passes_on_what_a_lane_has_waited_for() {
    let body = |wait: &str| {
        format!(
            "{INIT} setp.lt.u32 %p2, %t, 32; @%p2 bra FIRST; setp.eq.u32 %p3, %t, 40;
            @%p3 st.shared.u32 [%tile+64], 7; @%p3 mbarrier.arrive.shared::cta.b64 _, [%bar]; bra END;
            FIRST: @!%p1 bra MEET; {wait}
            MEET: shfl.sync.idx.b32 %r2, %t, 0, 31, -1; setp.eq.u32 %p5, %t, 1; @!%p5 bra END;
            ld.shared.u32 %r1, [%tile+64]; st.global.u32 [%out], %r1; END:"
        )
    };
    let wait = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%bar], 0; @!%p4 bra WAIT;";
    let launch = Launch::new("k", 1, 64);
    let [by_collective, _] = found(&body(wait), "", &launch);
    assert_eq!(by_collective, [DiagnosticKind::OrderByCollective]);
    let [unordered, _] = found(&body(""), "", &launch);
    assert!(
        unordered.contains(&DiagnosticKind::DataRace),
        "{unordered:?}"
    );
    let buffers = vec![
        Buffer::zeroed::<u32>("out", 1),
        Buffer::zeroed::<u32>("in", 1),
    ];
    let text = kernel(".param .u64 in", "", &body(wait));
    let ran = run_launch(&text, launch.buffer(0).buffer(1), buffers, 0).unwrap();
    assert_eq!(ran[0].to_vec::<u32>().unwrap(), [7]);
}

/// A stage is filled once. Its barriers are initialised again as often as `rounds` says: only the first barriers at
/// a place are judged.
#[test]
fn barriers_that_are_initialised_again_are_no_pipeline() {
    let body = |rounds: u32| {
        format!(
            "add.u32 %r8, %tile, 4096; mov.u32 %r9, 0; ld.param.u64 %rd2, [in];
            ROUND: @%p1 mbarrier.init.shared::cta.b64 [%r8], 1; @%p1 mbarrier.init.shared::cta.b64 [%r8+8], 32; bar.sync 0;
            setp.ge.u32 %p2, %t, 32; @%p2 bra READ; @!%p1 bra MEET;
            FILL: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8+8], 1; @!%p2 bra FILL; fence.proxy.async;
            mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%rd2], 128, [%r8]; bra MEET;
            READ: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], 0; @!%p2 bra READ;
            ld.shared.u32 %r1, [%tile]; mbarrier.arrive.shared::cta.b64 _, [%r8+8];
            MEET: bar.sync 0; @%p1 mbarrier.inval.shared::cta.b64 [%r8]; @%p1 mbarrier.inval.shared::cta.b64 [%r8+8];
            bar.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, {rounds}; @%p3 bra ROUND;"
        )
    };
    let launch = Launch::new("k", 1, 64);
    let notes = |rounds| found(&body(rounds), "", &launch);
    assert_eq!(notes(1), [vec![], vec![DiagnosticKind::StagesFilledOnce]]);
    assert_eq!(notes(2), [vec![], vec![]]);
}

#[test]
fn lanes_that_shuffle_in_different_arms_meet() {
    let body = "setp.lt.u32 %p2, %t, 16; @%p2 bra LOW; shfl.sync.idx.b32 %r2, %t, 3, 31, -1; bra MET;
        LOW: shfl.sync.idx.b32 %r2, %t, 3, 31, -1; MET: mul.wide.u32 %rd2, %t, 4; add.u64 %rd2, %rd2, %out;
        st.global.u32 [%rd2], %r2;";
    assert_eq!(found(body, "", &Launch::new("k", 1, 32)), [vec![], vec![]]);
}

#[test]
fn vectors_that_differ_in_one_element_race() {
    let body = |vector: &str| format!("mov.u32 %r5, 7; st.shared.v2.u32 [%tile+8], {{{vector}}};");
    let launch = Launch::new("k", 1, 32);
    assert_eq!(found(&body("%r5, %r5"), "", &launch)[0], []);
    for vector in ["%t, %r5", "%r5, %t"] {
        let [kinds, _] = found(&body(vector), "", &launch);
        assert_eq!(kinds, [DiagnosticKind::DataRace], "{vector}");
    }
}
