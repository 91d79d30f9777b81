//! `mul`, products of halves and of pairs. PTX ISA 9.7.4.3 and 9.7.3.5.

arithmetic! {
    /// Multiplies two `f16`, rounded to nearest even.
    rn_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "mul.rn.f16" isa "7.0" on sm_80;
    /// Multiplies each of two `f16`, rounded to nearest even.
    #[doc(alias = "__hmul2_rn")]
    rn_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "mul.rn.f16x2" isa "7.0" on sm_80;
    /// Multiplies two `bf16`, rounded to nearest even.
    rn_bf16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "mul.rn.bf16" isa "7.8" on sm_90;
    /// Multiplies each of two `bf16`, rounded to nearest even.
    #[doc(alias = "__hmul2_rn")]
    rn_bf16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "mul.rn.bf16x2" isa "7.8" on sm_90;
    /// Multiplies two `f16`, rounded to nearest even. Subnormal numbers become zeros.
    rn_ftz_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "mul.rn.ftz.f16" isa "7.0" on sm_80;
    /// Multiplies each of two `f16`, rounded to nearest even. Subnormal numbers become zeros.
    rn_ftz_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "mul.rn.ftz.f16x2" isa "7.0" on sm_80;
    /// Multiplies two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    rn_sat_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "mul.rn.sat.f16" isa "7.0" on sm_80;
    /// Multiplies each of two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a
    /// NaN.
    #[doc(alias = "__hmul2_sat")]
    rn_sat_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "mul.rn.sat.f16x2" isa "7.0" on sm_80;
    /// Multiplies two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a NaN.
    /// Subnormal numbers become zeros.
    rn_ftz_sat_f16(a: u16 as reg16, b: u16 as reg16) -> u16 as reg16 = "mul.rn.ftz.sat.f16" isa "7.0" on sm_80;
    /// Multiplies each of two `f16`, rounded to nearest even. The result is at least 0 and at most 1, and 0 for a
    /// NaN. Subnormal numbers become zeros.
    rn_ftz_sat_f16x2(a: u32 as reg32, b: u32 as reg32) -> u32 as reg32 = "mul.rn.ftz.sat.f16x2" isa "7.0" on sm_80;
    /// Multiplies each of two `f32`, rounded to nearest even.
    #[doc(alias = "__fmul2_rn")]
    rn_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rn.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded to nearest even; subnormal numbers become zeros.
    rn_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rn.ftz.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded toward zero.
    #[doc(alias = "__fmul2_rz")]
    rz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rz.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded toward zero; subnormal numbers become zeros.
    rz_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rz.ftz.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded toward minus infinity.
    #[doc(alias = "__fmul2_rm")]
    rm_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rm.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded toward minus infinity; subnormal numbers become zeros.
    rm_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rm.ftz.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded toward plus infinity.
    #[doc(alias = "__fmul2_rp")]
    rp_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rp.f32x2" isa "8.6" on sm_100;
    /// Multiplies each of two `f32`, rounded toward plus infinity; subnormal numbers become zeros.
    rp_ftz_f32x2(a: u64 as reg64, b: u64 as reg64) -> u64 as reg64 = "mul.rp.ftz.f32x2" isa "8.6" on sm_100;
}
