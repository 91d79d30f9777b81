//! `sub`, differences of halves. PTX ISA 9.7.4.2.

arithmetic! {
    rn_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.f16" isa "7.0" on sm_80;
    #[doc(alias = "__hsub2_rn")]
    rn_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.f16x2" isa "7.0" on sm_80;
    rn_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.bf16" isa "7.8" on sm_90;
    #[doc(alias = "__hsub2_rn")]
    rn_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.bf16x2" isa "7.8" on sm_90;
}
