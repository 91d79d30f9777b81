use tests_device::{Fields, Inner, by_value};
use tma_launch::{BufferRef, Call, Launch, Shape};

use super::writes;
use crate::Scenario;

const FIELDS: Fields = Fields {
    byte: 200,
    triple: [1, 20, 300],
    inner: Inner {
        half: -5,
        wide: 1.75,
    },
};

pub(super) fn cases() -> Vec<Scenario> {
    let output = BufferRef::new(0);
    vec![
        case(
            by_value(1, true, output, FIELDS, 2.5_f32),
            1,
            1,
            2.5_f32.to_bits(),
        ),
        case(by_value(3, false, output, FIELDS, 77_u32), 3, 0, 77),
    ]
}

fn case(call: Call<'_>, times: u32, flag: u32, last: u32) -> Scenario {
    let launch: Launch = match call.launch(Shape::new(1, 32)) {
        Ok(launch) => launch,
        Err(refused) => panic!("{refused}"),
    };
    let wide = (FIELDS.inner.wide * f64::from(times)).to_bits();
    let expected = [
        200 * times,
        times,
        20 * times,
        300 * times,
        (-5 * times as i32) as u32,
        wide as u32,
        (wide >> 32) as u32,
        flag,
        last,
        9,
    ];
    writes(&launch.entry.clone(), launch, &expected)
}
