//! Runs PTX on the CPU, with the semantics of sm_90 for threads, warps, blocks and clusters, shared
//! memory, mbarriers, and bulk and tensor copies. Of later GPUs it knows the forms of these copies and
//! what goes with them.
//!
//! A [`Session`] has memory and modules that live from launch to launch, and [`EmulatorBackend`] runs a
//! whole [`tma_launch::Job`] as a GPU would. An instruction that the emulator does
//! not know is named before anything runs ([`Error::Unsupported`]), and what would stop a GPU is a
//! [`Fault`] that says where, who and why. A seed chooses the schedule, so that every run can be
//! repeated.
//!
//! ```
//! use tma_emulator::EmulatorBackend;
//! use tma_launch::{Buffer, Job, Launch, Ptx};
//!
//! let text = "
//! .version 8.0
//! .target sm_90a
//! .address_size 64
//! .visible .entry double(.param .u64 numbers)
//! {
//!     .reg .b32 %r<3>;
//!     .reg .b64 %rd<4>;
//!     ld.param.u64 %rd1, [numbers];
//!     mov.u32 %r1, %tid.x;
//!     mul.wide.u32 %rd2, %r1, 4;
//!     add.u64 %rd3, %rd1, %rd2;
//!     ld.global.u32 %r2, [%rd3];
//!     shl.b32 %r2, %r2, 1;
//!     st.global.u32 [%rd3], %r2;
//!     ret;
//! }";
//! let mut job = Job::new(Ptx { name: "double.ptx", text });
//! let numbers = job.buffer(Buffer::new("numbers", &[1_u32, 2, 3]));
//! job.launch(Launch::new("double", 1, 3).buffer(numbers));
//! EmulatorBackend::new(0).run(&mut job)?;
//! assert_eq!(job.buffers[numbers].to_vec::<u32>().unwrap(), [2, 4, 6]);
//! # Ok::<(), tma_launch::Failure>(())
//! ```
//!
//! The [`Observer`] sees all that a kernel does: every access, every operation on a barrier, every
//! fence, every step of a copy. A checker is an observer.

#![forbid(unsafe_code)]

// The rooms, each of which imports from those before it alone:
// value < texture < machine < decode < inst < run < check, trace < session < backend
mod backend;
pub mod check;
mod decode;
mod inst;
mod machine;
mod run;
mod session;
pub mod texture;
mod trace;
mod value;

pub use backend::{BufferTexture, EmulatorBackend};
pub use decode::Unsupported;
pub use machine::{
    Config, Fault, FaultAt, Location, Program, Stuck, Trap,
    observer::{self, Observer},
};
pub use run::{Jobs, Progress, Report, interrupt, is_interrupted, resume};
pub use session::{Error, ModuleId, Session};
pub use trace::{Trace, json};
