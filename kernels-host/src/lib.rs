//! Computes attention, matrix products, norms and softmax on buffers, on a GPU or on the emulator. Each is one call
//! that checks its arguments and starts a kernel.
//!
//! ```
//! use kernels_host::{Attention, Kernels};
//! use tma_host::{Device, half::bf16};
//!
//! let device = Device::open()?;
//! // 70 queries and 90 keys; two heads of queries share one head of keys.
//! let extents = Attention {
//!     elements: 64,
//!     queries: 70,
//!     keys: 90,
//!     heads: 2,
//!     key_heads: 1,
//!     scale: 0.125,
//!     ..Attention::default()
//! };
//! // Elements of a head are innermost, then heads, then positions.
//! let queries = device.upload(&[bf16::ZERO; 64 * 2 * 70])?;
//! let keys = device.upload(&[bf16::ONE; 64 * 90])?;
//! let values = device.upload(&[bf16::ONE; 64 * 90])?;
//! let mut results = device.zeroed::<bf16>(64 * 2 * 70)?;
//! let mut logarithms = device.zeroed::<f32>(70 * 2)?;
//! let kernels = Kernels::new(&device);
//! kernels.attention(&extents, &queries, &keys, &values, &mut results, &mut logarithms)?;
//! // All scores are equal, so each result is the mean of the values.
//! assert!(results.read()?.iter().all(|result| (result.to_f32() - 1.0).abs() < 0.01));
//! # Ok::<(), tma_host::Failure>(())
//! ```
//!
//! [`Kernels::gemm`] multiplies matrices:
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
//! [`Peers`] has the calls that two devices make together.
//!
//! A call starts a launch like [`tma_host::Module`]: after earlier launches on the device's own stream, and on a GPU
//! without waiting for its end. Reading a buffer, or dropping it, waits.
//!
//! # Errors
//! Sizes, strides, offsets and lengths are checked before a launch. The failure lists each argument that does not fit,
//! with its value, what it must be and the nearest valid value. On the emulator a finding in the kernel is the error of
//! the call; on a GPU it is the error of the next call that waits.

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
