//! Cases of the kernels in `tests/gpu`, which show one by one what the device library does.

mod by_value;
mod clusters;
mod lanes;
mod parameters;
mod places;
mod shared_memory;

use tma_launch::{Buffer, Launch};

use crate::{Expected, Scenario};

/// Cases about one part of the library.
pub(crate) struct Probe {
    pub(crate) name: &'static str,
    pub(crate) cases: fn() -> Vec<Scenario>,
}

macro_rules! probes {
    ($($name:ident)*) => {
        &[$(Probe { name: stringify!($name), cases: $name::cases },)*]
    };
}

pub(crate) const PROBES: &[Probe] =
    probes! { by_value clusters lanes parameters places shared_memory };

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
