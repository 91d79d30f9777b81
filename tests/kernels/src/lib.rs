//! The cases of the kernels of `kernels-gpu`: each is written once, as data, and runs on every backend.
//!
//! [`KERNELS`] lists the kernels with their cases. A [`Scenario`] has the buffers, the launches and
//! what must come out, computed by plain Rust that shares no code with the kernel. [`open`] opens the
//! device that they run on.

mod device;
mod kernels;
mod pairs;
mod rows;
mod scenario;
mod tiles;

pub use device::{device_of_arguments, open};
pub use kernels::{KERNELS, Kernel, LARGE, Large, TUNED, Tuned};
pub use scenario::{CaseFailure, Content, Expected, Format, Scenario};
