//! Tests of the kernels, the device library and the checker.
//!
//! [`groups`] lists the subjects of cases: the kernels of `kernels-gpu`, whose cases are in
//! [`kernel_cases`], and the kernels in [`device`], each of which shows one feature of the device library.

pub mod bugs;
pub mod cases;
pub mod copies;
pub mod device;
pub mod digest;
pub mod figures;
pub mod forms;
pub mod golden;
pub mod maps;
pub mod math;
pub mod matrix;
mod modules;
pub mod mutants;
pub mod products;
pub mod semantics;
pub mod steps;
mod width;

pub use kernel_cases::{
    CaseFailure, Content, Expected, KERNELS, Kernel, LARGE, Large, Scenario, device_of_arguments,
    open,
};
pub use modules::{
    BUGS_PTX, DEVICE_COMPILER, DEVICE_PTX, FORMS_PTX, KERNELS_LOCAL_BYTES, KERNELS_PTX, Module,
    SEMANTICS_PTX,
};
pub use width::widths;

/// Cases that belong together.
pub struct Group {
    /// The kernel that they are about.
    pub name: &'static str,
    /// The text for each architecture.
    pub modules: &'static [Module],
    /// The cases.
    pub cases: fn() -> Vec<Scenario>,
}

/// Returns whether the tests were built for `cargo xtask test --long` or CI. Otherwise those that take minutes, and those
/// of modules that take as long to build, are ignored.
pub fn is_complete_run() -> bool {
    cfg!(complete_run)
}

/// Returns whether to run also the repetitions of this test under more schedules or for more targets.
///
/// `cargo xtask test --long` requests it for all tests, CI for one part of them: `TMA_LONG_TESTS` is the number of the
/// part, from 0, and after a slash the number of parts; without a slash there is none.
pub fn is_long(name: &str) -> bool {
    let asked = std::env::var("TMA_LONG_TESTS").unwrap_or_default();
    let asked = asked
        .split_once('/')
        .and_then(|(part, parts)| Some((part.parse::<u32>().ok()?, parts.parse::<u32>().ok()?)));
    let number: u32 = name.bytes().map(u32::from).sum();
    asked.is_some_and(|(part, parts)| number.checked_rem(parts) == Some(part))
}

/// Returns all cases that every backend runs.
pub fn groups() -> Vec<Group> {
    let kernels = KERNELS.iter().map(|kernel| Group {
        name: kernel.name,
        modules: KERNELS_PTX,
        cases: kernel.cases,
    });
    let device = device::DEVICE_CASES.iter().map(|part| Group {
        name: part.name,
        modules: DEVICE_PTX,
        cases: part.cases,
    });
    kernels.chain(device).collect()
}
