//! Runs kernels from a host program, with devices, modules, buffers, tensor maps and launches.
//!
//! A [`Device`] is a GPU, or the emulator if there is no GPU. A kernel of the crate `tma` is a function on the host,
//! whose arguments have types: a buffer of another type, or a missing argument, does not compile.
//!
//! ```
//! use tma::{kernel, thread};
//! use tma_host::Device;
//!
//! /// Doubles one number in each thread.
//! ///
//! /// # Safety
//! /// 1. `numbers` has a number for each thread of the only block, and no other code uses them.
//! #[kernel(max_threads = 256)]
//! unsafe fn double(numbers: *mut u32) {
//!     let index = thread::thread_idx().x as usize;
//!     // SAFETY: each thread has its own number (1).
//!     unsafe { *numbers.add(index) *= 2 };
//! }
//!
//! // A build script makes this text with `tma-build`.
//! # #[cfg(any())]
//! const PTX: &str = include_str!(env!("KERNELS_PTX"));
//! # const PTX: &str = "
//! # .version 8.0
//! # .target sm_90
//! # .address_size 64
//! # .visible .entry double(.param .u64 numbers)
//! # {
//! #     .reg .b32 %r<3>;
//! #     .reg .b64 %rd<4>;
//! #     ld.param.u64 %rd1, [numbers];
//! #     mov.u32 %r1, %tid.x;
//! #     mul.wide.u32 %rd2, %r1, 4;
//! #     add.u64 %rd3, %rd1, %rd2;
//! #     ld.global.u32 %r2, [%rd3];
//! #     shl.b32 %r2, %r2, 1;
//! #     st.global.u32 [%rd3], %r2;
//! #     ret;
//! # }";
//!
//! let device = Device::open()?;
//! let module = device.load("kernels.ptx", PTX)?;
//! let numbers = device.upload(&[1_u32, 2, 3])?;
//! // SAFETY: the buffer has a number for each of the 3 threads (1 of `double`).
//! unsafe { module.launch((1, 3), double(&numbers)) }?;
//! assert_eq!(numbers.read()?, [2, 4, 6]);
//! # Ok::<(), tma_host::Failure>(())
//! ```
//!
//! A kernel of another compiler is launched by its name, with [`Module::function`].
//!
//! On the emulator a checker observes every launch: a missing fence, a race or a wrong byte count is returned as
//! the launch's error with its location, even if the result is correct. [`Device::emulator`] takes a seed, so that
//! tests can run several schedules.
//!
//! # Features
//!
//! The CUDA driver is loaded at run time, so that a program builds without CUDA. With the feature `cust`, the crate
//! `cust` 0.3.2 drives GPUs, and its contexts, streams and buffers can be exchanged (`Device::from_cust`,
//! `Stream::from_cust`, `Buffer::from_cust`). `cust`'s build script needs a CUDA toolkit, or an environment variable
//! `CUDA_LIBRARY_PATH` that names a folder with an empty `lib64`.
//!
//! # Errors
//!
//! [`GpuError`] is the reason why there is no usable GPU, and [`EncodeError`] lists the rules that a tensor map
//! would break. Everything else is a [`Failure`] with the stage, the driver's name of the error, and a likely
//! cause.

mod arguments;
mod buffer;
mod buffer_tensor_map;
mod device;
mod driver;
mod element;
mod encode_error;
mod function;
mod gpu;
mod jit;
mod jobs;
mod memory;
mod module;
mod panic;
mod peer_access;
mod slice;
mod stream;
mod tensor_map_memory;
mod timeline;
mod variable;
#[cfg(feature = "cust")]
mod with_cust;

pub use arguments::{KernelArgument, KernelArguments};
pub use buffer::Buffer;
pub use buffer_tensor_map::{BufferTensorMap, encode, encode_with_driver, target};
pub use device::{Device, DeviceChoice};
pub use encode_error::EncodeError;
pub use function::{Function, Resources};
pub use gpu::{Absence, Capability, DeviceProperties, GpuError, devices, supported};
pub use jobs::Jobs;
pub use module::Module;
pub use peer_access::PeerAccess;
pub use ptx_source::{Source, read_file};
pub use slice::Slice;
pub use stream::{Event, Stream};
pub use tensor_map_memory::TensorMaps;
pub use timeline::{Kind as StampKind, Rings, Role as StampRole, Stamp, Timeline, WarpStamps};

pub use ::tensor_map::{
    self, DataType, Im2col, Im2colWide, Interleave, L2Promotion, OobFill, Params, Swizzle,
    TensorMap, Tiled,
};
pub use half;
pub use tma_emulator::{Bounds, ScheduleName};
pub use tma_launch::{Argument, Call, DeviceDescription, Dim3, Failure, Shape, Stage};
