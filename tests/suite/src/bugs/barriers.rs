//! Barriers in shared memory, without copies.

use tma_emulator::check::DiagnosticKind::{
    DataRace, Deadlock, EarlyBarrierArrival, LappedWaiter, MbarrierInitNotPublished,
    MbarrierInvalidated, MbarrierInvalidatedInUse, MbarrierOverwritten, MbarrierUninitialised,
    OrderByCollective, UnusedWaitResult, WrongPhase,
};

use super::{Bug, Family, loads, writes};

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "matched",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/matched.ptx")),
        scenario: |entry| writes(entry, 64, |i| i ^ 1, 64),
        // 9.7.13.10: `match.sync` does not order memory.
        bugs: &[
            Bug::new("ended_by_match_alone", &[OrderByCollective]),
            Bug::new("read_after_match_alone", &[OrderByCollective]),
            Bug::new("ended_by_nothing", &[MbarrierInvalidatedInUse]),
            Bug::new("read_after_nothing", &[DataRace]),
        ],
    },
    Family {
        name: "meetings",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/meetings.ptx")),
        scenario: |entry| writes(entry, 64, |i| i ^ 63, 64),
        // 9.7.13.1 and 9.7.13.2: a barrier counts arrivals, wherever in the code they are.
        bugs: &[
            Bug::new("lanes_meet_at_another_barrier", &[DataRace]),
            Bug::new("warps_meet_at_another_barrier", &[DataRace]),
        ],
    },
    Family {
        name: "tile",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/tile.ptx")),
        scenario: |entry| writes(entry, 64, |i| i ^ 32, 64),
        // 9.7.9.6, 9.7.13.9, 9.7.13.12 and 9.7.13.14 do not order memory; some code relies on it anyway when it
        // exchanges values.
        bugs: &[
            Bug::new("passed_by_a_shuffle_alone", &[OrderByCollective]),
            Bug::new("passed_by_a_vote_alone", &[OrderByCollective]),
            Bug::new("passed_by_a_redux_alone", &[OrderByCollective]),
            Bug::new("passed_by_an_elect_alone", &[OrderByCollective]),
            Bug::new("passed_by_nothing", &[DataRace]),
            Bug::new("arrives_after_a_shuffle_alone", &[OrderByCollective]),
            Bug::new("arrives_after_nothing", &[DataRace]),
            Bug::new("stores_after_a_redux_alone", &[OrderByCollective]),
            Bug::new("stores_after_an_elect_alone", &[DataRace]),
            Bug::new("stores_after_nothing", &[DataRace]),
        ],
    },
    Family {
        name: "barrier_life",
        ptx: None,
        scenario: |entry| writes(entry, 64, |i| 63 - i, 64),
        bugs: &[
            Bug::new("no_barrier_before_the_end", &[MbarrierInvalidatedInUse]),
            Bug::new("memory_used_without_end", &[MbarrierOverwritten]),
            Bug::new("made_again_without_end", &[MbarrierOverwritten]),
            Bug::new("used_after_the_end", &[MbarrierInvalidated]),
            Bug::new("not_made_again", &[MbarrierInvalidated]),
            Bug::new("never_made", &[MbarrierUninitialised]),
            Bug::new("no_barrier_after_the_init", &[MbarrierInitNotPublished]),
            Bug::new("barrier_of_the_warp", &[MbarrierInitNotPublished]),
            Bug::new("synchronised_by_a_flag", &[MbarrierInitNotPublished]),
            Bug::new("ended_with_the_last_wait_ahead", &[MbarrierInvalidated]),
            Bug::new("counts_too_many", &[Deadlock]),
        ],
    },
    Family {
        name: "tokens",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/tokens.ptx")),
        scenario: |entry| writes(entry, 32, |i| i, 32),
        bugs: &[
            // 9.7.13.15.16: a state is of the current phase or of the one before.
            Bug::new("state_of_two_phases_ago", &[LappedWaiter]),
            Bug::new("state_of_the_phase_before_the_last", &[LappedWaiter]),
        ],
    },
    Family {
        name: "signal",
        ptx: None,
        scenario: |entry| writes(entry, 64, |i| i, 64),
        bugs: &[
            Bug::new("no_way_back", &[LappedWaiter]),
            Bug::new("second_warp_does_not_arrive", &[LappedWaiter]),
            Bug::new("way_back_before_the_wait", &[LappedWaiter]),
        ],
    },
    Family {
        name: "two_rows",
        ptx: None,
        scenario: |entry| loads(entry, 96, 64, |i| 1000 + i, 64),
        bugs: &[
            Bug::new("second_warp_skips_a_phase", &[WrongPhase]),
            Bug::new("skips_after_a_barrier_too_early", &[WrongPhase]),
        ],
    },
    Family {
        name: "unused_wait",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/unused_wait.ptx")),
        scenario: |entry| loads(entry, 64, 64, |i| 1000 + i, 64),
        bugs: &[
            Bug::new("try_wait_once", &[UnusedWaitResult]),
            Bug::new("result_in_a_register", &[UnusedWaitResult]),
            Bug::new("test_wait_counted", &[UnusedWaitResult]),
        ],
    },
    Family {
        name: "arrivals",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/arrivals.ptx")),
        scenario: |entry| writes(entry, 64, |i| i, 64),
        bugs: &[
            Bug::new("nothing_between", &[EarlyBarrierArrival]),
            Bug::new("way_back_before_the_barrier", &[EarlyBarrierArrival]),
            Bug::new("count_of_one_warp", &[EarlyBarrierArrival]),
        ],
    },
    Family {
        name: "groups",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/groups.ptx")),
        scenario: |entry| writes(entry, 128, |i| i ^ 63, 128),
        bugs: &[Bug::new("one_barrier", &[EarlyBarrierArrival])],
    },
    Family {
        name: "turns",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/turns.ptx")),
        scenario: |entry| writes(entry, 256, |i| i + 6, 128),
        bugs: &[Bug::new("first_turn_missing", &[Deadlock])],
    },
];
