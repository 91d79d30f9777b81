//! `rcp`, the reciprocal. PTX ISA 9.7.3.13 and 9.7.3.14.

arithmetic! {
    /// Returns `1 / x`, with an error of at most 1 ULP.
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "rcp.approx.f32" isa "7.0" on sm_80;
    /// Returns the reciprocal of `x`, approximately. Subnormal numbers count as zeros, and become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "rcp.approx.ftz.f32" isa "7.0" on sm_80;
    /// A rough approximation, from the upper 32 bits of `x`, in the upper 32 bits of the result.
    approx_ftz_f64(x: f64 as reg64) -> f64 as reg64 = "rcp.approx.ftz.f64" isa "7.0" on sm_80;
}
