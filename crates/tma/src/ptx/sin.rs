//! `sin`, the sine. PTX ISA 9.7.3.18.

arithmetic! {
    /// Returns the sine of `x`. The absolute error is at most 2^-20.5 for `x` from -2 pi to 2 pi, and 2^-14.7 up to
    /// 100 pi.
    #[doc(alias = "__sinf")]
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "sin.approx.f32" isa "7.0" on sm_80;
    /// Returns the sine of `x`, approximately. Subnormal numbers count as zeros, and become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "sin.approx.ftz.f32" isa "7.0" on sm_80;
}
