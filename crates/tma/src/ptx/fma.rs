//! `fma`, products and sums of halves, rounded once. PTX ISA 9.7.4.4.

arithmetic! {
    /// `a * b + c`, rounded once.
    rn_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.f16" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once.
    #[doc(alias = "__hfma2")]
    rn_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.f16x2" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once.
    rn_bf16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.bf16" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once.
    #[doc(alias = "__hfma2")]
    rn_bf16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.bf16x2" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once; what is negative becomes 0.
    rn_relu_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.relu.f16" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once; what is negative becomes 0.
    #[doc(alias = "__hfma2_relu")]
    rn_relu_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.relu.f16x2" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once; what is negative becomes 0.
    rn_relu_bf16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.relu.bf16" isa "7.0" on sm_80;
    /// `a * b + c`, rounded once; what is negative becomes 0.
    #[doc(alias = "__hfma2_relu")]
    rn_relu_bf16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.relu.bf16x2" isa "7.0" on sm_80;
}
