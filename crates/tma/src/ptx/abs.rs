//! `abs`, absolute values of halves. PTX ISA 9.7.4.6. The bits of a NaN are left open there.

arithmetic! {
    /// Takes the absolute value of one half.
    f16(a: u16 as reg16) -> u16 as reg16 = "abs.f16" isa "7.0" on sm_80;
    /// Takes the absolute value of each half.
    #[doc(alias = "__habs2")]
    f16x2(a: u32 as reg32) -> u32 as reg32 = "abs.f16x2" isa "7.0" on sm_80;
    /// Takes the absolute value of one half.
    bf16(a: u16 as reg16) -> u16 as reg16 = "abs.bf16" isa "7.0" on sm_80;
    /// Takes the absolute value of each half.
    #[doc(alias = "__habs2")]
    bf16x2(a: u32 as reg32) -> u32 as reg32 = "abs.bf16x2" isa "7.0" on sm_80;
    /// Takes the absolute value of one half; subnormal numbers become zeros.
    ftz_f16(a: u16 as reg16) -> u16 as reg16 = "abs.ftz.f16" isa "7.0" on sm_80;
    /// Takes the absolute value of each half; subnormal numbers become zeros.
    ftz_f16x2(a: u32 as reg32) -> u32 as reg32 = "abs.ftz.f16x2" isa "7.0" on sm_80;
}
