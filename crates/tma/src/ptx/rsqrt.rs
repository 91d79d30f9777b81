//! `rsqrt`, the reciprocal of the square root. PTX ISA 9.7.3.16 and 9.7.3.17.

arithmetic! {
    /// Returns the reciprocal of the square root of `x`. The relative error is at most 2^-22.9.
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "rsqrt.approx.f32" isa "7.0" on sm_80;
    /// Returns the reciprocal of the square root of `x`, approximately. Subnormal numbers count as zeros, and
    /// become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "rsqrt.approx.ftz.f32" isa "7.0" on sm_80;
    /// The approximation in double precision.
    approx_f64(x: f64 as reg64) -> f64 as reg64 = "rsqrt.approx.f64" isa "7.0" on sm_80;
    /// A rough approximation, from the upper 32 bits of `x`, in the upper 32 bits of the result.
    approx_ftz_f64(x: f64 as reg64) -> f64 as reg64 = "rsqrt.approx.ftz.f64" isa "7.0" on sm_80;
}
