//! Bulk copies of one block: tiles that are stored and loaded, rings of stages.

use emulator::check::Kind::{
    DestinationOverwritten, Deadlock, ExitWithCopyInFlight, ExitWithReadsInFlight,
    GroupWaitByOtherThread, LappedWaiter, MbarrierOverflow, MbarrierUninitialised, Misaligned,
    MisplacedProxyFence, MissingProxyFence, ReadBeforeCompletion, StageStillRead,
    StoreSourceOverwritten, TransactionBytes, UnarmedReceiver, UninitialisedRead, WrongPhase,
};
use launch::{Buffer, Launch};

use super::{Bug, Family};
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "store_tile",
        ptx: None,
        scenario: |entry| writes(entry, 64, |i| 7 * i, 256),
        bugs: &[
            Bug::new("no_fence", &[MissingProxyFence]),
            Bug::new("fence_before_the_writes", &[MisplacedProxyFence]),
            Bug::new("fence_of_a_bystander", &[MisplacedProxyFence]),
            Bug::new("fence_of_the_issuer_alone", &[MisplacedProxyFence]),
            Bug::new("no_wait", &[ExitWithReadsInFlight]),
            Bug::new("no_commit", &[ExitWithReadsInFlight]),
            Bug::new("one_group_left", &[ExitWithReadsInFlight]),
            Bug::new("wait_in_another_thread", &[ExitWithReadsInFlight]),
        ],
    },
    Family {
        name: "store_ring",
        ptx: None,
        scenario: |entry| writes(entry, 64, |i| 100 * (i / 64) + i % 64, 5 * 64),
        bugs: &[
            Bug::new("no_wait", &[StoreSourceOverwritten]),
            Bug::new("one_group_too_many", &[StoreSourceOverwritten]),
            Bug::new("wait_not_passed_on", &[StoreSourceOverwritten]),
            Bug::new("wait_in_another_thread", &[GroupWaitByOtherThread]),
            Bug::new("issuers_take_turns", &[GroupWaitByOtherThread]),
            Bug::new("reused_behind_the_store", &[StoreSourceOverwritten]),
        ],
    },
    Family {
        name: "load_tile",
        ptx: None,
        scenario: |entry| {
            let expected = |i| if i < 16 { 0 } else { 1000 + 63 - i };
            loads(entry, 64, 64, expected, 64)
        },
        bugs: &[
            Bug::new("read_before_the_wait", &[ReadBeforeCompletion]),
            Bug::new("issuer_alone_waits", &[ReadBeforeCompletion]),
            Bug::new("wait_for_the_other_parity", &[WrongPhase, ExitWithCopyInFlight]),
            Bug::new("tail_not_loaded", &[UninitialisedRead]),
            Bug::new("write_before_the_wait", &[DestinationOverwritten]),
            Bug::new("zeros_without_fence", &[MissingProxyFence]),
            Bug::new("zeros_after_the_barrier", &[DestinationOverwritten]),
            Bug::new("nobody_waits", &[ExitWithCopyInFlight]),
        ],
    },
    Family {
        name: "count_bytes",
        ptx: None,
        scenario: |entry| loads(entry, 32, 64, |i| 1000 + i, 32),
        bugs: &[
            Bug::new("too_many_bytes", &[TransactionBytes]),
            Bug::new("too_few_bytes", &[TransactionBytes]),
            Bug::new("one_copy_forgotten", &[TransactionBytes]),
            Bug::new("no_bytes", &[UnarmedReceiver]),
            Bug::new("bytes_at_another_barrier", &[TransactionBytes]),
            Bug::new("more_than_a_barrier_counts", &[MbarrierOverflow]),
        ],
    },
    Family {
        name: "full_empty",
        ptx: None,
        scenario: |entry| loads(entry, 64, 192, |i| 1000 + i / 32 * 32 + 31 - i % 32, 192),
        bugs: &[
            Bug::new("parity_never_flips", &[WrongPhase]),
            Bug::new("parity_flips_with_each_stage", &[WrongPhase]),
            Bug::new("released_before_the_reads", &[StageStillRead]),
            Bug::new("not_waited_until_empty", &[LappedWaiter, StageStillRead]),
            Bug::new("first_wait_for_empty_hangs", &[Deadlock]),
            Bug::new("empty_counts_too_many", &[Deadlock]),
            Bug::new("one_load_too_many", &[ExitWithCopyInFlight]),
            Bug::new("always_the_first_barrier", &[ReadBeforeCompletion]),
            Bug::new("second_barrier_not_initialised", &[MbarrierUninitialised]),
            Bug::new("whole_warp_arrives", &[MbarrierOverflow]),
            Bug::new("empty_counts_too_few", &[MbarrierOverflow]),
        ],
    },
    Family {
        name: "prefetch",
        ptx: None,
        scenario: |entry| {
            let mut scenario = loads(entry, 64, 512, |i| 1000 + i, 512);
            scenario.launches[0].shape.shared_bytes = 4096;
            scenario
        },
        bugs: &[
            Bug::new("refilled_before_the_barrier", &[StageStillRead]),
            Bug::new("no_barrier", &[StageStillRead]),
            Bug::new("parity_of_the_batch", &[WrongPhase]),
            Bug::new("prefetched_too_far", &[ExitWithCopyInFlight]),
            Bug::new("stages_of_1000_bytes", &[Misaligned]),
            Bug::new("leaves_early", &[ExitWithCopyInFlight]),
            Bug::new("sum_in_a_loaded_stage", &[DestinationOverwritten]),
        ],
    },
];

/// One block of so many threads writes numbers.
fn writes(entry: &str, threads: u32, expected: fn(u32) -> u32, count: u32) -> Scenario {
    let expected: Vec<u32> = (0..count).map(expected).collect();
    Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::zeroed::<u32>("output", expected.len())],
        launches: vec![Launch::new(entry, 1, threads).buffer(0)],
        expected: vec![Expected::of(0, &expected)],
    }
}

/// The same of what it reads: numbers from 1000 on.
fn loads(
    entry: &str,
    threads: u32,
    inputs: u32,
    expected: fn(u32) -> u32,
    count: u32,
) -> Scenario {
    let mut scenario = writes(entry, threads, expected, count);
    let input: Vec<u32> = (0..inputs).map(|i| 1000 + i).collect();
    scenario.buffers.push(Buffer::new("input", &input));
    scenario.launches = vec![Launch::new(entry, 1, threads).buffer(0).buffer(1)];
    scenario
}
