//! The CUDA driver, loaded at the first call.
//!
//! A program that links `cust` normally needs a CUDA toolkit to build and `libcuda.so.1` to start.
//! With this crate in the program it needs neither:
//!
//! - [`forwarded`] defines every driver symbol that `cust` 0.3.2 refers to. Each loads the driver on first use and
//!   passes the call on. Without a driver each returns `CUDA_ERROR_STUB_LIBRARY` (34); where the driver lacks the
//!   symbol, `CUDA_ERROR_NOT_FOUND` (500).
//! - [`tensor_map`], [`launch`], [`function`], [`module`], [`mod@pointer`], [`peer`] and [`device`] contain
//!   functions that `cust`'s CUDA 11.4 bindings lack or return without detail.
//! - [`status`] reports which driver was loaded, or why none was. [`driver_version`] returns its version, and
//!   [`devices`] the GPUs.
//!
//! The crate holds no policy: no defaults, no retries, no advice.
//!
//! # Use
//!
//! Depend on this crate and `cust`, and mention this crate once so that it is linked:
//!
//! ```
//! use cuda_driver as _;
//! ```
//!
//! The build script of `cust_raw` insists on a folder that holds a `lib64`; an empty one will do.
//! Name it in `.cargo/config.toml`:
//!
//! ```toml
//! [env]
//! CUDA_LIBRARY_PATH = { value = ".cargo/cuda", relative = true }
//! ```
//!
//! # Which library is loaded
//!
//! `libcuda.so.1`, then `libcuda.so` (`nvcuda.dll` on Windows), found as the system's dynamic loader
//! finds libraries. The environment variable `TMA_LIBCUDA` ([`LIBRARY_VARIABLE`]), read once, names
//! the one library to load instead: a path, or a name for the dynamic loader. The library is never
//! unloaded.
//!
//! # Platforms
//!
//! Linux needs only this crate. On Windows the build scripts of `cust` still ask for a
//! toolkit.

mod capability;
mod entry_points;
mod error;
mod forward;
pub mod forwarded;
mod library;
mod properties;

pub use capability::Capability;
pub use cust_raw as sys;
pub use entry_points::{
    device,
    device::{Version, driver_version},
    function, launch, module, peer, pointer, tensor_map,
};
pub use error::{DriverError, Origin, name, sentence};
#[cfg(target_os = "linux")]
pub use library::file;
pub use library::{Attempt, LIBRARY_VARIABLE, Status, status};
pub use properties::{DeviceProperties, devices};
