//! `neg`, negatives of halves. PTX ISA 9.7.4.5. The bits of a NaN are left open there.

arithmetic! {
    /// Changes the sign of one `f16`.
    f16(a: u16 as reg16) -> u16 as reg16 = "neg.f16" isa "7.0" on sm_80;
    /// Changes the sign of each of two `f16`.
    #[doc(alias = "__hneg2")]
    f16x2(a: u32 as reg32) -> u32 as reg32 = "neg.f16x2" isa "7.0" on sm_80;
    /// Changes the sign of one `bf16`.
    bf16(a: u16 as reg16) -> u16 as reg16 = "neg.bf16" isa "7.0" on sm_80;
    /// Changes the sign of each of two `bf16`.
    #[doc(alias = "__hneg2")]
    bf16x2(a: u32 as reg32) -> u32 as reg32 = "neg.bf16x2" isa "7.0" on sm_80;
    /// Negates one half; subnormal numbers become zeros.
    ftz_f16(a: u16 as reg16) -> u16 as reg16 = "neg.ftz.f16" isa "7.0" on sm_80;
    /// Negates each half; subnormal numbers become zeros.
    ftz_f16x2(a: u32 as reg32) -> u32 as reg32 = "neg.ftz.f16x2" isa "7.0" on sm_80;
}
