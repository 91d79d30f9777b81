//! Tensor copies.

use tensor_map::{DataType, Params, Swizzle, TensorMap};
use tma_emulator::check::Kind::{
    DestinationOverwritten, IllegalInstruction, MapInLocalMemory, Misaligned, MissingProxyFence,
    ScopeTooNarrow, SwizzleAlignment, TensorMapChangedInUse, TensorMapNotAcquired,
    TensorMapNotReleased, TransactionBytes,
};
use tma_launch::{Buffer, Launch};

use super::{Bug, Family};
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "tensor_tile",
        ptx: None,
        scenario: tensor_tile,
        bugs: &[
            Bug::new("column_not_aligned", &[IllegalInstruction]),
            Bug::new("stored_at_a_negative_row", &[IllegalInstruction]),
            Bug::new("second_stage_at_64", &[Misaligned]),
            Bug::new("expects_what_is_inside", &[TransactionBytes]),
            Bug::new("no_fence", &[MissingProxyFence]),
            Bug::new("same_box_twice", &[DestinationOverwritten]),
            Bug::new("map_in_shared_memory", &[MapInLocalMemory]),
        ],
    },
    Family {
        name: "swizzled",
        ptx: None,
        scenario: swizzled,
        bugs: &[
            Bug::new("stage_of_a_box", &[SwizzleAlignment]),
            Bug::new("behind_a_header", &[SwizzleAlignment]),
        ],
    },
    Family {
        name: "local_map",
        ptx: Some(include_str!("../../bugs/ptx/local_map.ptx")),
        scenario: |entry| {
            let tensor: Vec<u32> = (0..32).map(|i| 1000 + i).collect();
            Scenario {
                name: entry.to_owned(),
                buffers: vec![
                    Buffer::zeroed::<u32>("output", 32),
                    Buffer::new("tensor", &tensor),
                ],
                launches: vec![Launch::new(entry, 1, 32).tensor_map(row(32), 1).buffer(0)],
                expected: vec![Expected::of(0, &tensor)],
            }
        },
        bugs: &[Bug::new("map_in_local_memory", &[MapInLocalMemory])],
    },
    Family {
        name: "map_in_memory",
        ptx: Some(include_str!("../../bugs/ptx/map_in_memory.ptx")),
        scenario: |entry| {
            let mut scenario = left_map(entry, 2);
            let tensor: Vec<u32> = (0..64).map(|i| 1000 + i).collect();
            scenario.expected = vec![Expected::of(0, &tensor)];
            scenario
        },
        bugs: &[
            Bug::new("not_acquired", &[TensorMapNotAcquired]),
            Bug::new("acquired_by_another_block", &[TensorMapNotAcquired]),
            Bug::new("acquired_by_another_thread", &[TensorMapNotAcquired]),
            Bug::new("left_without_a_release", &[TensorMapNotReleased]),
            Bug::new("left_to_its_block", &[ScopeTooNarrow]),
        ],
    },
    Family {
        name: "map_edited_in_place",
        ptx: Some(include_str!("../../bugs/ptx/map_edited_in_place.ptx")),
        scenario: |entry| {
            let mut scenario = left_map(entry, 1);
            let launch = Launch::new(entry, 1, 32).buffer(0).buffer(1).buffer(2);
            scenario.launches[1] = launch;
            scenario
        },
        bugs: &[
            Bug::new("edited_before_the_wait", &[TensorMapChangedInUse]),
            Bug::new("not_released", &[TensorMapNotReleased]),
            Bug::new("not_acquired_again", &[TensorMapNotAcquired]),
            Bug::new("acquired_before_the_release", &[TensorMapNotAcquired]),
        ],
    },
    Family {
        name: "edited_map",
        ptx: Some(include_str!("../../bugs/ptx/edited_map.ptx")),
        scenario: |entry| {
            let mut scenario = left_map(entry, 1);
            let launch = Launch::new(entry, 1, 32).tensor_map(row(32), 1);
            scenario.launches = vec![launch.buffer(0).buffer(1).buffer(2)];
            scenario
        },
        bugs: &[
            Bug::new("copied_by_threads", &[TensorMapNotReleased]),
            Bug::new("edited_before_the_wait", &[TensorMapChangedInUse]),
            Bug::new("acquired_once", &[TensorMapNotAcquired]),
        ],
    },
];

/// A map of so many numbers, in boxes of 32.
fn row(count: u64) -> impl Into<Params> {
    TensorMap::tiled(DataType::U32, &[count]).box_dims(&[32])
}

/// One launch leaves a map in global memory, the next uses it; the output has the sums of two tensors.
fn left_map(entry: &str, blocks: u32) -> Scenario {
    let tensors: Vec<u32> = (0..64).map(|i| 1000 + i).collect();
    let sums: Vec<u32> = (0..32).map(|i| 2032 + 2 * i).collect();
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::zeroed::<u32>("output", 32 * blocks as usize),
            Buffer::new("tensors", &tensors),
            Buffer::zeroed::<u32>("map", 32),
        ],
        launches: vec![
            Launch::new("leave_map", 1, 32)
                .tensor_map(row(64), 1)
                .buffer(2),
            Launch::new(entry, blocks, 32).buffer(0).buffer(2),
        ],
        expected: vec![Expected::of(0, &sums)],
    }
}

fn tensor_tile(entry: &str) -> Scenario {
    let matrix: Vec<u32> = (0..40 * 8).collect();
    let changed = matrix.iter().map(|i| if *i < 160 { *i } else { i + 1 });
    let changed: Vec<u32> = changed.collect();
    let map = TensorMap::tiled(DataType::U32, &[40, 8]).box_dims(&[16, 4]);
    let launch = Launch::new(entry, 1, 32).tensor_map(map, 0);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::new("matrix", &matrix)],
        launches: vec![launch.shared_bytes(2048)],
        expected: vec![Expected::of(0, &changed)],
    }
}

fn swizzled(entry: &str) -> Scenario {
    let matrix: Vec<u32> = (0..32 * 8).collect();
    let map = TensorMap::tiled(DataType::U32, &[32, 8]).box_dims(&[32, 4]);
    let map = map.swizzle(Swizzle::B128);
    let launch = Launch::new(entry, 1, 32).tensor_map(map, 0).buffer(1);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::new("matrix", &matrix),
            Buffer::zeroed::<u32>("output", 32),
        ],
        launches: vec![launch.shared_bytes(4096)],
        expected: vec![Expected::of(1, &matrix[128..160])],
    }
}
