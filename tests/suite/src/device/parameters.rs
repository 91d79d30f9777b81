use tensor_map::{DataType, TensorMap};
use tma_launch::{Buffer, Launch};

use crate::{Expected, Scenario};

pub(super) fn cases() -> Vec<Scenario> {
    let map = TensorMap::tiled(DataType::F32, &[64, 8, 4]).box_dims(&[32, 4, 2]);
    let launch = Launch::new("parameters", 1, 32)
        .scalar(200_u8)
        .scalar(-2_i16)
        .scalar(u32::MAX - 1)
        .buffer(0)
        .scalar(1.5_f32)
        .tensor_map(map, 1)
        .scalar(i64::MIN + 1)
        .scalar(-0.25_f64)
        .scalar(-128_i8)
        .scalar(u16::MAX);
    let expected = [
        200,
        -2_i64 as u64,
        u64::from(u32::MAX - 1),
        u64::from(1.5_f32.to_bits()),
        // Rank 3 less one, and the number that the hardware has for `f32`.
        2 | 7 << 3,
        (i64::MIN + 1) as u64,
        (-0.25_f64).to_bits(),
        -128_i64 as u64,
        u64::from(u16::MAX),
        0,
    ];
    vec![Scenario {
        name: "of_every_type".into(),
        buffers: vec![
            Buffer::new("output", &[u64::MAX; 10]),
            Buffer::zeroed::<f32>("tensor", 64 * 8 * 4),
        ],
        launches: vec![launch],
        expected: vec![Expected::of(0, &expected)],
    }]
}
