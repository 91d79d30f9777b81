//! `min`, the lesser half or integer. PTX ISA 9.7.4.7 and 9.7.1.12.

arithmetic! {
    /// Returns the lesser of two `f16`; the other value if one is a NaN.
    f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.f16" isa "7.0" on sm_80;
    /// Returns the lesser of each pair of `f16`; the other value if one is a NaN.
    #[doc(alias = "__hmin2")]
    f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.f16x2" isa "7.0" on sm_80;
    /// Returns the lesser of two `bf16`; the other value if one is a NaN.
    bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.bf16" isa "7.0" on sm_80;
    /// Returns the lesser of each pair of `bf16`; the other value if one is a NaN.
    #[doc(alias = "__hmin2")]
    bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.bf16x2" isa "7.0" on sm_80;
    /// Returns the lesser of two `f16`; a NaN if one is a NaN.
    nan_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.NaN.f16" isa "7.0" on sm_80;
    /// Returns the lesser of each pair of `f16`; a NaN if one is a NaN.
    #[doc(alias = "__hmin2_nan")]
    nan_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.NaN.f16x2" isa "7.0" on sm_80;
    /// Returns the lesser of two `bf16`; a NaN if one is a NaN.
    nan_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.NaN.bf16" isa "7.0" on sm_80;
    /// Returns the lesser of each pair of `bf16`; a NaN if one is a NaN.
    #[doc(alias = "__hmin2_nan")]
    nan_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.NaN.bf16x2" isa "7.0" on sm_80;
    /// Returns the lesser of two `f16`; the other value if one is a NaN. Subnormal numbers become zeros.
    ftz_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.ftz.f16" isa "7.0" on sm_80;
    /// Returns the lesser of each pair of `f16`; the other value if one is a NaN. Subnormal numbers become zeros.
    ftz_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.ftz.f16x2" isa "7.0" on sm_80;
    /// Returns the lesser of two `f16`; a NaN if one is a NaN. Subnormal numbers become zeros.
    ftz_nan_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.ftz.NaN.f16" isa "7.0" on sm_80;
    /// Returns the lesser of each pair of `f16`; a NaN if one is a NaN. Subnormal numbers become zeros.
    ftz_nan_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.ftz.NaN.f16x2" isa "7.0" on sm_80;
    /// Returns the lesser absolute value of two `f16`, times both signs; the other value if one is a NaN.
    xorsign_abs_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.xorsign.abs.f16" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of each pair of `f16`, times both signs; the other value if one is a NaN.
    xorsign_abs_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.xorsign.abs.f16x2" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of two `bf16`, times both signs; the other value if one is a NaN.
    xorsign_abs_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.xorsign.abs.bf16" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of each pair of `bf16`, times both signs; the other value if one is a NaN.
    xorsign_abs_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.xorsign.abs.bf16x2" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of two `f16`, times both signs; a NaN if one is a NaN.
    nan_xorsign_abs_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.NaN.xorsign.abs.f16" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of each pair of `f16`, times both signs; a NaN if one is a NaN.
    nan_xorsign_abs_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.NaN.xorsign.abs.f16x2" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of two `bf16`, times both signs; a NaN if one is a NaN.
    nan_xorsign_abs_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.NaN.xorsign.abs.bf16" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of each pair of `bf16`, times both signs; a NaN if one is a NaN.
    nan_xorsign_abs_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.NaN.xorsign.abs.bf16x2" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of two `f16`, times both signs; the other value if one is a NaN. Subnormal
    /// numbers become zeros.
    ftz_xorsign_abs_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.ftz.xorsign.abs.f16" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of each pair of `f16`, times both signs; the other value if one is a NaN.
    /// Subnormal numbers become zeros.
    ftz_xorsign_abs_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.ftz.xorsign.abs.f16x2" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of two `f16`, times both signs; a NaN if one is a NaN. Subnormal numbers
    /// become zeros.
    ftz_nan_xorsign_abs_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "min.ftz.NaN.xorsign.abs.f16" isa "7.8" on sm_90;
    /// Returns the lesser absolute value of each pair of `f16`, times both signs; a NaN if one is a NaN. Subnormal
    /// numbers become zeros.
    ftz_nan_xorsign_abs_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.ftz.NaN.xorsign.abs.f16x2" isa "7.8" on sm_90;
    /// Returns the lesser of two `s32`; negative values become 0.
    #[doc(alias = "__vimin_s32_relu")]
    relu_s32(a: i32 as reg32, b: i32 as reg32) -> i32 as reg32 = "min.relu.s32" isa "8.0" on sm_90;
    /// Returns the lesser of each half, a signed integer.
    #[doc(alias = "__vmins2")]
    s16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.s16x2" isa "8.0" on sm_90;
    /// Returns the lesser of each half, a signed integer; negative values become 0.
    #[doc(alias = "__vimin_s16x2_relu")]
    relu_s16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.relu.s16x2" isa "8.0" on sm_90;
    /// Returns the lesser of each half, an unsigned integer.
    #[doc(alias = "__vminu2")]
    u16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.u16x2" isa "8.0" on sm_90;
    /// Returns the lesser of each byte, a signed integer.
    #[doc(alias = "__vmins4")]
    s8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.s8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Returns the lesser of each byte, a signed integer; negative values become 0.
    relu_s8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.relu.s8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Returns the lesser of each byte, an unsigned integer.
    #[doc(alias = "__vminu4")]
    u8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "min.u8x4" isa "9.2" on sm_107a_or_sm_120a;
}
