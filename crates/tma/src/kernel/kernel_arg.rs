use core::num::NonZero;

use tensor_map::TensorMap;

use crate::{
    kernel::global::{GlobalMut, GlobalRef, Owner},
    number::{
        float8::E4m3,
        halves::{Bf16, Bf16x2, F16, F16x2},
    },
    pipeline::items::Counter,
    tile::{Mode, TileArray, TileMap},
};

/// A type that a kernel can take as a parameter: numbers, [`halves`](crate::halves) among them, raw pointers,
/// [`GlobalRef`] and [`GlobalMut`], structs of these, and `&TensorMap` marked `#[grid_constant]`.
///
/// By a [`NonZero`] number is divided without a check, since the host can pass no zero.
///
/// A struct derives it, and is then passed by value:
///
/// ```
/// use tma::KernelArg;
///
/// #[derive(Clone, Copy, KernelArg)]
/// #[repr(C)]
/// pub struct Image {
///     dims: [u32; 2],
///     scale: f64,
/// }
///
/// #[tma::kernel]
/// pub unsafe fn resize(image: Image, pixels: *mut f32) { /* … */ }
/// # fn main() {}
/// ```
///
/// Anything else is refused when the kernel is compiled:
///
/// ```compile_fail
/// pub struct Pair(u32, u32);
///
/// #[tma::kernel]
/// pub unsafe fn pair(pair: Pair) {}
/// ```
///
/// So is a tensor map that an alias hides from the attribute:
///
/// ```compile_fail
/// type Map<'a> = &'a tma::TensorMap;
///
/// #[tma::kernel]
/// pub unsafe fn hidden(map: Map<'static>) {}
/// ```
///
/// # Safety
/// 1. The type has no padding that matters, is at most 16-byte aligned, and has the same layout on
///    host and device.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter",
    label = "no number, memory, or struct of these",
    note = "slices and references have no fixed layout in PTX: pass a `GlobalRef`, or a raw pointer and a length",
    note = "a tensor map is passed as `#[grid_constant] map: &TensorMap`",
    note = "a struct of plain data is `#[repr(C)]` and has `#[derive(Clone, Copy, KernelArg)]`"
)]
pub unsafe trait KernelArg: Copy {
    /// Writes the bytes of the value, in the order of the device, to the start of `bytes`.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn write_bytes(&self, bytes: &mut [u8]);

    /// Returns the argument for the parameter.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn to_argument(&self) -> tma_launch::Argument {
        let mut bytes = std::vec![0; size_of::<Self>()];
        self.write_bytes(&mut bytes);
        tma_launch::Argument::Bytes(bytes)
    }
}

macro_rules! kernel_args {
    ($($type:ty)*) => {$(
        // SAFETY: a number is laid out alike on host and device (1).
        unsafe impl KernelArg for $type {
            #[cfg(not(target_arch = "nvptx64"))]
            fn write_bytes(&self, bytes: &mut [u8]) {
                bytes[..size_of::<Self>()].copy_from_slice(&self.to_le_bytes());
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn to_argument(&self) -> tma_launch::Argument {
                tma_launch::Argument::Scalar((*self).into())
            }
        }
    )*};
}

kernel_args! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 }

macro_rules! bits_args {
    ($($type:ty)*) => {$(
        // SAFETY: the type has the layout of the number that its bits are (1).
        unsafe impl KernelArg for $type {
            #[cfg(not(target_arch = "nvptx64"))]
            fn write_bytes(&self, bytes: &mut [u8]) {
                self.to_bits().write_bytes(bytes);
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn to_argument(&self) -> tma_launch::Argument {
                self.to_bits().to_argument()
            }
        }
    )*};
}

bits_args! { F16 Bf16 F16x2 Bf16x2 E4m3 }

#[cfg(feature = "half")]
bits_args! { half::f16 half::bf16 }

macro_rules! non_zero_args {
    ($($type:ty)*) => {$(
        // SAFETY: `NonZero` has the layout of its number (1).
        unsafe impl KernelArg for NonZero<$type> {
            #[cfg(not(target_arch = "nvptx64"))]
            fn write_bytes(&self, bytes: &mut [u8]) {
                self.get().write_bytes(bytes);
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn to_argument(&self) -> tma_launch::Argument {
                self.get().to_argument()
            }
        }
    )*};
}

non_zero_args! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

macro_rules! pointer_args {
    ($([$($generics:tt)*] $type:ty $(, $start:ident)?;)*) => {$(
        // SAFETY: device and host pointers are both 64 bits (1).
        unsafe impl<$($generics)*> KernelArg for $type {
            #[cfg(not(target_arch = "nvptx64"))]
            fn write_bytes(&self, bytes: &mut [u8]) {
                (self $(.$start)? .addr() as u64).write_bytes(bytes);
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn to_argument(&self) -> tma_launch::Argument {
                tma_launch::Argument::Address(self $(.$start)? .addr() as u64)
            }
        }
    )*};
}

pointer_args! {
    [T] *const T;
    [T] *mut T;
    [T: Sync, O: Owner] GlobalRef<T, O>, start;
    [T, O: Owner] GlobalMut<T, O>, start;
    [] Counter, start;
}

// SAFETY: elements that are laid out alike on host and device follow each other without gaps (1).
unsafe impl<T: KernelArg, const N: usize> KernelArg for [T; N] {
    #[cfg(not(target_arch = "nvptx64"))]
    fn write_bytes(&self, bytes: &mut [u8]) {
        for (element, bytes) in self.iter().zip(bytes.chunks_mut(size_of::<T>().max(1))) {
            element.write_bytes(bytes);
        }
    }
}

/// A type that a parameter marked `#[grid_constant]` can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a grid constant",
    label = "neither a `&TensorMap` nor a `&TileMap`"
)]
pub trait GridConstantArg {
    /// The tile that the map's box must be.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    const TILE: Option<tma_launch::TileShape>;
}

impl GridConstantArg for &TensorMap {
    #[cfg(not(target_arch = "nvptx64"))]
    const TILE: Option<tma_launch::TileShape> = None;
}

impl<S: TileArray, M: Mode> GridConstantArg for &TileMap<S, M> {
    #[cfg(not(target_arch = "nvptx64"))]
    const TILE: Option<tma_launch::TileShape> = Some(tma_launch::TileShape {
        data_type: <S::Element as crate::number::Element>::TYPE,
        box_dims: S::BOX,
        swizzle: M::SWIZZLE,
    });
}
