use bytemuck::NoUninit;
use tma_launch::{Buffer, Launch};

use super::writes;
use crate::{Expected, Scenario};

pub(super) fn cases() -> Vec<Scenario> {
    const THREADS: u32 = 100;
    let numbers = || 0..u64::from(THREADS);
    let bits = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number;
    let mut cases = vec![
        reverse("u8", numbers().map(|n| bits(n) as u8).collect()),
        reverse("i8", numbers().map(|n| bits(n) as i8).collect()),
        reverse("u16", numbers().map(|n| bits(n) as u16).collect()),
        reverse("i16", numbers().map(|n| bits(n) as i16).collect()),
        reverse("u32", numbers().map(|n| bits(n) as u32).collect()),
        reverse("i32", numbers().map(|n| bits(n) as i32).collect()),
        reverse("f32", numbers().map(|n| n as f32 / -3.0).collect()),
        reverse("u64", numbers().map(bits).collect()),
        reverse("i64", numbers().map(|n| bits(n) as i64).collect()),
        reverse("f64", numbers().map(|n| n as f64 / -3.0).collect()),
        reverse(
            "v4",
            numbers()
                .map(|n| [1, 3, 5, 7].map(|k| bits(k * n) as u32))
                .collect(),
        ),
    ];
    // More than 48 KiB, the limit without opting in.
    let words: Vec<u32> = (0..1024).collect();
    let mut large = reverse("u32", words);
    large.name = "reverse_with_200_KiB".into();
    large.launches[0].shape.shared_bytes = 200 * 1024;
    cases.push(large);

    let mut expected: Vec<u32> = (0..64).map(|thread| 7 * (63 - thread)).collect();
    expected.extend([0, 0, 1, 1, 4 * 63]);
    cases.push(writes(
        "static",
        Launch::new("static_shared", 1, 64).buffer(0),
        &expected,
    ));
    let launch = Launch::new("dynamic_alignment", 1, 32)
        .shared_bytes(16)
        .buffer(0);
    cases.push(writes("dynamic_alignment", launch, &[0; 7]));
    cases
}

fn reverse<T: NoUninit>(type_name: &str, values: Vec<T>) -> Scenario {
    let reversed: Vec<T> = values.iter().rev().copied().collect();
    let launch = Launch::new(&format!("reverse_{type_name}"), 1, values.len() as u32)
        .shared_bytes(size_of_val(values.as_slice()) as u32)
        .buffer(0)
        .buffer(1);
    Scenario {
        name: format!("reverse_{type_name}"),
        buffers: vec![
            Buffer::new("output", &vec![0xa5_u8; size_of_val(values.as_slice())]),
            Buffer::new("input", &values),
        ],
        launches: vec![launch],
        expected: vec![Expected::of(0, &reversed)],
    }
}
