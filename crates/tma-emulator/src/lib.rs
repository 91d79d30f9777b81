//! Runs PTX kernels on the CPU, and checks the order of their memory accesses. The checker reports a missing barrier or
//! fence even if the result of the run is right:
//!
//! ```
//! use tma_emulator::EmulatorBackend;
//! use tma_launch::{Buffer, Job, Launch, Ptx};
//!
//! // Each of 64 threads writes a number to shared memory and reads the one of the opposite thread.
//! let text = "
//! .version 8.0
//! .target sm_90a
//! .address_size 64
//! .visible .entry reverse(.param .u64 numbers)
//! {
//!     .shared .align 4 .b8 tile[256];
//!     .reg .b32 %r<6>;
//!     .reg .b64 %rd<4>;
//!     ld.param.u64 %rd1, [numbers];
//!     mov.u32 %r1, %tid.x;
//!     shl.b32 %r2, %r1, 2;
//!     mov.u32 %r3, tile;
//!     add.u32 %r4, %r3, %r2;
//!     st.shared.u32 [%r4], %r1;
//!     bar.sync 0;
//!     sub.u32 %r4, %r3, %r2;
//!     ld.shared.u32 %r5, [%r4+252];
//!     mul.wide.u32 %rd2, %r1, 4;
//!     add.u64 %rd3, %rd1, %rd2;
//!     st.global.u32 [%rd3], %r5;
//!     ret;
//! }";
//! let run = |text: &str| {
//!     let mut job = Job::new(Ptx { name: "reverse.ptx", text });
//!     let numbers = job.buffer(Buffer::new("numbers", &[0_u32; 64]));
//!     job.launch(Launch::new("reverse", 1, 64).buffer(numbers));
//!     EmulatorBackend::new(0).run(&mut job)?;
//!     Ok::<_, tma_launch::Failure>(job.buffers[numbers].to_vec::<u32>().unwrap())
//! };
//! assert_eq!(run(text)?[..3], [63, 62, 61]);
//!
//! let failure = run(&text.replace("bar.sync 0;", "")).unwrap_err().to_string();
//! assert!(failure.contains("error[data-race]: two accesses to the same bytes"), "{failure}");
//! assert!(failure.contains("reverse.ptx:18:5\n      `ld.shared.u32`"), "{failure}");
//! # Ok::<(), tma_launch::Failure>(())
//! ```
//!
//! The emulator implements sm_90: threads, warps, blocks and clusters, shared memory, mbarriers, and bulk and
//! tensor copies. It also supports the forms of these copies, and related instructions, that later GPUs added.
//!
//! [`EmulatorBackend`] runs a whole [`tma_launch::Job`] as a GPU would. A [`Session`] keeps memory and modules
//! from launch to launch. Unsupported instructions are reported before the kernel starts ([`Error::Unsupported`]).
//! An error that would stop a GPU is a [`Fault`] with the instruction, thread and reason. A seed selects the
//! schedule, so every run can be repeated.
//!
//! An [`Observer`] receives every event of a kernel: each access, operation on a barrier, fence, and step of a copy.
//! The [checker](check) is an observer.

#![forbid(unsafe_code)]

// The layers, each of which imports only from those before it:
// value < texture < machine < decode < inst < run < check, performance, trace < session < backend
mod backend;
pub mod check;
mod decode;
mod inst;
mod machine;
pub mod performance;
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
pub use performance::Performance;
pub use run::{
    FailingSchedule, Jobs, Process, Progress, Report, Schedule, ScheduleName, Story, StoryStep,
    interrupt, is_interrupted, resume,
};
pub use session::{Bounds, Error, Exploration, ModuleId, Session, Verdict};
pub use trace::{Trace, json};
