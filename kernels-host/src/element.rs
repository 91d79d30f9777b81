use bytemuck::Pod;
use kernels_gpu::gemm::Numbers;
use tma_host::half::{bf16, f16};

/// A number of 16 bits that tensor cores multiply: `bf16` or `f16`.
pub trait Element: Pod + Output<Self> + CacheElement<Self> + sealed::Sealed {
    /// The name among the kernels' types.
    #[doc(hidden)]
    const NUMBERS: Numbers;
}

mod sealed {
    pub trait CacheElement<T> {}
    pub trait Output<T> {}
    pub trait Sealed {}
    impl Sealed for tma_host::half::bf16 {}
    impl Sealed for tma_host::half::f16 {}
}

impl Element for bf16 {
    const NUMBERS: Numbers = Numbers::Bf16;
}

impl Element for f16 {
    const NUMBERS: Numbers = Numbers::F16;
}

/// An element of keys and values beside queries of `T`: that type, or `u8`, the bits of `e4m3`.
pub trait CacheElement<T>: Pod + sealed::CacheElement<T> {
    /// True for `u8`.
    #[doc(hidden)]
    const IS_E4M3: bool;
}

impl<T: Element> sealed::CacheElement<T> for u8 {}
impl<T: Element> CacheElement<T> for u8 {
    const IS_E4M3: bool = true;
}

macro_rules! stored {
    ($($element:ty)+) => {$(
        impl sealed::CacheElement<$element> for $element {}
        impl CacheElement<$element> for $element {
            const IS_E4M3: bool = false;
        }
    )+};
}

stored! { bf16 f16 }

/// A result of products of `T`: that type, or `f32`.
pub trait Output<T>: Pod + sealed::Output<T> {
    /// True for `f32`.
    #[doc(hidden)]
    const IS_SINGLE: bool;
}

macro_rules! outputs {
    ($($element:ty: $output:ty = $is_single:literal;)*) => {$(
        impl sealed::Output<$element> for $output {}
        impl Output<$element> for $output {
            const IS_SINGLE: bool = $is_single;
        }
    )*};
}

outputs! {
    bf16: bf16 = false;
    bf16: f32 = true;
    f16: f16 = false;
    f16: f32 = true;
}
