//! `rcp`, the reciprocal. PTX ISA 9.7.3.13.

arithmetic! {
    /// The error is at most 1 ULP.
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "rcp.approx.f32" isa "7.0" on sm_80;
    /// The same; subnormal numbers count as zeros, and become such.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "rcp.approx.ftz.f32" isa "7.0" on sm_80;
}
