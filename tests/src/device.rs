//! Cases of the kernels in `tests/device`, which show one by one what the device library does.

mod by_value;
mod clusters;
mod indices;
mod lanes;
mod parameters;
mod shared_memory;
mod values;

use tma_launch::{Buffer, Launch};

use crate::{Expected, Scenario};

/// Cases about one part of the library.
pub(crate) struct DeviceCases {
    pub(crate) name: &'static str,
    pub(crate) cases: fn() -> Vec<Scenario>,
}

macro_rules! device_cases {
    ($($name:ident)*) => {
        &[$(DeviceCases { name: stringify!($name), cases: $name::cases },)*]
    };
}

pub(crate) const DEVICE_CASES: &[DeviceCases] =
    device_cases! { by_value clusters indices lanes parameters shared_memory values };

/// A launch whose first parameter is a buffer of `u32` that must become `expected`.
fn writes(name: &str, launch: Launch, expected: &[u32]) -> Scenario {
    Scenario {
        name: name.to_owned(),
        buffers: vec![Buffer::new(
            "output",
            &vec![0xdead_beef_u32; expected.len()],
        )],
        launches: vec![launch],
        expected: vec![Expected::of(0, expected)],
    }
}
