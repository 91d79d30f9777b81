use bytemuck::Pod;
use kernels_gpu::rows::Numbers;
use tma_host::half::bf16;

/// A number of rows that are normalised: `f32` or `bf16`.
pub trait RowElement: Pod + sealed::Sealed {
    /// The name among the kernels' types.
    #[doc(hidden)]
    const NUMBERS: Numbers;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for tma_host::half::bf16 {}
}

impl RowElement for f32 {
    const NUMBERS: Numbers = Numbers::F32;
}

impl RowElement for bf16 {
    const NUMBERS: Numbers = Numbers::Bf16;
}
