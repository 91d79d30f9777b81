//! A PTX emulator: runs kernels on the CPU and checks the order of their memory accesses.
//!
//! The emulator implements sm_90: threads, warps, blocks and clusters, shared memory, mbarriers, and bulk and
//! tensor copies. It also supports the forms of these copies, and related instructions, that later GPUs added.
//!
//! [`EmulatorBackend`] runs a whole [`tma_launch::Job`] as a GPU would. A [`Session`] keeps memory and modules
//! from launch to launch. Unsupported instructions are reported before anything runs ([`Error::Unsupported`]).
//! An error that would stop a GPU is a [`Fault`] with the instruction, thread and reason. A seed selects the
//! schedule, so every run can be repeated.
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
//! An [`Observer`] sees everything that a kernel does: every access, every operation on a barrier, every fence,
//! every step of a copy. The [checker](check) is an observer.

#![forbid(unsafe_code)]

// The layers, each of which imports only from those before it:
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
