//! What a host program uses to run kernels: GPUs, modules, buffers, tensor maps and launches, on
//! [`cust`].
//!
//! ```no_run
//! use host::{Gpu, Shape};
//! use tensor_map::{DataType, TensorMap};
//!
//! let gpu = Gpu::first()?;
//! let module = gpu.load_file("kernels.ptx")?;
//! let add_one = module.function("add_one")?;
//!
//! let matrix = gpu.upload(&[1_i32; 64 * 64])?;
//! let map = matrix.tensor_map(TensorMap::tiled(DataType::I32, &[64, 64]).box_dims(&[16, 16]))?;
//! // SAFETY: `add_one` takes one tensor map of `i32`, and writes only through it (1, 2); the matrix
//! // lives until it has been read, which waits for the kernel (3); nothing else runs (4).
//! unsafe { add_one.launch(Shape::new((4, 4), 128), (&map,)) }?;
//! assert_eq!(matrix.read()?, [2; 64 * 64]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program built with this crate starts on machines without a driver too: there,
//! [`Gpu::first`] fails with [`GpuError::Absent`], which says why.
//!
//! # Errors
//!
//! [`GpuError`] says why there is no usable GPU, [`EncodeError`] which rules a tensor map would
//! break. Everything else is a [`Failure`], which says how far it came, what the driver calls the
//! error, and what may be behind it.

mod arguments;
mod buffer;
mod driver;
mod element;
pub mod emulate;
mod encode_error;
mod function;
pub mod gpu;
mod jit;
mod module;
mod panic;
mod signature;
mod source;
mod tensor_map;
mod tensor_map_memory;

pub use arguments::{KernelArgument, KernelArguments, Value};
pub use buffer::DeviceBuffer;
pub use encode_error::EncodeError;
pub use function::{Function, Resources};
pub use gpu::{Absence, Capability, Device, Gpu, GpuBackend, GpuError, devices};
pub use module::Module;
pub use source::Source;
pub use tensor_map::{TensorMap, encode, encode_with_driver, target};
pub use tensor_map_memory::TensorMaps;

pub use half;
pub use launch::{Dim3, Failure, Shape, Stage};
