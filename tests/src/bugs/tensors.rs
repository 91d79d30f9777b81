//! Tensor copies.

use emulator::check::Kind::{
    DestinationOverwritten, IllegalInstruction, MapInLocalMemory, Misaligned, MissingProxyFence,
    SwizzleAlignment, TransactionBytes,
};
use launch::{Buffer, Launch};
use tensor_map::{DataType, Swizzle, TensorMap};

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
];

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
