//! The CUDA driver, loaded at the first call.
//!
//! A program with this crate needs no CUDA toolkit to build and no `libcuda.so.1` to start:
//!
//! - [`context`], [`mod@device`], [`event`], [`function`], [`launch`], [`memory`], [`module`], [`peer`],
//!   [`mod@pointer`], [`stream`] and [`tensor_map`] contain the driver's functions with checked results. Without a
//!   driver each returns `CUDA_ERROR_STUB_LIBRARY` (34); where the driver lacks the function, `CUDA_ERROR_NOT_FOUND`
//!   (500).
//! - [`status`] reports which driver was loaded, or why none was. [`driver_version`] returns its version, and
//!   [`devices`] the GPUs.
//! - With the feature `cust`, the module `forwarded` defines every driver symbol that `cust` 0.3.2 refers to, so that a
//!   program with `cust` needs neither, too.
//!
//! The crate holds no policy: no defaults, no retries, no advice.
//!
//! # With `cust`
//!
//! Depend on `cust` and on this crate with the feature `cust`, and mention this crate once so that it is linked:
//!
//! ```
//! use cuda_driver as _;
//! ```
//!
//! The build script of `cust_raw` requires a folder that contains a `lib64`; an empty one is enough.
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
//! Linux needs only this crate. On Windows the build scripts of `cust` still require a
//! toolkit.

mod capability;
mod entry_points;
mod error;
mod forward;
#[cfg(feature = "cust")]
pub mod forwarded;
mod library;
mod properties;
pub mod sys;

pub use capability::Capability;
pub use entry_points::{
    context, device,
    device::{Version, driver_version},
    event, function, launch, memory, module, peer, pointer, stream, tensor_map,
};
pub use error::{DriverError, Origin, name, sentence};
#[cfg(target_os = "linux")]
pub use library::file;
pub use library::{Attempt, LIBRARY_VARIABLE, Status, status};
pub use properties::{DeviceProperties, devices};
