//! Encodes, checks and decodes tensor maps, the 128 bytes that describe a tensor to NVIDIA's Tensor Memory Accelerator.
//! The crate needs no driver and no GPU, and reports every broken rule with its value and the nearest valid one:
//!
//! ```
//! use tensor_map::{DataType, TensorMap};
//!
//! // 64 rows of 100 `i32`, each row padded to 416 bytes, read in boxes of 32 columns and 8 rows.
//! let map = TensorMap::tiled(DataType::I32, &[100, 64])
//!     .strides_bytes(&[416])
//!     .box_dims(&[32, 8])
//!     .build(0x7f00_0000_0000)?;
//! assert_eq!(map.words()[0], 0x7f00_0000_0000);
//!
//! let refused = TensorMap::tiled(DataType::I32, &[100, 64]).box_dims(&[33]).build(8).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "parameters of the tiled tensor map break 3 rules:
//!   address = 0x8: must be a multiple of 16; use 0x10 [address-multiple]
//!   box_dims has 1 value: must be 2, one for each dimension [box-length]
//!   box_dims[0] = 33: row of 132 bytes must be a multiple of 16; use 36 [box-row-multiple]"
//! );
//! # Ok::<(), tensor_map::Violations>(())
//! ```
//!
//! The map of this example, with one of its boxes:
//!
//! ```text
//!              dims[0] = 100 elements of 4 bytes
//!            +---------------+----------------------+.....
//!            |   box_dims    |                      |    :
//!  dims[1]   |   = [32, 8]   |                      |    :
//!  = 64      +---------------+                      |    :
//!            |                                      |    :
//!            +--------------------------------------+....:
//!            strides_bytes[0] = 416, from row to row
//! ```
//!
//! Dimensions, strides and boxes are **innermost first**: a row-major matrix of `h` rows and `w`
//! columns has dimensions `[w, h]`, and an `[H][W][C]` image has `[c, w, h]`. Constructors named
//! `outermost_first` take them in the reverse order.
//!
//! The crate is `no_std`, allocates nothing, and works in device and host code. [`rules`] lists the rules,
//! [`walk`] the bytes that a copy touches, and [`layout`] the bits of a map.
//!
//! Maps can be constants, and get their address later:
//!
//! ```
//! use tensor_map::{DataType, TensorMap};
//!
//! const TILE: TensorMap = match TensorMap::tiled(DataType::F32, &[1024]).box_dims(&[256]).build(0) {
//!     Ok(map) => map,
//!     Err(_) => panic!("some rule is broken"),
//! };
//! let mut map = TILE;
//! map.replace_address(0x7f00_0000_0000).unwrap();
//! ```
//!
//! With the feature `half`, `half::f16` and `half::bf16` are an [`Element`]. With the feature `cudarc`, a map is a
//! kernel argument of `cudarc`.
#![no_std]
// There is no allocator to box an error with, and a map is as large as one.
#![allow(clippy::result_large_err)]

mod allocation_class;
mod data_type;
mod decode;
mod diff;
mod encode;
mod explain;
pub mod layout;
mod map;
mod matrix_descriptor;
mod options;
mod params;
pub mod replace;
pub mod rules;
pub mod swizzle;
mod target;
pub mod walk;

pub use allocation_class::AllocationClass;
pub use data_type::{DataType, Element};
pub use decode::{Decoded, NotATensorMap};
pub use diff::Difference;
pub use explain::Explanation;
pub use map::TensorMap;
pub use matrix_descriptor::MatrixDescriptor;
pub use options::{Interleave, L2Promotion, OobFill, Swizzle, WideMode};
pub use params::{Dims, Im2col, Im2colWide, MAX_RANK, Params, Tensor, Tiled};
pub use rules::{Parameter, Rule, Violation, ViolationIter, Violations};
pub use target::Target;
