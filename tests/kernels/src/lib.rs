//! The cases of the kernels of `kernels-gpu`: each is written once, as data, and runs on every backend.
//!
//! [`KERNELS`] lists the kernels with their cases. A [`Scenario`] has the buffers, the launches and
//! what must come out, computed by plain Rust that shares no code with the kernel. [`Device`] chooses
//! the backend and says why a case cannot run.

mod device;
mod kernels;
mod scenario;
mod tiles;

pub use device::{Device, Opened};
pub use kernels::{KERNELS, Kernel, LARGE, Large};
pub use scenario::{Content, Expected, Scenario, Wrong};
