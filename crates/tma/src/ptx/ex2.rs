//! `ex2`, powers of 2. PTX ISA 9.7.3.21 and 9.7.4.10.

arithmetic! {
    /// Returns 2 to the power of `x`. The relative error is at most 2^-22.
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "ex2.approx.f32" isa "7.0" on sm_80;
    /// Returns 2 to the power of `x`, approximately. Subnormal numbers count as zeros, and become zeros.
    approx_ftz_f32(x: f32 as reg32) -> f32 as reg32 = "ex2.approx.ftz.f32" isa "7.0" on sm_80;
    /// Raises 2 to the power of a half.
    approx_f16(x: u16 as reg16) -> u16 as reg16 = "ex2.approx.f16" isa "7.0" on sm_80;
    /// Raises 2 to the power of two halves.
    approx_f16x2(x: u32 as reg32) -> u32 as reg32 = "ex2.approx.f16x2" isa "7.0" on sm_80;
    /// Raises 2 to the power of a `bf16`.
    approx_ftz_bf16(x: u16 as reg16) -> u16 as reg16 = "ex2.approx.ftz.bf16" isa "7.8" on sm_90;
    /// Raises 2 to the power of two `bf16`.
    approx_ftz_bf16x2(x: u32 as reg32) -> u32 as reg32 = "ex2.approx.ftz.bf16x2" isa "7.8" on sm_90;
}
