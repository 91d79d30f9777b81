//! Blocks that work together: in a cluster, or through global memory.

use tma_emulator::check::DiagnosticKind::{
    DataRace, Deadlock, DestinationOverwritten, EarlyBarrierArrival, ExitWhilePeerAccesses,
    MbarrierInitNotPublished, PeerNotStarted, ScopeTooNarrow, StageStillRead,
    StoreSourceOverwritten, TransactionBytes, UnarmedReceiver,
};
use tma_launch::{Buffer, Launch};

use super::{Bug, Family, blocks, writes};
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "multicast",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/multicast.ptx")),
        scenario: |entry| pair(entry, &[|i| 2032 + 2 * (i % 32), |i| 1000 + i], 128),
        bugs: &[
            Bug::new("only_the_first_block_arms", &[UnarmedReceiver]),
            Bug::new("own_half_expected", &[TransactionBytes]),
            Bug::new("bytes_times_blocks", &[TransactionBytes]),
            Bug::new("no_barrier_of_the_cluster", &[PeerNotStarted]),
            Bug::new("no_fence_of_the_init", &[MbarrierInitNotPublished]),
            Bug::new("fence_of_another_thread", &[MbarrierInitNotPublished]),
            Bug::new("one_receiver", &[Deadlock]),
        ],
    },
    Family {
        name: "cluster_ring",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/cluster_ring.ptx")),
        scenario: |entry| pair(entry, &[|i| 1000 + i % 192, |i| 1000 + i], 768),
        bugs: &[
            Bug::new(
                "peer_does_not_arrive",
                &[StageStillRead, DestinationOverwritten],
            ),
            Bug::new("wait_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("arrival_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("arrives_before_the_reads", &[StageStillRead]),
            Bug::new("first_block_leaves_early", &[ExitWhilePeerAccesses]),
            Bug::new("peer_arrives_at_its_own_barrier", &[Deadlock]),
            Bug::new("one_lane_arrives_for_all", &[StageStillRead]),
        ],
    },
    Family {
        name: "exchange",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/exchange.ptx")),
        scenario: |entry| pair(entry, &[|i| 100 * ((i / 32) ^ 1) + i % 32], 128),
        bugs: &[
            Bug::new("no_barrier_at_the_end", &[ExitWhilePeerAccesses]),
            Bug::new("relaxed_barrier", &[DataRace]),
            Bug::new("barrier_of_the_block_at_the_end", &[ExitWhilePeerAccesses]),
        ],
    },
    Family {
        name: "cluster_arrivals",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/cluster_arrivals.ptx")),
        scenario: |entry| pair(entry, &[|i| 3 * (100 * ((i / 32) ^ 1) + i % 32)], 128),
        bugs: &[Bug::new("wait_after_the_loop", &[EarlyBarrierArrival])],
    },
    Family {
        name: "fence_sc",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/fence_sc.ptx")),
        scenario: |entry| {
            let expected: Vec<u32> = (0..96).map(|i| 500 + i % 32).collect();
            blocks(entry, 4, &expected)
        },
        bugs: &[
            Bug::new("acquire_release_of_the_writers", &[DataRace]),
            Bug::new("no_fence_of_the_writers", &[DataRace]),
            Bug::new("block_of_the_writers", &[ScopeTooNarrow]),
            Bug::new("acquire_release_of_the_readers", &[DataRace]),
            Bug::new("no_fence_of_the_readers", &[DataRace]),
            Bug::new("block_of_the_readers", &[ScopeTooNarrow]),
            Bug::new("flag_of_the_block", &[ScopeTooNarrow, DataRace]),
        ],
    },
    Family {
        name: "read_receipt",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/read_receipt.ptx")),
        scenario: |entry| pair(entry, &[|i| 100 * ((i / 32) ^ 1) + i % 32], 128),
        bugs: &[
            Bug::new("wait_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("arrival_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("relaxed_wait", &[ExitWhilePeerAccesses]),
        ],
    },
    Family {
        name: "push",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/push.ptx")),
        scenario: |entry| pair(entry, &[|i| 100 * ((i / 32) ^ 1) + i % 32], 128),
        bugs: &[
            Bug::new("no_barrier_at_the_start", &[PeerNotStarted]),
            Bug::new("barrier_of_the_block_at_the_start", &[PeerNotStarted]),
            Bug::new("relaxed_barrier", &[DataRace, ExitWhilePeerAccesses]),
        ],
    },
    Family {
        name: "sent_rows",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/sent_rows.ptx")),
        scenario: |entry| {
            let mut scenario = writes(entry, 32, |i| 100 * (i / 32) + i % 32, 64);
            scenario.launches[0].shape.grid = 2.into();
            scenario
        },
        bugs: &[Bug::new("filled_again_at_once", &[StoreSourceOverwritten])],
    },
    Family {
        name: "async_stores",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/async_stores.ptx")),
        scenario: |entry| {
            let mut scenario = pair(entry, &[|i| 3 * i + 5], 32);
            scenario.launches[0].shape.grid = 2.into();
            scenario
        },
        bugs: &[
            Bug::new("wait_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("too_few_bytes", &[TransactionBytes]),
        ],
    },
    Family {
        name: "message",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/message.ptx")),
        scenario: |entry| {
            let expected: Vec<u32> = (0..32).map(|i| 5 * i + 7).collect();
            let mut scenario = super::blocks(entry, 2, &expected);
            scenario.buffers[2] = Buffer::zeroed::<u32>("flag", 1);
            scenario
        },
        bugs: &[
            Bug::new("release_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("acquire_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("relaxed", &[DataRace]),
            Bug::new("fence_in_the_scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("flag_by_an_ordinary_store", &[DataRace]),
            Bug::new("volatile_flag", &[DataRace]),
        ],
    },
    Family {
        name: "counter",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/counter.ptx")),
        scenario: |entry| Scenario {
            name: entry.to_owned(),
            buffers: vec![Buffer::zeroed::<u32>("count", 1)],
            launches: vec![Launch::new(entry, 3, 32).buffer(0)],
            expected: vec![Expected::of(0, &[48_u32])],
        },
        bugs: &[
            Bug::new("scope_of_the_block", &[ScopeTooNarrow]),
            Bug::new("ordinary_store", &[DataRace]),
        ],
    },
];

/// Two clusters of two blocks of a warp. The first function makes the output, the second the input, if
/// there is one.
fn pair(entry: &str, functions: &[fn(u32) -> u32], count: u32) -> Scenario {
    let output = Buffer::zeroed::<u32>("output", count as usize);
    let mut launch = Launch::new(entry, 4, 32).buffer(0);
    let mut buffers = vec![output];
    if let Some(input) = functions.get(1) {
        let input: Vec<u32> = (0..count).map(input).collect();
        launch = launch.buffer(1);
        buffers.push(Buffer::new("input", &input));
    }
    let expected: Vec<u32> = (0..count).map(functions[0]).collect();
    Scenario {
        name: entry.to_owned(),
        buffers,
        launches: vec![launch],
        expected: vec![Expected::of(0, &expected)],
    }
}
