//! The observer's view of stores and copies by single threads, and of changes of tensor maps.

use crate::common::module;
use tma_emulator::{
    EmulatorBackend, Observer,
    observer::{
        AccessKind, CopyCompletion, Event, FenceKind, GroupKind, MbarrierEvent, Memory, Origin,
        Proxy, Scope, Sem,
    },
};
use tma_launch::{Buffer, Job, Launch, Ptx};

#[derive(Default)]
struct Log(Vec<(Origin, Event)>);

impl Observer for Log {
    fn see(&mut self, origin: Origin, event: Event) {
        self.0.push((origin, event));
    }
}

/// Runs `body` in one cluster of two blocks; `%r2` is 256 bytes of shared memory, `%r3` a barrier.
fn observed(body: &str, seed: u64) -> Vec<(Origin, Event)> {
    let text = module(&format!(
        ".visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1 {{
            .shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;
            .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
            ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, bar;
            setp.eq.u32 %p1, %r1, 0; {body} ret; }}"
    ));
    let mut job = Job::new(Ptx {
        name: "observed.ptx",
        text: &text,
    });
    job.buffers = vec![Buffer::zeroed::<u32>("out", 256)];
    job.launch(Launch::new("k", 2, 32).buffer(0));
    let mut log = Log::default();
    EmulatorBackend::new(seed)
        .observe(&mut job, &mut log)
        .unwrap_or_else(|failure| panic!("{failure}"));
    log.0
}

fn positions(log: &[(Origin, Event)], filter: impl Fn(&Origin, &Event) -> bool) -> Vec<usize> {
    (0..log.len())
        .filter(|index| filter(&log[*index].0, &log[*index].1))
        .collect()
}

#[test]
fn copies_in_flight_are_limited() {
    let body = "mov.u32 %r5, 0; @!%p1 bra END;
        LOOP: cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16; cp.async.bulk.commit_group;
        add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 6000; @%p2 bra LOOP;
        cp.async.bulk.wait_group 0; END:";
    let (mut in_flight, mut most, mut all) = (0, 0, 0);
    for (_, event) in observed(body, 0) {
        match event {
            Event::CopyIssue { .. } => (in_flight, all) = (in_flight + 1, all + 1),
            Event::CopyDone(_) => in_flight -= 1,
            _ => {}
        }
        most = most.max(in_flight);
    }
    assert_eq!((in_flight, all), (0, 12_000));
    // A turn that has begun goes on.
    assert!((1000..4096 + 64).contains(&most), "{most}");
}

#[test]
fn an_arrival_by_copies_comes_after_them() {
    let body = "@%p1 mbarrier.init.shared::cta.b64 [%r3], 32; bar.sync 0;
        mad.lo.u32 %r4, %r1, 4, %r2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1;
        cp.async.ca.shared.global [%r4], [%rd2], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];
        cp.async.ca.shared.global [%r4+128], [%rd2+128], 4;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra WAIT; cp.async.wait_all;";
    for seed in 0..8 {
        let log = observed(body, seed);
        // An arrival is not a copy: copies are numbered as they are issued.
        let issued = log.iter().filter_map(|(_, event)| match event {
            Event::CopyIssue { copy, .. } => Some(*copy),
            _ => None,
        });
        assert!(issued.eq(0..128));
        let mut arrivals = 0;
        for (index, (origin, event)) in log.iter().enumerate() {
            let Event::Mbarrier {
                operation:
                    MbarrierEvent::AsyncArrive {
                        phase,
                        copies_before,
                    },
                ..
            } = event
            else {
                continue;
            };
            arrivals += 1;
            assert_eq!(*phase, 0);
            let own = |other: &Origin| (other.block, other.thread) == (origin.block, origin.thread);
            let done = positions(&log, |by, event| {
                own(by) && matches!(event, Event::CopyDone(copy) if copy < copies_before)
            });
            assert!(done.len() == 1 && done[0] < index);
        }
        assert_eq!(arrivals, 64);
        // All accesses of these copies are in the threads' own proxy and belong to their own groups.
        let copies = positions(&log, |_, event| {
            matches!(
                event,
                Event::Access {
                    copy: Some(_),
                    proxy: Proxy::Generic,
                    ..
                }
            )
        });
        assert_eq!(copies.len(), 64 * 4);
        let groups = positions(&log, |_, event| {
            matches!(
                event,
                Event::CopyIssue {
                    completion: CopyCompletion::Group(GroupKind::Async, 0),
                    bytes: 4,
                    ..
                }
            )
        });
        assert_eq!(groups.len(), 64 * 2);
        let ends = positions(&log, |_, event| {
            matches!(
                event,
                Event::Mbarrier {
                    operation: MbarrierEvent::PhaseDone { phase: 0 },
                    ..
                }
            )
        });
        assert_eq!(ends.len(), 2);
    }
}

#[test]
fn stores_to_another_block_are_seen_with_their_order() {
    let body = "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1; mov.u32 %r5, %cluster_ctarank; setp.eq.and.u32 %p3, %r5, 0, %p1;
        barrier.cluster.arrive; barrier.cluster.wait; @!%p3 bra END; mov.u32 %r6, 1;
        mapa.shared::cluster.u32 %r7, %r2, %r6; mapa.shared::cluster.u32 %r8, %r3, %r6;
        mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r8], 12;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r7], {%r6, %r6}, [%r8];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7+8], %r6, [%r8];
        st.async.release.gpu.global.b32 [%rd1], %r6; red.async.release.sys.global.add.u32 [%rd1+4], %r6;
        END: setp.eq.u32 %p2, %r5, 0; @%p2 bra LEAVE;
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra WAIT;
        LEAVE: barrier.cluster.arrive; barrier.cluster.wait;";
    for seed in 0..8 {
        let log = observed(body, seed);
        let accesses: Vec<_> = log
            .iter()
            .filter_map(|(origin, event)| match event {
                Event::Access {
                    proxy,
                    kind,
                    sem,
                    scope,
                    range,
                    copy: Some(_),
                } => {
                    assert_eq!(
                        (origin.block, origin.thread, *proxy),
                        (0, 0, Proxy::Generic)
                    );
                    let block = match range.memory {
                        Memory::Shared { block } => Some(block),
                        _ => None,
                    };
                    Some((block, *kind, *sem, *scope, range.bytes))
                }
                _ => None,
            })
            .collect();
        assert_eq!(accesses.len(), 4, "{accesses:?}");
        for expected in [
            (Some(1), AccessKind::Write, Sem::Weak, Scope::Cta, 8),
            (Some(1), AccessKind::Atomic, Sem::Relaxed, Scope::Cluster, 4),
            (None, AccessKind::Write, Sem::Release, Scope::Gpu, 4),
            (None, AccessKind::Atomic, Sem::Release, Scope::Sys, 4),
        ] {
            assert!(accesses.contains(&expected), "{expected:?} in {accesses:?}");
        }
        let unseen = positions(&log, |_, event| {
            matches!(
                event,
                Event::CopyIssue {
                    completion: CopyCompletion::Nothing,
                    ..
                }
            )
        });
        assert_eq!(unseen.len(), 2);
    }
}

#[test]
fn reductions_of_bulk_copies_are_relaxed_one_by_one() {
    let body = "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
        @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 64;
        @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
    let log = observed(body, 1);
    let atomics = positions(&log, |_, event| {
        let Event::Access {
            kind: AccessKind::Atomic,
            ..
        } = event
        else {
            return false;
        };
        matches!(
            event,
            Event::Access {
                proxy: Proxy::Async,
                sem: Sem::Relaxed,
                scope: Scope::Gpu,
                ..
            }
        )
    });
    assert!(!atomics.is_empty());
    let reads = positions(&log, |_, event| {
        matches!(
            event,
            Event::Access {
                proxy: Proxy::Async,
                kind: AccessKind::Read,
                sem: Sem::Weak,
                ..
            }
        )
    });
    assert_eq!(reads.len(), atomics.len());
    let fences = positions(&log, |_, event| {
        let release = FenceKind::ProxyAsyncGeneric {
            sem: Sem::Release,
            scope: Scope::Cluster,
        };
        *event == Event::Fence(release)
    });
    assert_eq!(fences.len(), 64);
}

#[test]
fn a_changed_map_is_seen_as_a_write_of_all_of_it_and_its_copy_as_a_release() {
    let body = "mov.u32 %r5, %cluster_ctarank; setp.ne.u32 %p3, %r5, 0; @%p3 exit;
        @%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], 1; bar.warp.sync 0xffffffff;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1+128], [%r2], 128;";
    let log = observed(body, 1);
    let of_map = |kind| {
        positions(&log, |origin, event| {
            origin.thread == 0
                && matches!(event, Event::Access { kind: other, range, proxy: Proxy::Generic, copy: None, .. }
                    if *other == kind && range.bytes == 128 && range.memory == Memory::Shared { block: 0 })
        })
    };
    let changed = of_map(AccessKind::Write);
    assert_eq!((changed.len(), of_map(AccessKind::Read).len()), (1, 1));
    let global = 0x7f00_0000_0080;
    let written = positions(&log, |_, event| {
        matches!(event, Event::Access { kind: AccessKind::Write, range, .. }
            if range.memory == Memory::Global && range.bytes == 4)
    });
    assert_eq!(written.len(), 32);
    let released = positions(&log, |_, event| {
        let release = FenceKind::ProxyTensorMap {
            sem: Sem::Release,
            scope: Scope::Gpu,
            address: global,
        };
        *event == Event::Fence(release)
    });
    assert_eq!(released.len(), 32);
    assert!(changed[0] < written[0] && written[0] < released[0]);
    // The lanes synchronise before the copy, which orders no memory, and after it.
    let synced = |orders: bool| {
        positions(&log, |origin, event| {
            origin.thread == 0
                && matches!(event, Event::WarpMeet { orders: other, .. } if *other == orders)
        })
    };
    assert_eq!(synced(false).len(), 1);
    assert!(synced(false)[0] < written[0]);
    assert!(synced(true).last().copied().unwrap() > *released.last().unwrap());
}
