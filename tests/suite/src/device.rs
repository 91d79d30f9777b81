//! Cases of the kernels in `tests/gpu/device`, each of which shows one feature of the device library.

mod by_value;
mod clusters;
mod fragments;
mod from_rust_cuda;
mod groups;
mod halves;
mod indices;
mod lanes;
mod multicast;
mod parameters;
mod pipelines;
mod shared_memory;
mod tiles;
mod values;
mod vectors;

use bytemuck::NoUninit;
use tma_launch::{Buffer, Call, Launch, Shape};

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

pub(crate) const DEVICE_CASES: &[DeviceCases] = device_cases! { by_value clusters fragments from_rust_cuda groups halves indices lanes multicast parameters pipelines shared_memory tiles values vectors };

/// A launch whose first parameter is a buffer of `u32` with `expected` as its final contents.
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

/// A launch whose buffer 0 has `expected` as its final contents; the other buffers follow.
fn compared<T: NoUninit>(
    name: &str,
    expected: &[T],
    others: Vec<Buffer>,
    launch: Launch,
) -> Scenario {
    let poison = vec![0xa5_u8; size_of_val(expected)];
    let mut buffers = vec![Buffer::new("output", &poison)];
    buffers.extend(others);
    Scenario {
        name: name.to_owned(),
        buffers,
        launches: vec![launch],
        expected: vec![Expected::of(0, expected)],
    }
}

/// The launch of a kernel with arguments.
fn launched(call: Call<'_>, shape: Shape) -> Launch {
    match call.launch(shape) {
        Ok(launch) => launch,
        Err(refused) => panic!("{refused}"),
    }
}
