//! The cases of the kernels of `kernels-gpu`: each is written once, as data, for every backend.
//!
//! [`KERNELS`] lists the kernels with their cases. A [`Scenario`] has the buffers, the launches and
//! the expected results, computed by plain Rust that shares no code with the kernel. [`open`] opens the
//! device for them.

mod device;
mod kernels;
mod pairs;
mod rows;
mod scenario;
mod tiles;

pub use device::{device_of_arguments, open};
pub use kernels::{KERNELS, Kernel, LARGE, Large, TUNED, Tuned};
pub use scenario::{CaseFailure, Content, Expected, Format, Scenario};
