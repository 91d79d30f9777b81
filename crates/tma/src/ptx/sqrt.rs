//! `sqrt`, the square root. PTX ISA 9.7.3.15.

arithmetic! {
    /// Returns the square root of `x`. The relative error is at most 2^-23.
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "sqrt.approx.f32" isa "7.0" on sm_80;
    /// Returns the square root of `x`, approximately. Subnormal numbers count as zeros, and become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "sqrt.approx.ftz.f32" isa "7.0" on sm_80;
}
