//! Cases of the kernels in `tests/gpu`, which show one by one what the device library does.

mod clusters;
mod lanes;
mod parameters;
mod places;
mod shared_memory;

use launch::{Buffer, Launch};

use crate::{Expected, Scenario};

/// What a group is about, and its cases.
pub(crate) const PROBES: &[(&str, fn() -> Vec<Scenario>)] = &[
    ("clusters", clusters::cases),
    ("lanes", lanes::cases),
    ("parameters", parameters::cases),
    ("places", places::cases),
    ("shared_memory", shared_memory::cases),
];

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
