//! `add`, sums of halves and of pairs. PTX ISA 9.7.4.1, 9.7.3.3 and 9.7.1.1.

arithmetic! {
    /// Adds two `f16`, rounded to nearest even.
    rn_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "add.rn.f16" isa "7.0" on sm_80;
    /// Adds each of two `f16`, rounded to nearest even.
    #[doc(alias = "__hadd2_rn")]
    rn_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.rn.f16x2" isa "7.0" on sm_80;
    /// Adds two `bf16`, rounded to nearest even.
    rn_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "add.rn.bf16" isa "7.8" on sm_90;
    /// Adds each of two `bf16`, rounded to nearest even.
    #[doc(alias = "__hadd2_rn")]
    rn_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.rn.bf16x2" isa "7.8" on sm_90;
    /// Adds two `f16`, rounded to nearest even. Subnormal numbers become zeros.
    rn_ftz_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "add.rn.ftz.f16" isa "7.0" on sm_80;
    /// Adds each of two `f16`, rounded to nearest even. Subnormal numbers become zeros.
    rn_ftz_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.rn.ftz.f16x2" isa "7.0" on sm_80;
    /// Adds two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    rn_sat_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "add.rn.sat.f16" isa "7.0" on sm_80;
    /// Adds each of two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    #[doc(alias = "__hadd2_sat")]
    rn_sat_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.rn.sat.f16x2" isa "7.0" on sm_80;
    /// Adds two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN. Subnormal
    /// numbers become zeros.
    rn_ftz_sat_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "add.rn.ftz.sat.f16" isa "7.0" on sm_80;
    /// Adds each of two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    /// Subnormal numbers become zeros.
    rn_ftz_sat_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.rn.ftz.sat.f16x2" isa "7.0" on sm_80;
    /// Adds each of two `f32`, rounded to nearest even.
    #[doc(alias = "__fadd2_rn")]
    rn_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rn.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded to nearest even; subnormal numbers become zeros.
    rn_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rn.ftz.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded toward zero.
    #[doc(alias = "__fadd2_rz")]
    rz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rz.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded toward zero; subnormal numbers become zeros.
    rz_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rz.ftz.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded toward minus infinity.
    #[doc(alias = "__fadd2_rm")]
    rm_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rm.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded toward minus infinity; subnormal numbers become zeros.
    rm_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rm.ftz.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded toward plus infinity.
    #[doc(alias = "__fadd2_rp")]
    rp_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rp.f32x2" isa "8.6" on sm_100;
    /// Adds each of two `f32`, rounded toward plus infinity; subnormal numbers become zeros.
    rp_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "add.rp.ftz.f32x2" isa "8.6" on sm_100;
    /// Adds each half, a signed integer; it wraps.
    #[doc(alias = "__vadd2")]
    s16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.s16x2" isa "8.0" on sm_90;
    /// Adds each half, an unsigned integer; it wraps.
    u16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.u16x2" isa "8.0" on sm_90;
    /// Adds each byte, a signed integer; it wraps.
    #[doc(alias = "__vadd4")]
    s8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.s8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Adds each byte, an unsigned integer; it wraps.
    u8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.u8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Adds each half, a signed integer; saturates.
    #[doc(alias = "__vaddss2")]
    sat_s16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.sat.s16x2" isa "9.2" on sm_107a_or_sm_120a;
    /// Adds each half, an unsigned integer; saturates.
    #[doc(alias = "__vaddus2")]
    sat_u16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.sat.u16x2" isa "9.2" on sm_107a_or_sm_120a;
    /// Adds each byte, a signed integer; saturates.
    #[doc(alias = "__vaddss4")]
    sat_s8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.sat.s8x4" isa "9.2" on sm_107a_or_sm_120a;
    /// Adds each byte, an unsigned integer; saturates.
    #[doc(alias = "__vaddus4")]
    sat_u8x4(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "add.sat.u8x4" isa "9.2" on sm_107a_or_sm_120a;
}
