use tensor_map::TensorMap;

/// What a kernel can take as a parameter: numbers, raw pointers, and `&TensorMap` marked
/// `#[grid_constant]`.
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
    label = "not a number or a raw pointer",
    note = "slices and references have no fixed place in PTX: pass a raw pointer and a length",
    note = "a tensor map is passed as `#[grid_constant] map: &TensorMap`"
)]
pub unsafe trait KernelArg: Copy {}

macro_rules! kernel_args {
    ($($type:ty)*) => {$(
        // SAFETY: a number is laid out alike on host and device (1).
        unsafe impl KernelArg for $type {}
    )*};
}

kernel_args! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 }

// SAFETY: device and host pointers are both 64 bits (1).
unsafe impl<T> KernelArg for *const T {}
// SAFETY: device and host pointers are both 64 bits (1).
unsafe impl<T> KernelArg for *mut T {}

/// What a parameter marked `#[grid_constant]` can be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a grid constant",
    label = "not a `&TensorMap`"
)]
pub trait GridConstantArg {}

impl GridConstantArg for &TensorMap {}
