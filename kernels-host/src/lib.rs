//! Computes attention, matrix products, norms and softmax on buffers, on a GPU or on the emulator. Each is one call
//! that checks its arguments and starts a kernel.
//!
//! ```
//! use kernels_host::{AttentionShape, AttentionTensors, Kernels};
//! use tma_host::{Device, half::bf16};
//!
//! let device = Device::open()?;
//! // 70 queries and 90 keys with 64 elements a head; two heads of queries share one head of keys.
//! let shape = AttentionShape {
//!     heads: 2,
//!     ..AttentionShape::new(64, 70, 90)
//! };
//! // Elements of a head are innermost, then heads, then positions.
//! let mut results = device.zeroed::<bf16>(64 * 2 * 70)?;
//! let tensors = AttentionTensors {
//!     queries: &device.upload(&[bf16::ZERO; 64 * 2 * 70])?,
//!     keys: &device.upload(&[bf16::ONE; 64 * 90])?,
//!     values: &device.upload(&[bf16::ONE; 64 * 90])?,
//!     results: &mut results,
//!     logarithms: &mut device.zeroed::<f32>(70 * 2)?,
//! };
//! Kernels::new(&device).attention(&shape, tensors)?;
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
//! with its value, its rule and the nearest value that meets it. On the emulator a finding in the kernel is the error of
//! the call; on a GPU it is the error of the next call that waits.

// Parts of `kernels` and `operand` are for some features only.
#![cfg_attr(
    not(all(feature = "gemm", feature = "gemm_fp8", feature = "peers")),
    allow(dead_code)
)]

#[cfg(feature = "attention")]
mod attention;
#[cfg(feature = "attention")]
mod attention_backward;
#[cfg(feature = "attention")]
mod attention_decode;
#[cfg(any(feature = "attention", feature = "gemm"))]
mod element;
mod entries;
#[cfg(feature = "gemm")]
mod gemm;
#[cfg(feature = "gemm_fp8")]
mod gemm_fp8;
mod kernels;
#[cfg(any(feature = "gemm", feature = "gemm_fp8"))]
mod matrix;
mod operand;
#[cfg(feature = "peers")]
mod peers;
#[cfg(any(feature = "peers", feature = "rows"))]
mod row_element;
#[cfg(feature = "rows")]
mod rows;

#[cfg(feature = "attention")]
pub use attention::{AttentionShape, AttentionTensors, Starts};
#[cfg(feature = "attention")]
pub use attention_backward::{BackwardMemory, BackwardTensors};
#[cfg(feature = "attention")]
pub use attention_decode::{DecodeMemory, DecodeShape, DecodeTensors};
#[cfg(any(feature = "attention", feature = "gemm"))]
pub use element::{CacheElement, Element, Output};
#[cfg(feature = "gemm")]
pub use gemm::{Epilogue, Op};
#[cfg(feature = "gemm_fp8")]
pub use gemm_fp8::Experts;
pub use kernels::Kernels;
#[cfg(feature = "gemm")]
pub use kernels_gpu::gemm::Activation;
#[cfg(any(feature = "gemm", feature = "gemm_fp8"))]
pub use matrix::{Matrix, MatrixMut};
#[cfg(feature = "peers")]
pub use peers::{LinkSettings, Peers};
#[cfg(any(feature = "peers", feature = "rows"))]
pub use row_element::RowElement;
pub use tma_host;
