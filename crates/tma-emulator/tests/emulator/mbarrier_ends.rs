//! `mbarrier.inval` after asynchronous arrivals and bytes: only threads that know of the end of their phase may
//! execute it.

use crate::common::{SEEDS, copies::kernel, run_launch};
use tensor_map::{DataType, Params, TensorMap};
use tma_emulator::{
    EmulatorBackend, Observer,
    observer::{Event, MbarrierEvent, Origin},
};
use tma_launch::{Buffer, Job, Launch, Ptx};

/// Three warps, so that threads of several arrive.
const THREADS: u32 = 96;

const WAIT: &str = "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;";
const INVAL: &str = "mbarrier.inval.shared::cta.b64 [%bar];";
const BEHIND: &str = "BEHIND: bar.sync 0;";
const OTHERS: &str = "@!%p4 bra BEHIND;";

/// Thread 70 waits for phase 0 of `%bar` and invalidates the barrier; thread 33 then uses its memory for a
/// word.
fn end() -> String {
    format!(
        "setp.eq.u32 %p4, %t, 70; setp.eq.u32 %p5, %t, 33; {OTHERS} {WAIT} {INVAL} {BEHIND}
        @%p5 st.shared.u32 [%bar], 7; bar.sync 0; ld.shared.u32 %r3, [%bar];
        mov.u32 %r4, %ctaid.x; mad.lo.u32 %r4, %r4, {THREADS}, %t;
        mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd4, %out; st.global.u32 [%rd4], %r3;"
    )
}

/// Returns the checker's message under each seed, which is empty where the kernel is right.
fn message(body: &str, blocks: u32) -> Vec<String> {
    let cluster = format!(".reqnctapercluster {blocks}, 1, 1");
    let parameters = ".param .u64 in, .param .align 64 .b8 map[128]";
    let text = kernel(parameters, &cluster, body);
    let params: Params = TensorMap::tiled(DataType::U32, &[512])
        .box_dims(&[64])
        .into();
    let message = SEEDS.map(|seed| {
        let launch = Launch::new("k", blocks, THREADS).buffer(0).buffer(1);
        let launch = launch.tensor_map(params, 1);
        let words = (THREADS * blocks) as usize;
        let buffers = vec![
            Buffer::new("out", &vec![0_u32; words]),
            Buffer::zeroed::<u32>("in", 512),
        ];
        match run_launch(&text, launch, buffers, seed) {
            Ok(buffers) => {
                assert_eq!(buffers[0].to_vec::<u32>().unwrap(), vec![7; words]);
                String::new()
            }
            Err(failure) => failure.to_string(),
        }
    });
    message.into()
}

/// The kernel is right, and with each of these changes its barrier ends too early, both under every seed.
fn check(body: &str, blocks: u32, bugs: &[&[(&str, &str)]]) {
    assert_eq!(message(body, blocks), [""; SEEDS.len()]);
    for changes in bugs {
        let mut wrong = body.to_owned();
        for (part, instead) in *changes {
            assert_eq!(wrong.matches(part).count(), 1, "{part}");
            wrong = wrong.replace(part, instead);
        }
        for (message, seed) in message(&wrong, blocks).iter().zip(SEEDS) {
            let is_found = message.contains("error[mbarrier-invalidated-in-use]");
            assert!(is_found, "seed {seed}, {changes:?}: {message}");
        }
    }
}

/// Checks the same with bugs that any kernel can have; `barrier` is one that all threads arrive at.
fn check_all(body: &str, blocks: u32, barrier: &str) {
    let by_other = format!("BEHIND: @%p5 {INVAL} bar.sync 0;");
    let before = format!("{INVAL} {WAIT}");
    let both = format!("{WAIT} {INVAL}");
    let look = "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%bar], 0;";
    let looks = format!("BEHIND: setp.eq.u32 %p6, %t, 71; @%p6 {look} bar.sync 0;");
    let others = format!("{barrier} {OTHERS}");
    check(
        body,
        blocks,
        &[
            &[(WAIT, "")],
            // A barrier of the threads does not wait for what comes by itself.
            &[(OTHERS, &others), (WAIT, "")],
            &[(INVAL, ""), (BEHIND, &by_other)],
            &[(&both, &before)],
            // Thread 71 looks, too.
            &[(BEHIND, &looks)],
        ],
    );
}

const PLAIN_COPY: &str =
    "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 16; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 16, %tile;
    cp.async.cg.shared.global [%r1], [%rd2], 16;";

#[test]
fn behind_arrivals_of_plain_copies() {
    let body = format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], {THREADS}; bar.sync 0; {PLAIN_COPY}
        cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar]; {}",
        end()
    );
    check_all(&body, 1, "bar.sync 1;");
}

#[test]
fn behind_arrivals_that_the_phase_expects_besides() {
    let body = format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], 1; bar.sync 0; {PLAIN_COPY}
        cp.async.mbarrier.arrive.shared::cta.b64 [%bar]; bar.sync 0;
        @%p1 mbarrier.arrive.shared::cta.b64 _, [%bar]; {}",
        end()
    );
    check_all(&body, 1, "bar.sync 1;");
}

#[test]
fn behind_bytes_of_copies_by_several_threads() {
    let bulk = "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %t, 16; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r1, %t, 16, %tile;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 16, [%bar];";
    let tensor = "setp.lt.u32 %p6, %t, 6; mov.b64 %rd2, map; cvta.param.u64 %rd2, %rd2; shl.b32 %r2, %t, 6; mad.lo.u32 %r1, %t, 256, %tile;
        @%p6 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r2}], [%bar];";
    for copies in [bulk, tensor] {
        let body = format!(
            "@%p1 mbarrier.init.shared::cta.b64 [%bar], 1; @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 1536;
            bar.sync 0; {copies} {}",
            end()
        );
        check_all(&body, 1, "bar.sync 1;");
    }
}

/// Each thread of both blocks of a cluster uses the barrier of the other block.
fn in_cluster(count: u32, first: &str, then: &str) -> String {
    format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], {count}; {first}
        mad.lo.u32 %r1, %t, 4, %tile; st.shared.u32 [%r1], %t;
        barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r4, %cluster_ctarank; xor.b32 %r5, %r4, 1;
        mapa.shared::cluster.u32 %r8, %r1, %r5; mapa.shared::cluster.u32 %r9, %bar, %r5; {then}
        {} barrier.cluster.arrive; barrier.cluster.wait;",
        end()
    )
}

const CLUSTER_BARRIER: &str = "barrier.cluster.arrive; barrier.cluster.wait;";

#[test]
fn behind_bytes_of_another_block() {
    let expect = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 384;";
    let stores = [
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r8], %t, [%r9];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r8], %t, [%r9];",
    ];
    for store in stores {
        check_all(&in_cluster(1, expect, store), 2, CLUSTER_BARRIER);
    }
}

#[test]
fn behind_arrivals_of_another_block() {
    let arrive = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];";
    let body = in_cluster(THREADS, "", arrive);
    let by_other = format!("BEHIND: @%p5 {INVAL} bar.sync 0;");
    let before = format!("{INVAL} {WAIT}");
    let both = format!("{WAIT} {INVAL}");
    check(
        &body,
        2,
        &[
            &[(WAIT, "")],
            &[(INVAL, ""), (BEHIND, &by_other)],
            &[(&both, &before)],
            // These do not order the steps of threads in the other block.
            &[(".acquire.cluster", ".acquire.cta")],
            &[(".release.cluster", ".relaxed.cluster")],
        ],
    );
    // An arrival is over with the thread's step, so that any barrier of these threads will do.
    let by_barrier = body.replace(WAIT, "");
    let by_barrier = by_barrier.replace(OTHERS, &format!("{CLUSTER_BARRIER} {OTHERS}"));
    assert_eq!(message(&by_barrier, 2), [""; SEEDS.len()]);
}

/// The order in which phases end and an arrival of plain copies comes.
#[derive(Default)]
struct Order {
    phases_before: Option<u64>,
    phases: u64,
    is_ended: bool,
}

impl Observer for Order {
    fn see(&mut self, _: Origin, event: Event) {
        let Event::Mbarrier { operation, .. } = event else {
            return;
        };
        match operation {
            MbarrierEvent::PhaseDone { .. } => self.phases += 1,
            MbarrierEvent::Inval => self.is_ended = true,
            MbarrierEvent::AsyncArrive { .. } if !self.is_ended => {
                self.phases_before = Some(self.phases);
            }
            _ => {}
        }
    }
}

/// The second of two arrivals at a barrier that expects one counts in phase 1. Thread 70 waits only for phase 0,
/// and for the steps of the arriving thread.
#[test]
fn behind_an_arrival_that_a_later_phase_counts() {
    let body = format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%bar], 1; bar.sync 0; ld.param.u64 %rd2, [in];
        @%p1 cp.async.cg.shared.global [%tile], [%rd2], 16; @%p1 cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar];
        @%p1 mbarrier.arrive.shared::cta.b64 _, [%bar]; bar.sync 0;
        setp.ne.u32 %p4, %t, 70; @%p4 bra BEHIND; {WAIT} mov.u32 %r1, 0;
        NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p5, %r1, 200; @%p5 bra NEXT; {INVAL} BEHIND:"
    );
    let text = kernel(".param .u64 in", "", &body);
    let mut late = 0;
    for seed in 0..32 {
        let mut job = Job::new(Ptx {
            name: "test.ptx",
            text: &text,
        });
        job.buffers = vec![
            Buffer::zeroed::<u32>("out", 1),
            Buffer::zeroed::<u32>("in", 4),
        ];
        job.launch(Launch::new("k", 1, THREADS).buffer(0).buffer(1));
        let mut order = Order::default();
        let observed = EmulatorBackend::new(seed).observe(&mut job.clone(), &mut order);
        let checked = EmulatorBackend::new(seed).run(&mut job);
        match (observed, order.phases_before) {
            (Ok(_), Some(0)) => assert_eq!(checked.map(drop), Ok(()), "seed {seed}"),
            (Ok(_), Some(_)) => {
                let message = checked.expect_err("it ends too early").to_string();
                let is_found = message.contains("error[mbarrier-invalidated-in-use]")
                    && message.contains("only a wait for phase 1 proves that it has completed");
                assert!(is_found, "seed {seed}: {message}");
                late += 1;
            }
            // The arrival comes after the end of the barrier, or of the block.
            _ => assert!(checked.is_err(), "seed {seed}"),
        }
    }
    assert!((1..32).contains(&late), "{late}");
}
