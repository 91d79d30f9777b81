//! Kernel launches as data, with checks and comparisons shared by all backends.
//!
//! A [`Job`] contains PTX, [`Buffer`]s and [`Launch`]es, and runs on a GPU or the emulator. Before the run,
//! [`check()`] lists all errors of a launch; afterwards, [`compare`] finds the first unexpected element. The crate
//! calls no driver and parses no PTX.
//!
//! A launch names its kernel, and accepts any argument for a parameter of its size. A [`Call`] is created by a
//! function that `#[tma::kernel]` generates, and its arguments have the kernel's types: numbers, and types that
//! implement [`Pointer`] or [`MapArgument`], such as [`BufferRef`] and [`MapRef`] in a job. [`Conditions`] collect
//! the kernel's further requirements.
//!
//! ```
//! use tma_launch::{Buffer, Job, Launch, Ptx};
//!
//! # let text = "";
//! let mut job = Job::new(Ptx { name: "kernels.ptx", text });
//! let x = job.buffer(Buffer::new("x", &[1.0_f32; 1000]));
//! job.launch(Launch::new("add_one", 8, 128).buffer(x).scalar(1000_u32));
//! assert_eq!(job.buffers[x].bytes().len(), 4000);
//! ```

mod argument;
mod buffer;
mod call;
pub mod check;
mod checked;
pub mod compare;
mod conditions;
mod description;
mod device;
mod dim3;
mod escape;
mod failure;
mod job;
mod limits;
mod nearest;
mod panic;
mod reference;
mod region;
mod scalar;
mod shape;
mod signature;
mod tile_shape;

pub use argument::{Argument, Form};
pub use buffer::{Buffer, PartialElement, Patch, PlacedMap, PlacedPointer};
pub use call::{Call, MapArgument, Pointer};
pub use check::{Rule, Violation, Violations, check};
pub use checked::{Checked, Kernels};
pub use conditions::Conditions;
pub use description::Launch;
pub use device::{DeviceDescription, memory_bytes_per_second};
pub use dim3::Dim3;
pub use escape::{EscapedWriter, escape_name, escape_text};
pub use failure::{Failure, Stage};
pub use job::{Job, Outcome, Ptx};
pub use limits::Limits;
pub use nearest::{nearest, suggestion};
pub use panic::Panic;
pub use reference::{BufferRef, MapRef};
pub use region::{Access, Region, Use};
pub use scalar::Scalar;
pub use shape::Shape;
pub use signature::{Parameter, Signature};
pub use tile_shape::TileShape;
