//! `max`, the greater half. PTX ISA 9.7.4.8.

arithmetic! {
    /// Where one of them is a NaN, the other one.
    f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "max.f16" isa "7.0" on sm_80;
    /// Each half: where one of them is a NaN, the other one.
    #[doc(alias = "__hmax2")]
    f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "max.f16x2" isa "7.0" on sm_80;
    /// Where one of them is a NaN, the other one.
    bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "max.bf16" isa "7.0" on sm_80;
    /// Each half: where one of them is a NaN, the other one.
    #[doc(alias = "__hmax2")]
    bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "max.bf16x2" isa "7.0" on sm_80;
    /// A NaN where one of them is a NaN.
    nan_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "max.NaN.f16" isa "7.0" on sm_80;
    /// Each half: a NaN where one of them is a NaN.
    #[doc(alias = "__hmax2_nan")]
    nan_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "max.NaN.f16x2" isa "7.0" on sm_80;
    /// A NaN where one of them is a NaN.
    nan_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "max.NaN.bf16" isa "7.0" on sm_80;
    /// Each half: a NaN where one of them is a NaN.
    #[doc(alias = "__hmax2_nan")]
    nan_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "max.NaN.bf16x2" isa "7.0" on sm_80;
}
