//! Bulk copies of one block: tiles that are stored and loaded, rings of stages.

use super::{Bug, Family, loads, writes};
use tma_emulator::check::DiagnosticKind::{
    DataRace, Deadlock, DestinationOverwritten, ExitWithCopyInFlight, ExitWithReadsInFlight,
    ExpectTxNotOrdered, GroupWaitByOtherThread, MbarrierInvalidatedInUse, MbarrierOverflow,
    MbarrierOverwritten, MbarrierUninitialised, Misaligned, MisplacedProxyFence, MissingProxyFence,
    OutOfBounds, ReadBeforeCompletion, StageStillRead, StagesFilledOnce, StoreSourceOverwritten,
    TransactionBytes, UnarmedReceiver, UninitialisedUse, WrongPhase,
};

use crate::Scenario;

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
            Bug::new("wait_for_the_other_parity", &[WrongPhase]),
            Bug::new("tail_not_loaded", &[UninitialisedUse]),
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
            Bug::new(
                "bytes_at_another_barrier",
                &[TransactionBytes, UnarmedReceiver],
            ),
            Bug::new("more_than_a_barrier_counts", &[MbarrierOverflow]),
        ],
    },
    Family {
        name: "expectation",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/expectation.ptx")),
        scenario: |entry| loads(entry, 96, 192, |i| 2096 + 2 * i, 96),
        bugs: &[
            Bug::new("by_a_bystander", &[ExpectTxNotOrdered]),
            Bug::new("by_a_lane_of_who_arrives", &[ExpectTxNotOrdered]),
            Bug::new("after_the_arrival", &[ExpectTxNotOrdered]),
            Bug::new("copy_of_the_next_phase", &[TransactionBytes]),
            Bug::new("arrives_ahead_of_the_phase", &[MbarrierOverflow]),
            Bug::new("arrives_without_bytes_ahead", &[MbarrierOverflow]),
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
            Bug::new("not_waited_until_empty", &[MbarrierOverflow]),
            Bug::new("first_wait_for_empty_hangs", &[Deadlock]),
            Bug::new("empty_counts_too_many", &[Deadlock]),
            Bug::new("one_load_too_many", &[ExitWithCopyInFlight]),
            Bug::new("second_barrier_not_initialised", &[MbarrierUninitialised]),
            Bug::new("whole_warp_arrives", &[MbarrierOverflow]),
            Bug::new("empty_counts_too_few", &[MbarrierOverflow]),
            Bug::new("producer_ends_the_barriers", &[MbarrierInvalidatedInUse]),
            Bug::new("waits_for_the_first_stage_alone", &[MbarrierOverflow]),
        ],
    },
    Family {
        name: "items_of_a_pipeline",
        ptx: None,
        scenario: |entry| {
            let mut scenario = items(entry);
            let launches = scenario.launches.into_iter();
            scenario.launches = launches.map(|launch| launch.shared_bytes(512)).collect();
            scenario
        },
        bugs: &[
            Bug::new("as_many_as_stages", &[StagesFilledOnce]).strict(),
            Bug::new("a_single_one", &[StagesFilledOnce]).strict(),
        ],
    },
    Family {
        name: "items_of_barriers",
        ptx: None,
        scenario: items,
        bugs: &[
            Bug::new("as_many_as_stages", &[StagesFilledOnce]).strict(),
            Bug::new("waits_from_the_second_round", &[StagesFilledOnce]).strict(),
        ],
    },
    Family {
        name: "stages_once",
        ptx: None,
        scenario: |entry| loads(entry, 32, 96, |i| 1000 + i, 96),
        bugs: &[
            Bug::new("always_the_first_barrier", &[ReadBeforeCompletion]),
            Bug::new("last_stage_not_waited_for", &[ReadBeforeCompletion]),
            Bug::new("last_stage_not_used", &[ExitWithCopyInFlight]),
        ],
    },
    Family {
        name: "two_phases",
        ptx: None,
        scenario: |entry| loads(entry, 64, 128, |i| 2064 + 2 * i, 64),
        bugs: &[
            Bug::new("same_parity_again", &[WrongPhase]),
            Bug::new("old_token_again", &[WrongPhase]),
            Bug::new("armed_twice", &[TransactionBytes]),
        ],
    },
    Family {
        name: "load_store",
        ptx: None,
        scenario: |entry| {
            let expected = |i| match i {
                32 => 2031,
                33.. => 0,
                _ => 1000 + i,
            };
            loads(entry, 32, 32, expected, 48)
        },
        bugs: &[
            Bug::new("stored_before_it_came", &[ReadBeforeCompletion]),
            Bug::new("read_back_after_the_reads", &[ReadBeforeCompletion]),
            Bug::new("read_back_at_once", &[ReadBeforeCompletion]),
            Bug::new("copy_of_100_bytes", &[Misaligned]),
            Bug::new("source_at_8", &[Misaligned]),
            Bug::new("past_the_input", &[OutOfBounds]),
            Bug::new("past_the_output", &[OutOfBounds]),
            Bug::new("source_written_meanwhile", &[DataRace]),
        ],
    },
    Family {
        name: "relay",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/relay.ptx")),
        scenario: |entry| loads(entry, 32, 32, |i| 9 * i + 3, 32),
        bugs: &[
            Bug::new("no_fences", &[MissingProxyFence]),
            Bug::new("fence_of_shared_memory", &[MisplacedProxyFence]),
            Bug::new("fence_of_global_memory", &[MisplacedProxyFence]),
        ],
    },
    Family {
        name: "overlap",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/overlap.ptx")),
        scenario: |entry| {
            let mut scenario = loads(entry, 32, 32, |i| 1000 + i, 32);
            scenario.launches[0].shape.shared_bytes = 256;
            scenario
        },
        bugs: &[
            Bug::new("barrier_in_the_tile", &[MbarrierOverwritten]),
            Bug::new("barrier_at_4", &[Misaligned]),
        ],
    },
    Family {
        name: "plain_copies",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/plain_copies.ptx")),
        scenario: |entry| loads(entry, 64, 256, |i| 1000 + i / 64 * 64 + 63 - i % 64, 256),
        bugs: &[
            Bug::new("one_group_too_many", &[ReadBeforeCompletion]),
            Bug::new("no_barrier", &[ReadBeforeCompletion]),
            Bug::new("groups_run_together", &[ReadBeforeCompletion]),
            Bug::new("written_under_way", &[DestinationOverwritten]),
        ],
    },
    Family {
        name: "counted_copies",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/counted_copies.ptx")),
        scenario: |entry| loads(entry, 64, 64, |i| 1063 - i, 64),
        bugs: &[
            // 9.7.13.15.15: without `.noinc` the arrival is added to the expected ones of the phase.
            Bug::new("without_noinc", &[Deadlock]),
            Bug::new("read_before_the_wait", &[ReadBeforeCompletion]),
        ],
    },
    Family {
        name: "stages",
        ptx: None,
        scenario: |entry| {
            let mut scenario = loads(entry, 96, 384, |i| 1000 + i / 64 * 64 + 63 - i % 64, 384);
            scenario.launches[0].shape.shared_bytes = 2 * (256 + 16 + 4);
            scenario
        },
        bugs: &[
            Bug::new("one_warp_keeps_a_stage", &[Deadlock]),
            Bug::new("one_lane_keeps_a_stage", &[Deadlock]),
            Bug::new("some_numbers_are_skipped", &[Deadlock]),
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
            Bug::new(
                "refilled_before_the_barrier",
                &[StageStillRead, ReadBeforeCompletion],
            ),
            Bug::new("no_barrier", &[StageStillRead]),
            Bug::new("parity_of_the_batch", &[WrongPhase]),
            Bug::new("prefetched_too_far", &[ExitWithCopyInFlight]),
            Bug::new("stages_of_1000_bytes", &[Misaligned]),
            Bug::new("leaves_early", &[ExitWithCopyInFlight]),
            Bug::new("sum_in_a_loaded_stage", &[DestinationOverwritten]),
        ],
    },
];

/// Items of 32 numbers, whose output equals the input.
fn items(entry: &str) -> Scenario {
    let count = match () {
        () if entry.ends_with("as_many_as_stages") => 2,
        () if entry.ends_with("waits_from_the_second_round") => 2,
        () if entry.ends_with("a_single_one") => 1,
        () => 6,
    };
    loads(entry, 64, 192, |i| 1000 + i, 32 * count)
}
