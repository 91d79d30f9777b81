//! `lg2`, the logarithm to the base 2. PTX ISA 9.7.3.20.

arithmetic! {
    /// Returns the base-2 logarithm of `x`. The absolute error is at most 2^-22 for `x` from 0.5 to 2, the relative
    /// one elsewhere.
    #[doc(alias = "__log2f")]
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "lg2.approx.f32" isa "7.0" on sm_80;
    /// Returns the base-2 logarithm of `x`, approximately. Subnormal numbers count as zeros, and become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "lg2.approx.ftz.f32" isa "7.0" on sm_80;
}
