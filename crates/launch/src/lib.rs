//! A kernel launch as data, and what every backend does with one.
//!
//! A [`Job`] is PTX, [`Buffer`]s and [`Launch`]es, which a GPU or the emulator runs. Before that, [`check()`] names everything that is wrong with a launch; afterwards,
//! [`compare`] names the first element that is not as expected. The crate calls no driver and reads
//! no PTX.
//!
//! A launch names its kernel, and any argument stands for any parameter of its size. A [`Call`] comes of a
//! function that `#[tma::kernel]` writes, and its arguments are of the kernel's types: numbers, and what
//! is a [`Pointer`] or a [`MapArgument`], such as a [`BufferRef`] and a [`MapRef`] in a job.
//! [`Conditions`] collect what else a kernel asks of them.
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
