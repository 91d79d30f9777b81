//! `sub`, differences of halves, of pairs and of bytes. PTX ISA 9.7.4.2, 9.7.3.4 and 9.7.1.2.

arithmetic! {
    /// Subtracts two `f16`, rounded to nearest even.
    rn_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.f16" isa "7.0" on sm_80;
    /// Subtracts each of two `f16`, rounded to nearest even.
    #[doc(alias = "__hsub2_rn")]
    rn_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.f16x2" isa "7.0" on sm_80;
    /// Subtracts two `bf16`, rounded to nearest even.
    rn_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.bf16" isa "7.8" on sm_90;
    /// Subtracts each of two `bf16`, rounded to nearest even.
    #[doc(alias = "__hsub2_rn")]
    rn_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.bf16x2" isa "7.8" on sm_90;
    /// Subtracts two `f16`, rounded to nearest even. Subnormal numbers become zeros.
    rn_ftz_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.ftz.f16" isa "7.0" on sm_80;
    /// Subtracts each of two `f16`, rounded to nearest even. Subnormal numbers become zeros.
    rn_ftz_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.ftz.f16x2" isa "7.0" on sm_80;
    /// Subtracts two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    rn_sat_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.sat.f16" isa "7.0" on sm_80;
    /// Subtracts each of two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a
    /// NaN.
    #[doc(alias = "__hsub2_sat")]
    rn_sat_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.sat.f16x2" isa "7.0" on sm_80;
    /// Subtracts two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    /// Subnormal numbers become zeros.
    rn_ftz_sat_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "sub.rn.ftz.sat.f16" isa "7.0" on sm_80;
    /// Subtracts each of two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a
    /// NaN. Subnormal numbers become zeros.
    rn_ftz_sat_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.rn.ftz.sat.f16x2" isa "7.0" on sm_80;
    /// Subtracts each of two `f32`, rounded to nearest even.
    #[doc(alias = "__fsub2_rn")]
    rn_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rn.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded to nearest even; subnormal numbers become zeros.
    rn_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rn.ftz.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded toward zero.
    #[doc(alias = "__fsub2_rz")]
    rz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rz.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded toward zero; subnormal numbers become zeros.
    rz_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rz.ftz.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded toward minus infinity.
    #[doc(alias = "__fsub2_rm")]
    rm_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rm.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded toward minus infinity; subnormal numbers become zeros.
    rm_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rm.ftz.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded toward plus infinity.
    #[doc(alias = "__fsub2_rp")]
    rp_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rp.f32x2" isa "8.6" on sm_100;
    /// Subtracts each of two `f32`, rounded toward plus infinity; subnormal numbers become zeros.
    rp_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "sub.rp.ftz.f32x2" isa "8.6" on sm_100;
    /// Subtracts each byte, a signed integer; it wraps.
    #[doc(alias = "__vsub4")]
    s8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.s8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Subtracts each byte, an unsigned integer; it wraps.
    u8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.u8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Subtracts each byte, a signed integer; saturates.
    #[doc(alias = "__vsubss4")]
    sat_s8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.sat.s8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Subtracts each byte, an unsigned integer; saturates.
    #[doc(alias = "__vsubus4")]
    sat_u8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "sub.sat.u8x4" isa "9.2" on sm_107a_or_sm_120a;
}
