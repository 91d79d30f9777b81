//! Ordinary accesses to shared and global memory.

use tma_emulator::check::DiagnosticKind::{
    DataRace, Deadlock, DivergentBarrier, DoubleFree, Endless, IllegalInstruction,
    InvalidCollective, InvalidFree, Misaligned, MissingGridWait, MissingProductFence,
    MissingProxyFence, NonCoherentRead, OutOfBounds, Panicked, ProductRegisterInFlight,
    ProductSourceOverwritten, SameValueRace, SetmaxnregDiverges, SetmaxnregUnbounded,
    SetmaxnregWrongWay, ShuffleOutsideMask, SumsSetAfterFence, Trapped, UninitialisedRead,
    UninitialisedUse, UseAfterFree,
};
use tma_launch::{Buffer, Launch};

use super::{Bug, Family, blocks, loads, writes};
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "reverse",
        ptx: None,
        scenario: |entry| writes(entry, 64, |i| 100 * (i / 64) + 63 - i % 64, 128),
        bugs: &[
            Bug::new("no_barrier", &[DataRace]),
            Bug::new("barrier_of_the_warp", &[DataRace]),
            Bug::new("second_use_too_early", &[DataRace]),
            Bug::new("padding_read", &[UninitialisedUse]),
            Bug::new("half_written", &[UninitialisedUse]),
            Bug::new("behind_the_end", &[OutOfBounds]),
            Bug::new("four_bytes_at_two", &[Misaligned]),
        ],
    },
    Family {
        name: "histogram",
        ptx: None,
        scenario: histogram,
        bugs: &[
            Bug::new("plain_additions", &[DataRace]),
            Bug::new("zeroed_by_the_first_block", &[DataRace]),
            Bug::new("past_the_last_bin", &[OutOfBounds]),
            Bug::new("index_checked_by_rust", &[Panicked]),
            Bug::new("assertion", &[Panicked]),
            Bug::new("trap_of_a_thread", &[Trapped]),
            Bug::new("trap_of_a_block", &[Trapped]),
        ],
    },
    Family {
        name: "last_block",
        ptx: None,
        scenario: |entry| {
            let sums: Vec<u32> = (0..32).map(|i| 15 + 6 * i).collect();
            blocks(entry, 6, &sums)
        },
        bugs: &[
            Bug::new("no_fence_before_the_count", &[DataRace]),
            Bug::new("no_fence_after_the_count", &[DataRace]),
            Bug::new("fence_before_the_barrier", &[DataRace]),
            Bug::new("release_of_the_compiler", &[DataRace]),
        ],
    },
    Family {
        name: "ticket",
        ptx: None,
        scenario: |entry| {
            let sums: Vec<u32> = (0..32).map(|i| 15 + 6 * i).collect();
            blocks(entry, 6, &sums)
        },
        bugs: &[
            Bug::new("no_fence_of_the_writers", &[DataRace]),
            Bug::new("no_fence_of_the_readers", &[DataRace]),
            Bug::new("acquire_release", &[DataRace]),
        ],
    },
    Family {
        name: "fence_sc_of_block",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/fence_sc_of_block.ptx")),
        scenario: |entry| writes(entry, 64, |i| i, 32),
        bugs: &[
            Bug::new("no_fence_of_the_writers", &[DataRace]),
            Bug::new("no_fence_of_the_readers", &[DataRace]),
        ],
    },
    Family {
        name: "grid_barrier",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/grid_barrier.ptx")),
        scenario: grid_barrier,
        bugs: &[
            Bug::new("no_grid_barrier", &[DataRace]),
            Bug::new("relaxed_arrival", &[DataRace]),
            Bug::new("relaxed_wait", &[DataRace]),
            Bug::new("arrival_before_the_block", &[DataRace]),
            Bug::new("met_once", &[DataRace]),
        ],
    },
    Family {
        name: "named_barriers",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/named_barriers.ptx")),
        scenario: |entry| writes(entry, 64, |i| 100 * (i / 32) + 31 - i % 32, 96),
        bugs: &[
            Bug::new("written_before_it_is_empty", &[DataRace]),
            Bug::new("counts_differ", &[InvalidCollective]),
            Bug::new("another_barrier", &[Deadlock]),
        ],
    },
    Family {
        name: "product",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/product.ptx")),
        scenario: |entry| writes(entry, 128, |i| 64 * (2 * (i / 2 % 4) + i % 2 + 1), 256),
        bugs: &[
            Bug::new("no_proxy_fence", &[MissingProxyFence]),
            Bug::new("outside_of_shared_memory", &[OutOfBounds]),
            Bug::new("half_of_b", &[UninitialisedUse]),
            Bug::new("another_descriptor", &[InvalidCollective]),
            Bug::new("another_product", &[IllegalInstruction]),
            Bug::new("a_warp_has_left", &[IllegalInstruction]),
            Bug::new("no_fence", &[MissingProductFence]),
            Bug::new("fence_before_the_zeros", &[SumsSetAfterFence]),
            Bug::new("sum_read_early", &[ProductRegisterInFlight]),
            Bug::new(
                "never_committed",
                &[ProductRegisterInFlight, ProductSourceOverwritten],
            ),
            Bug::new("one_group_left", &[ProductSourceOverwritten]),
            Bug::new("cleared_at_once", &[ProductSourceOverwritten]),
        ],
    },
    Family {
        name: "warpgroup_product",
        ptx: None,
        scenario: |entry| {
            let number = |i| 32 * (2 * (i / 2 % 4) + i % 2 + 1);
            let mut scenario = writes(entry, 128, number, 256);
            let launch = Launch::new(entry, 1, 128).buffer(0);
            scenario.launches = vec![launch.shared_bytes(2304)];
            scenario
        },
        bugs: &[
            Bug::new("no_proxy_fence", &[MissingProxyFence]),
            Bug::new("half_of_b", &[UninitialisedUse]),
            Bug::new("outside_of_shared_memory", &[OutOfBounds]),
            Bug::new("no_fence", &[MissingProductFence]),
            Bug::new("sums_read_early", &[ProductRegisterInFlight]),
            Bug::new("cleared_at_once", &[ProductSourceOverwritten]),
            Bug::new("a_warp_has_left", &[IllegalInstruction]),
            Bug::new("another_product", &[IllegalInstruction]),
        ],
    },
    Family {
        name: "warpgroup_fragment",
        ptx: None,
        scenario: |entry| {
            let number = |i| (1 + 2 + 3) * 32 * (2 * (i / 2 % 4) + i % 2 + 1);
            let mut scenario = writes(entry, 128, number, 256);
            let launch = Launch::new(entry, 1, 128).buffer(0).scalar(3_u32);
            scenario.launches = vec![launch.shared_bytes(256)];
            scenario
        },
        bugs: &[
            Bug::new("read_in_flight", &[ProductRegisterInFlight]),
            Bug::new("changed_in_flight", &[ProductRegisterInFlight]),
        ],
    },
    Family {
        name: "fragment",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/fragment.ptx")),
        scenario: |entry| writes(entry, 128, |i| 96 * (2 * (i / 2 % 4) + i % 2 + 1), 256),
        // 9.7.14.7.3: registers of A belong to the product until it has been waited for.
        bugs: &[
            Bug::new("made_after_the_fence", &[MissingProductFence]),
            Bug::new("no_fence_again", &[MissingProductFence]),
            Bug::new("a_zero_after_the_fence", &[SumsSetAfterFence]),
            Bug::new("made_again_in_flight", &[ProductRegisterInFlight]),
            Bug::new("read_in_flight", &[ProductRegisterInFlight]),
            Bug::new("cleared_in_flight", &[ProductRegisterInFlight]),
        ],
    },
    Family {
        name: "divergent",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/divergent.ptx")),
        scenario: |entry| {
            let number = |i| (i ^ 1) + if i < 16 { 2000 } else { 1000 };
            writes(entry, 64, number, 64)
        },
        bugs: &[
            Bug::new("barrier_in_both_branches", &[DivergentBarrier]),
            Bug::new("cluster_barrier_in_both_branches", &[DivergentBarrier]),
            Bug::new("barrier_jumped_over", &[DivergentBarrier]),
            Bug::new("shuffle_of_other_lanes", &[InvalidCollective]),
            Bug::new("masks_differ", &[InvalidCollective]),
            Bug::new("one_and_a_half_warps", &[InvalidCollective]),
            Bug::new("barrier_of_each_lane", &[InvalidCollective]),
        ],
    },
    Family {
        name: "halves",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/halves.ptx")),
        scenario: |entry| writes(entry, 32, |i| 888_000 + 100 * (i / 16) + (i ^ 1), 32),
        // 9.7.13.2: all lanes of a mask execute the barrier with this mask.
        bugs: &[
            Bug::new("masks_overlap", &[InvalidCollective]),
            Bug::new("mask_of_the_others", &[InvalidCollective]),
        ],
    },
    Family {
        name: "same_value",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/same_value.ptx")),
        scenario: |entry| writes(entry, 64, |_| 2016, 64),
        // 8.7: the stores are not ordered; if they have one value, the order does not matter.
        bugs: &[
            Bug::new("one_sum_of_two_warps", &[SameValueRace]),
            Bug::new("stored_by_two_instructions", &[SameValueRace]),
            Bug::new("stored_with_a_zero", &[SameValueRace]),
            Bug::new("values_differ", &[DataRace]),
            Bug::new("values_differ_by_branch", &[DataRace]),
        ],
    },
    Family {
        name: "shuffles",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/shuffles.ptx")),
        scenario: |entry| {
            let number = |i| if i < 16 { 100 + (i ^ 1) } else { 100 + i };
            writes(entry, 32, number, 32)
        },
        // 9.7.9.6: the value of a lane that does not take part is undefined.
        bugs: &[
            Bug::new("lane_of_the_other_half", &[ShuffleOutsideMask]),
            Bug::new("down_without_a_segment", &[ShuffleOutsideMask]),
        ],
    },
    Family {
        name: "registers",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/registers.ptx")),
        scenario: |entry| writes(entry, 256, |i| i, 256),
        // 9.7.19.5: all warps of a warpgroup execute the same `setmaxnreg`, in a kernel that declares the registers of a
        // thread at its start, and the registers of the block suffice.
        bugs: &[
            Bug::new("first_warp_alone", &[SetmaxnregDiverges]),
            Bug::new("by_the_number_of_the_warp", &[SetmaxnregDiverges]),
            Bug::new("no_directive", &[SetmaxnregUnbounded]),
            Bug::new("threads_alone", &[SetmaxnregUnbounded]),
            Bug::new("fewer_by_inc", &[SetmaxnregWrongWay]),
            Bug::new("more_by_dec", &[SetmaxnregWrongWay]),
            Bug::new("more_than_the_block_has", &[Deadlock]),
            Bug::new("given_back_too_late", &[Deadlock]),
        ],
    },
    Family {
        name: "warpgroup_registers",
        ptx: None,
        scenario: |entry| writes(entry, 256, |i| i, 256),
        bugs: &[
            Bug::new("first_warp_alone", &[SetmaxnregDiverges]),
            Bug::new("fewer_by_inc", &[SetmaxnregWrongWay]),
            Bug::new("more_than_the_block_has", &[Deadlock]),
        ],
    },
    Family {
        name: "unbounded_registers",
        ptx: None,
        scenario: |entry| writes(entry, 256, |i| i, 256),
        bugs: &[Bug::new("no_min_blocks", &[SetmaxnregUnbounded])],
    },
    Family {
        name: "padding",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/padding.ptx")),
        scenario: |entry| writes(entry, 32, |i| if i < 20 { 100 + i } else { 0 }, 32),
        // 5.1.7: shared memory has no initial value, which matters if a result depends on it.
        bugs: &[
            Bug::new("read_and_replaced", &[UninitialisedRead]).strict(),
            Bug::new("read_and_masked", &[UninitialisedRead]).strict(),
            Bug::new("product", &[UninitialisedRead]).strict(),
            Bug::new("kept_in_local_memory", &[UninitialisedRead]),
            Bug::new("kept_in_shared_memory", &[UninitialisedRead]).strict(),
            Bug::new("stored", &[UninitialisedUse]),
            Bug::new("sum_stored", &[UninitialisedUse]),
            Bug::new("decides", &[UninitialisedUse]),
            Bug::new("index", &[UninitialisedUse]),
            Bug::new("through_a_shuffle", &[UninitialisedUse]),
            Bug::new("through_a_vote", &[UninitialisedUse]),
            Bug::new("through_shared_memory", &[UninitialisedUse]),
            Bug::new("by_a_predicate", &[UninitialisedUse]),
        ],
    },
    Family {
        name: "discarded",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/discarded.ptx")),
        scenario: |entry| writes(entry, 32, |i| i ^ 1, 32),
        // 9.7.9.17: a discard writes values that are not defined.
        bugs: &[
            Bug::new("read_by_who_gave_it_up", &[UninitialisedRead]).strict(),
            Bug::new("read_by_another_thread", &[UninitialisedUse]),
        ],
    },
    Family {
        name: "heap",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/heap.ptx")),
        scenario: |entry| writes(entry, 64, |i| i ^ 33, 64),
        // Conditions of `malloc` and `free` of the C library on their callers.
        bugs: &[
            Bug::new("no_barrier_before_the_free", &[UseAfterFree]),
            Bug::new("read_by_who_freed_it", &[UseAfterFree]),
            Bug::new("written_after_the_free", &[UseAfterFree]),
            Bug::new("freed_again", &[DoubleFree]),
            Bug::new("freed_by_two_lanes", &[DoubleFree]),
            Bug::new("freed_by_each_warp", &[DoubleFree]),
            Bug::new("freed_from_the_middle", &[InvalidFree]),
            Bug::new("output_freed", &[InvalidFree]),
            Bug::new("behind_the_end", &[OutOfBounds]),
            Bug::new("last_number_missing", &[UninitialisedUse]),
            Bug::new("nothing_written", &[UninitialisedUse]),
        ],
    },
    Family {
        name: "dependents",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/dependents.ptx")),
        scenario: dependents,
        // 9.7.13.13: only `griddepcontrol.wait` guarantees that the grid before has ended.
        bugs: &[
            Bug::new("no_wait", &[MissingGridWait]),
            Bug::new("wait_of_one_thread", &[MissingGridWait]),
            Bug::new("read_too_early", &[MissingGridWait]),
            Bug::new("scratch_cleared_too_early", &[MissingGridWait]),
        ],
    },
    Family {
        name: "read_only",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/read_only.ptx")),
        scenario: |entry| loads(entry, 64, 64, |i| 1000 + i, 64),
        // 8.1: the memory model does not cover `ld.global.nc`.
        bugs: &[
            Bug::new("written_by_the_same_thread", &[NonCoherentRead]),
            Bug::new("written_by_another_thread", &[NonCoherentRead]),
            Bug::new("stored_by_a_copy", &[NonCoherentRead]),
        ],
    },
    Family {
        name: "strong_accesses",
        ptx: Some(include_str!("../../../gpu/bugs/ptx/strong_accesses.ptx")),
        scenario: |entry| {
            let launch = Launch::new(entry, 2, 32);
            Scenario {
                name: entry.to_owned(),
                buffers: vec![
                    Buffer::zeroed::<u32>("output", 32),
                    Buffer::zeroed::<u64>("numbers", 32),
                ],
                launches: vec![launch.buffer(0).buffer(1)],
                expected: vec![Expected::of(0, &[2_u32; 32])],
            }
        },
        // 8.7.1: morally strong are accesses in the same proxy that overlap as a whole.
        bugs: &[
            Bug::new("added_by_a_copy", &[DataRace]),
            Bug::new("read_while_a_copy_adds", &[DataRace]),
            Bug::new("read_as_pairs", &[DataRace]),
        ],
    },
    Family {
        name: "spin",
        ptx: None,
        scenario: |entry| writes(entry, 64, |i| i, 64),
        bugs: &[
            Bug::new("flag_of_another_round", &[Endless]),
            Bug::new("counts_past_the_end", &[Endless]),
        ],
    },
];

/// A launch that may begin before the end of the previous one, which reads 128 numbers and writes others.
fn dependents(entry: &str) -> Scenario {
    let scratch: Vec<u32> = (0..128).collect();
    let expected: Vec<u32> = (0..128).map(|i| 1000 + (i ^ 37)).collect();
    let (leads, follows) = (Launch::new("leads", 2, 64), Launch::new(entry, 4, 32));
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::zeroed::<u32>("output", 128),
            Buffer::zeroed::<u32>("numbers", 128),
            Buffer::new("scratch", &scratch),
        ],
        launches: vec![
            leads.buffer(1).buffer(2),
            follows.overlaps().buffer(0).buffer(1).buffer(2),
        ],
        expected: vec![Expected::of(0, &expected)],
    }
}

fn histogram(entry: &str) -> Scenario {
    let mut bins = [0_u32; 16];
    for block in 0..4 {
        for thread in 0..32 {
            bins[(7 * thread + block) % 16] += 1;
        }
    }
    Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::zeroed::<u32>("bins", 16)],
        launches: vec![Launch::new(entry, 4, 32).buffer(0)],
        expected: vec![Expected::of(0, &bins)],
    }
}

/// 20 blocks, more than the releases that a relaxed read tracks separately, take the numbers of the next one.
fn grid_barrier(entry: &str) -> Scenario {
    let numbers: Vec<u32> = (0..20 * 40).map(|i| 100 + (i + 40) % 800).collect();
    let mut scenario = blocks(entry, 40, &numbers);
    let launch = Launch::new(entry, 20, 40).cooperative();
    scenario.launches = vec![launch.buffer(0).buffer(1).buffer(2)];
    scenario
}
