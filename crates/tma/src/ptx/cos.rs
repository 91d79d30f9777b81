//! `cos`, the cosine. PTX ISA 9.7.3.19.

arithmetic! {
    /// Returns the cosine of `x`. The absolute error is at most 2^-20.5 for `x` from -2 pi to 2 pi, and 2^-14.7 up
    /// to 100 pi.
    #[doc(alias = "__cosf")]
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "cos.approx.f32" isa "7.0" on sm_80;
    /// Returns the cosine of `x`, approximately. Subnormal numbers count as zeros, and become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "cos.approx.ftz.f32" isa "7.0" on sm_80;
}
