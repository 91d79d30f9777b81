//! Tensor maps: what a tensor in global memory looks like to the Tensor Memory Accelerator.
//!
//! A [`TensorMap`] is 128 opaque bytes that a tensor copy instruction takes by address.
//! [`Tiled`] holds the parameters from which the driver's `cuTensorMapEncodeTiled` makes them.
//! The crate is `no_std` and serves device and host code alike; it never calls the driver.
//!
//! Dimensions, strides and boxes are **innermost first**: a row-major matrix of `h` rows and `w`
//! columns has dimensions `[w, h]`, and an `[H][W][C]` image has `[c, w, h]`.
//!
//! ```
//! use tensor_map::{DataType, Tiled};
//!
//! // 64 rows of 100 `i32`, each row padded to 416 bytes, read in boxes of 32 columns and 8 rows.
//! let tiled = Tiled::new(DataType::I32, &[100, 64])
//!     .strides_bytes(&[416])
//!     .box_dim(&[32, 8]);
//! assert_eq!(tiled.box_bytes(), 32 * 8 * 4);
//! ```
#![no_std]

mod data_type;
mod map;
mod tiled;

pub use data_type::{DataType, Element};
pub use map::TensorMap;
pub use tiled::{Interleave, L2Promotion, MAX_RANK, OobFill, Swizzle, Tiled};
