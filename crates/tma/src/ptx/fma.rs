//! `fma`, products and sums of halves and of pairs, rounded once. PTX ISA 9.7.4.4 and 9.7.3.6.

arithmetic! {
    /// Returns `a * b + c`, rounded once, to `f16`.
    rn_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.f16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for two `f16`, each rounded once.
    #[doc(alias = "__hfma2")]
    rn_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.f16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c`, rounded once, to `bf16`.
    rn_bf16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.bf16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for two `bf16`, each rounded once.
    #[doc(alias = "__hfma2")]
    rn_bf16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.bf16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `f16`, rounded once. Negative values become 0.
    rn_relu_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.relu.f16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for each of two `f16`, rounded once. Negative values become 0.
    #[doc(alias = "__hfma2_relu")]
    rn_relu_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.relu.f16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `bf16`, rounded once. Negative values become 0.
    rn_relu_bf16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.relu.bf16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for each of two `bf16`, rounded once. Negative values become 0.
    #[doc(alias = "__hfma2_relu")]
    rn_relu_bf16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.relu.bf16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `f16`, rounded once. Subnormal numbers become zeros.
    rn_ftz_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.ftz.f16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for each of two `f16`, rounded once. Subnormal numbers become zeros.
    rn_ftz_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.ftz.f16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `f16`, rounded once. The result is at least 0 and at most 1, and 0 for a NaN.
    rn_sat_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.sat.f16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for each of two `f16`, rounded once. The result is at least 0 and at most 1, and 0 for a
    /// NaN.
    #[doc(alias = "__hfma2_sat")]
    rn_sat_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.sat.f16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `f16`, rounded once. The result is at least 0 and at most 1, and 0 for a NaN.
    /// Subnormal numbers become zeros.
    rn_ftz_sat_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.ftz.sat.f16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for each of two `f16`, rounded once. The result is at least 0 and at most 1, and 0 for a
    /// NaN. Subnormal numbers become zeros.
    rn_ftz_sat_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.ftz.sat.f16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `f16`, rounded once. Negative values and subnormal numbers become 0.
    rn_ftz_relu_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.ftz.relu.f16" isa "7.0" on sm_80;
    /// Returns `a * b + c` for each of two `f16`, rounded once. Negative values and subnormal numbers become 0.
    rn_ftz_relu_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.ftz.relu.f16x2" isa "7.0" on sm_80;
    /// Returns `a * b + c` in `f16`, rounded once, or 0 if an operand is the NaN that tensor copies write for
    /// elements out of bounds.
    rn_oob_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.oob.f16" isa "8.1" on sm_90;
    /// Returns `a * b + c` for each of two `f16`, rounded once, or 0 if an operand is the NaN that tensor copies
    /// write for elements out of bounds.
    rn_oob_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.oob.f16x2" isa "8.1" on sm_90;
    /// Returns `a * b + c` in `bf16`, rounded once, or 0 if an operand is the NaN that tensor copies write for
    /// elements out of bounds.
    rn_oob_bf16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.oob.bf16" isa "8.1" on sm_90;
    /// Returns `a * b + c` for each of two `bf16`, rounded once, or 0 if an operand is the NaN that tensor copies
    /// write for elements out of bounds.
    rn_oob_bf16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.oob.bf16x2" isa "8.1" on sm_90;
    /// Returns `a * b + c` in `f16`, rounded once, or 0 if an operand is the NaN that tensor copies write for
    /// elements out of bounds. Negative values become 0.
    rn_oob_relu_f16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.oob.relu.f16" isa "8.1" on sm_90;
    /// Returns `a * b + c` for each of two `f16`, rounded once, or 0 if an operand is the NaN that tensor copies
    /// write for elements out of bounds. Negative values become 0.
    rn_oob_relu_f16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.oob.relu.f16x2" isa "8.1" on sm_90;
    /// Returns `a * b + c` in `bf16`, rounded once, or 0 if an operand is the NaN that tensor copies write for
    /// elements out of bounds. Negative values become 0.
    rn_oob_relu_bf16(a: u16 as reg16, b: u16 as reg16, c: u16 as reg16) -> u16 as reg16 = "fma.rn.oob.relu.bf16" isa "8.1" on sm_90;
    /// Returns `a * b + c` for each of two `bf16`, rounded once, or 0 if an operand is the NaN that tensor copies
    /// write for elements out of bounds. Negative values become 0.
    rn_oob_relu_bf16x2(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "fma.rn.oob.relu.bf16x2" isa "8.1" on sm_90;
    /// Returns `a * b + c` for each of two `f32`, rounded once to nearest even.
    #[doc(alias = "__ffma2_rn")]
    rn_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rn.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once to nearest even. Subnormal numbers become zeros.
    rn_ftz_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rn.ftz.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once toward zero.
    #[doc(alias = "__ffma2_rz")]
    rz_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rz.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once toward zero. Subnormal numbers become zeros.
    rz_ftz_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rz.ftz.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once toward minus infinity.
    #[doc(alias = "__ffma2_rm")]
    rm_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rm.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once toward minus infinity. Subnormal numbers become
    /// zeros.
    rm_ftz_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rm.ftz.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once toward plus infinity.
    #[doc(alias = "__ffma2_rp")]
    rp_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rp.f32x2" isa "8.6" on sm_100;
    /// Returns `a * b + c` for each of two `f32`, rounded once toward plus infinity. Subnormal numbers become
    /// zeros.
    rp_ftz_f32x2(a: u64 as reg64, b: u64 as reg64, c: u64 as reg64) -> u64 as reg64 = "fma.rp.ftz.f32x2" isa "8.6" on sm_100;
}
