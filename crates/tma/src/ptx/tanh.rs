//! `tanh`, the hyperbolic tangent. PTX ISA 9.7.3.22 and 9.7.4.9.

arithmetic! {
    /// The relative error is at most 2^-11.
    #[doc(alias = "__tanhf")]
    approx_f32(x: f32 as reg32) -> f32 as reg32 = "tanh.approx.f32" isa "7.0" on sm_80;
    /// Computes the hyperbolic tangent of a half.
    approx_f16(x: u16 as reg16) -> u16 as reg16 = "tanh.approx.f16" isa "7.0" on sm_80;
    /// Computes the hyperbolic tangent of two halves.
    approx_f16x2(x: u32 as reg32) -> u32 as reg32 = "tanh.approx.f16x2" isa "7.0" on sm_80;
    /// Computes the hyperbolic tangent of a `bf16`.
    approx_bf16(x: u16 as reg16) -> u16 as reg16 = "tanh.approx.bf16" isa "7.8" on sm_90;
    /// Computes the hyperbolic tangent of two `bf16`.
    approx_bf16x2(x: u32 as reg32) -> u32 as reg32 = "tanh.approx.bf16x2" isa "7.8" on sm_90;
}
