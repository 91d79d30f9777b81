//! Products of matrices, attention, norms and softmax: each is one call on buffers, on a GPU or on the emulator.
//! What two devices do together are calls of [`Peers`].
//!
//! ```
//! use kernels_host::{Epilogue, Kernels, Matrix, MatrixMut, Op};
//! use tma_host::{Device, half::bf16};
//!
//! let device = Device::open()?;
//! let kernels = Kernels::new(&device);
//! let a = device.upload(&[bf16::ONE; 40 * 24])?;
//! let b = device.upload(&[bf16::ONE; 16 * 24])?;
//! let mut c = device.zeroed::<bf16>(40 * 16)?;
//! // C = A * transpose(B)
//! kernels.gemm(
//!     Op::N,
//!     Op::T,
//!     Matrix::new(&a, [40, 24]),
//!     Matrix::new(&b, [16, 24]),
//!     MatrixMut::new(&mut c, [40, 16]),
//!     &Epilogue::default(),
//! )?;
//! assert!(c.read()?.iter().all(|sum| sum.to_f32() == 24.0));
//! # Ok::<(), tma_host::Failure>(())
//! ```
//!
//! A call starts a launch as those of [`tma_host::Module`] do: after the launches before it on the device's own stream,
//! and on a GPU without waiting for its end. Reading a buffer, or dropping it, waits.
//!
//! # Errors
//! Sizes, strides, offsets and lengths are checked before anything is started. The failure has each that does not fit,
//! with the parameter, its value, what is needed and the nearest that would do. On the emulator what went wrong in the
//! kernel is the error of the call; on a GPU it is that of the next call that waits.

mod attention;
mod entries;
mod gemm;
mod gemm_fp8;
mod kernels;
mod matrix;
mod operand;
mod peers;
mod rows;

pub use attention::Starts;
pub use gemm::{Element, Epilogue, Op, Output};
pub use gemm_fp8::Experts;
pub use kernels::Kernels;
pub use kernels_gpu::{
    attention::{Attention, Packed},
    gemm::Activation,
};
pub use matrix::{Matrix, MatrixMut};
pub use peers::Peers;
pub use rows::RowElement;
