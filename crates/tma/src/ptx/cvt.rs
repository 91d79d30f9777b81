//! `cvt`, conversions of numbers to and from halves, tf32 and formats of 4 to 8 bits. PTX ISA 9.7.9.21.
//!
//! The first of two numbers goes to the upper half. Too large values become infinite, or with `.satfinite` the
//! largest number; with `.relu` negative values become 0.

arithmetic! {
    /// Converts two `f32` to two `f16`, rounded to nearest even.
    #[doc(alias = "__floats2half2_rn")]
    rn_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.f16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `f16`, rounded to nearest even.
    #[doc(alias = "__float2half_rn")]
    rn_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.f16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded to nearest even.
    #[doc(alias = "__floats2bfloat162_rn")]
    rn_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.bf16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `bf16`, rounded to nearest even.
    #[doc(alias = "__float2bfloat16_rn")]
    rn_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.bf16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `f16`, rounded to nearest even. Too large values become the largest number.
    rn_satfinite_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.satfinite.f16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `f16`, rounded to nearest even. Too large values become the largest number.
    rn_satfinite_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.f16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded to nearest even. Too large values become the largest number.
    rn_satfinite_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.satfinite.bf16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `bf16`, rounded to nearest even. Too large values become the largest number.
    rn_satfinite_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.bf16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `f16`, rounded to nearest even. Negative values become 0.
    rn_relu_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.relu.f16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `f16`, rounded to nearest even. Negative values become 0.
    rn_relu_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.relu.f16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded to nearest even. Negative values become 0.
    rn_relu_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.relu.bf16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `bf16`, rounded to nearest even. Negative values become 0.
    rn_relu_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.relu.bf16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `f16`, rounded to nearest even. Negative values become 0, and too large ones the
    /// largest number.
    rn_relu_satfinite_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.relu.satfinite.f16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `f16`, rounded to nearest even. Negative values become 0, and too large ones the largest
    /// number.
    rn_relu_satfinite_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.relu.satfinite.f16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded to nearest even. Negative values become 0, and too large ones the
    /// largest number.
    rn_relu_satfinite_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.relu.satfinite.bf16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `bf16`, rounded to nearest even. Negative values become 0, and too large ones the largest
    /// number.
    rn_relu_satfinite_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.relu.satfinite.bf16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `f16`, rounded toward zero.
    rz_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.f16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `f16`, rounded toward zero.
    #[doc(alias = "__float2half_rz")]
    rz_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.f16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded toward zero.
    rz_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.bf16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `bf16`, rounded toward zero.
    #[doc(alias = "__float2bfloat16_rz")]
    rz_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.bf16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `f16`, rounded toward zero. Too large values become the largest number.
    rz_satfinite_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.satfinite.f16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `f16`, rounded toward zero. Too large values become the largest number.
    rz_satfinite_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.satfinite.f16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded toward zero. Too large values become the largest number.
    rz_satfinite_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.satfinite.bf16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `bf16`, rounded toward zero. Too large values become the largest number.
    rz_satfinite_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.satfinite.bf16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `f16`, rounded toward zero. Negative values become 0.
    rz_relu_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.relu.f16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `f16`, rounded toward zero. Negative values become 0.
    rz_relu_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.relu.f16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded toward zero. Negative values become 0.
    rz_relu_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.relu.bf16x2.f32" isa "7.0" on sm_80;
    /// Converts `x` to `bf16`, rounded toward zero. Negative values become 0.
    rz_relu_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.relu.bf16.f32" isa "7.0" on sm_80;
    /// Converts two `f32` to two `f16`, rounded toward zero. Negative values become 0, and too large ones the
    /// largest number.
    rz_relu_satfinite_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.relu.satfinite.f16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `f16`, rounded toward zero. Negative values become 0, and too large ones the largest number.
    rz_relu_satfinite_f16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.relu.satfinite.f16.f32" isa "8.1" on sm_80;
    /// Converts two `f32` to two `bf16`, rounded toward zero. Negative values become 0, and too large ones the
    /// largest number.
    rz_relu_satfinite_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rz.relu.satfinite.bf16x2.f32" isa "8.1" on sm_80;
    /// Converts `x` to `bf16`, rounded toward zero. Negative values become 0, and too large ones the largest
    /// number.
    rz_relu_satfinite_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rz.relu.satfinite.bf16.f32" isa "8.1" on sm_80;
    /// Converts `x` from `f16` to `f32`, which is exact.
    #[doc(alias = "__half2float")]
    f32_f16(x: u16 as reg16) -> f32 as reg32 = "cvt.f32.f16" isa "7.0" on sm_80;
    /// Converts `x` from `bf16` to `f32`, which is exact.
    #[doc(alias = "__bfloat162float")]
    f32_bf16(x: u16 as reg16) -> f32 as reg32 = "cvt.f32.bf16" isa "7.1" on sm_80;
    /// Converts `x` to `tf32`, rounded to nearest with halfway cases away from zero.
    rna_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rna.tf32.f32" isa "7.0" on sm_80;
    /// Converts `x` to `tf32`, rounded to nearest with halfway cases away from zero. Too large values become the
    /// largest number.
    rna_satfinite_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rna.satfinite.tf32.f32" isa "8.1" on sm_80;
    /// Converts `x` to `tf32`, rounded to nearest even.
    rn_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rn.tf32.f32" isa "7.8" on sm_90;
    /// Converts `x` to `tf32`, rounded to nearest even. Negative values become 0.
    rn_relu_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rn.relu.tf32.f32" isa "7.8" on sm_90;
    /// Converts `x` to `tf32`, rounded toward zero.
    rz_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rz.tf32.f32" isa "7.8" on sm_90;
    /// Converts `x` to `tf32`, rounded toward zero. Negative values become 0.
    rz_relu_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rz.relu.tf32.f32" isa "7.8" on sm_90;
    /// Converts `x` to `tf32`, rounded to nearest even. Too large values become the largest number.
    rn_satfinite_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rn.satfinite.tf32.f32" isa "8.6" on sm_100;
    /// Converts `x` to `tf32`, rounded to nearest even. Negative values become 0, and too large ones the largest
    /// number.
    rn_relu_satfinite_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rn.relu.satfinite.tf32.f32" isa "8.6" on sm_100;
    /// Converts `x` to `tf32`, rounded toward zero. Too large values become the largest number.
    rz_satfinite_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rz.satfinite.tf32.f32" isa "8.6" on sm_100;
    /// Converts `x` to `tf32`, rounded toward zero. Negative values become 0, and too large ones the largest
    /// number.
    rz_relu_satfinite_tf32_f32(x: f32 as reg32) -> u32 as reg32 = "cvt.rz.relu.satfinite.tf32.f32" isa "8.6" on sm_100;
    /// Converts two `f32` to two `e4m3`, rounded to nearest even.
    rn_satfinite_e4m3x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e4m3x2.f32" isa "7.8" on sm_90;
    /// Converts two `f16` to two `e4m3`, rounded to nearest even.
    rn_satfinite_e4m3x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e4m3x2.f16x2" isa "7.8" on sm_90;
    /// Converts two `e4m3` to two `f16`, which is exact.
    rn_f16x2_e4m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.f16x2.e4m3x2" isa "7.8" on sm_90;
    /// Converts two `f32` to two `e5m2`, rounded to nearest even.
    rn_satfinite_e5m2x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e5m2x2.f32" isa "7.8" on sm_90;
    /// Converts two `f16` to two `e5m2`, rounded to nearest even.
    rn_satfinite_e5m2x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e5m2x2.f16x2" isa "7.8" on sm_90;
    /// Converts two `e5m2` to two `f16`, which is exact.
    rn_f16x2_e5m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.f16x2.e5m2x2" isa "7.8" on sm_90;
    /// Converts two `f32` to two `e4m3`, rounded to nearest even. Negative values become 0.
    rn_satfinite_relu_e4m3x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e4m3x2.f32" isa "7.8" on sm_90;
    /// Converts two `f16` to two `e4m3`, rounded to nearest even. Negative values become 0.
    rn_satfinite_relu_e4m3x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e4m3x2.f16x2" isa "7.8" on sm_90;
    /// Converts two `e4m3` to two `f16`, which is exact. Negative values become 0.
    rn_relu_f16x2_e4m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.f16x2.e4m3x2" isa "7.8" on sm_90;
    /// Converts two `f32` to two `e5m2`, rounded to nearest even. Negative values become 0.
    rn_satfinite_relu_e5m2x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e5m2x2.f32" isa "7.8" on sm_90;
    /// Converts two `f16` to two `e5m2`, rounded to nearest even. Negative values become 0.
    rn_satfinite_relu_e5m2x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e5m2x2.f16x2" isa "7.8" on sm_90;
    /// Converts two `e5m2` to two `f16`, which is exact. Negative values become 0.
    rn_relu_f16x2_e5m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.f16x2.e5m2x2" isa "7.8" on sm_90;
    /// Converts two `f32` to two `e3m2`, rounded to nearest even, each in 6 bits of a byte. A NaN becomes the
    /// largest number.
    rn_satfinite_e3m2x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e3m2x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `f32` to two `e2m3`, rounded to nearest even, each in 6 bits of a byte. A NaN becomes the
    /// largest number.
    rn_satfinite_e2m3x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e2m3x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `f16`, which is exact. The upper 2 bits of each byte of `x` are 0.
    rn_f16x2_e3m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.f16x2.e3m2x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `f16`, which is exact. The upper 2 bits of each byte of `x` are 0.
    rn_f16x2_e2m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.f16x2.e2m3x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e4m3`, rounded to nearest even.
    rn_satfinite_e4m3x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e4m3x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e5m2`, rounded to nearest even.
    rn_satfinite_e5m2x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e5m2x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `f16` to two `e3m2`, rounded to nearest even, each in 6 bits of a byte. A NaN becomes the
    /// largest number.
    rn_satfinite_e3m2x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e3m2x2.f16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e3m2`, rounded to nearest even, each in 6 bits of a byte. A NaN becomes the
    /// largest number.
    rn_satfinite_e3m2x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e3m2x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `f16` to two `e2m3`, rounded to nearest even, each in 6 bits of a byte. A NaN becomes the
    /// largest number.
    rn_satfinite_e2m3x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e2m3x2.f16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e2m3`, rounded to nearest even, each in 6 bits of a byte. A NaN becomes the
    /// largest number.
    rn_satfinite_e2m3x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.e2m3x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, which is exact.
    rn_bf16x2_e4m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`.
    rn_scaled_bf16x2_e4m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, which is exact.
    rn_bf16x2_e5m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`.
    rn_scaled_bf16x2_e5m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.scaled::n2::ue8m0.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, which is exact. The upper 2 bits of each byte of `x` are 0.
    rn_bf16x2_e3m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. The upper 2 bits
    /// of each byte of `x` are 0.
    rn_scaled_bf16x2_e3m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.scaled::n2::ue8m0.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, which is exact. The upper 2 bits of each byte of `x` are 0.
    rn_bf16x2_e2m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. The upper 2 bits
    /// of each byte of `x` are 0.
    rn_scaled_bf16x2_e2m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two finite `bf16`, which is exact.
    rn_satfinite_bf16x2_e4m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Too large values
    /// become the largest number.
    rn_satfinite_scaled_bf16x2_e4m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two finite `bf16`, which is exact.
    rn_satfinite_bf16x2_e5m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Too large values
    /// become the largest number.
    rn_satfinite_scaled_bf16x2_e5m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, which is exact. Too large values become the largest number. The upper 2
    /// bits of each byte of `x` are 0.
    rn_satfinite_bf16x2_e3m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Too large values
    /// become the largest number. The upper 2 bits of each byte of `x` are 0.
    rn_satfinite_scaled_bf16x2_e3m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, which is exact. Too large values become the largest number. The upper 2
    /// bits of each byte of `x` are 0.
    rn_satfinite_bf16x2_e2m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Too large values
    /// become the largest number. The upper 2 bits of each byte of `x` are 0.
    rn_satfinite_scaled_bf16x2_e2m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `f32` to two `e3m2`, rounded to nearest even, each in 6 bits of a byte. Negative values become
    /// 0. A NaN becomes the largest number.
    rn_satfinite_relu_e3m2x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e3m2x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `f32` to two `e2m3`, rounded to nearest even, each in 6 bits of a byte. Negative values become
    /// 0. A NaN becomes the largest number.
    rn_satfinite_relu_e2m3x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e2m3x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `f16`, which is exact. Negative values become 0. The upper 2 bits of each byte of
    /// `x` are 0.
    rn_relu_f16x2_e3m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.f16x2.e3m2x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `f16`, which is exact. Negative values become 0. The upper 2 bits of each byte of
    /// `x` are 0.
    rn_relu_f16x2_e2m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.f16x2.e2m3x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e4m3`, rounded to nearest even. Negative values become 0.
    rn_satfinite_relu_e4m3x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e4m3x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e5m2`, rounded to nearest even. Negative values become 0.
    rn_satfinite_relu_e5m2x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e5m2x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `f16` to two `e3m2`, rounded to nearest even, each in 6 bits of a byte. Negative values become
    /// 0. A NaN becomes the largest number.
    rn_satfinite_relu_e3m2x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e3m2x2.f16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e3m2`, rounded to nearest even, each in 6 bits of a byte. Negative values become
    /// 0. A NaN becomes the largest number.
    rn_satfinite_relu_e3m2x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e3m2x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `f16` to two `e2m3`, rounded to nearest even, each in 6 bits of a byte. Negative values become
    /// 0. A NaN becomes the largest number.
    rn_satfinite_relu_e2m3x2_f16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e2m3x2.f16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `bf16` to two `e2m3`, rounded to nearest even, each in 6 bits of a byte. Negative values become
    /// 0. A NaN becomes the largest number.
    rn_satfinite_relu_e2m3x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.e2m3x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, which is exact. Negative values become 0.
    rn_relu_bf16x2_e4m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0.
    rn_relu_scaled_bf16x2_e4m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, which is exact. Negative values become 0.
    rn_relu_bf16x2_e5m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0.
    rn_relu_scaled_bf16x2_e5m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, which is exact. Negative values become 0. The upper 2 bits of each byte
    /// of `x` are 0.
    rn_relu_bf16x2_e3m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0. The upper 2 bits of each byte of `x` are 0.
    rn_relu_scaled_bf16x2_e3m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, which is exact. Negative values become 0. The upper 2 bits of each byte
    /// of `x` are 0.
    rn_relu_bf16x2_e2m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0. The upper 2 bits of each byte of `x` are 0.
    rn_relu_scaled_bf16x2_e2m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, which is exact. Negative values become 0, and too large ones the largest
    /// number.
    rn_relu_satfinite_bf16x2_e4m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e4m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0, and too large ones the largest number.
    rn_relu_satfinite_scaled_bf16x2_e4m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, which is exact. Negative values become 0, and too large ones the largest
    /// number.
    rn_relu_satfinite_bf16x2_e5m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e5m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0, and too large ones the largest number.
    rn_relu_satfinite_scaled_bf16x2_e5m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, which is exact. Negative values become 0, and too large ones the largest
    /// number. The upper 2 bits of each byte of `x` are 0.
    rn_relu_satfinite_bf16x2_e3m2x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e3m2` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0, and too large ones the largest number. The upper 2 bits of each byte of `x` are 0.
    rn_relu_satfinite_scaled_bf16x2_e3m2x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e3m2x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, which is exact. Negative values become 0, and too large ones the largest
    /// number. The upper 2 bits of each byte of `x` are 0.
    rn_relu_satfinite_bf16x2_e2m3x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Converts two `e2m3` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0, and too large ones the largest number. The upper 2 bits of each byte of `x` are 0.
    rn_relu_satfinite_scaled_bf16x2_e2m3x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e2m3x2" isa "9.2" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next lower powers of two, finite. The manual does not define the result for a
    /// minus sign.
    rz_satfinite_ue8m0x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rz.satfinite.ue8m0x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next lower powers of two, finite. The manual does not define the result for a
    /// minus sign.
    rz_satfinite_ue8m0x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rz.satfinite.ue8m0x2.bf16x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next lower powers of two. The manual does not define the result for a minus
    /// sign.
    rz_ue8m0x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rz.ue8m0x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next lower powers of two. The manual does not define the result for a minus
    /// sign.
    rz_ue8m0x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rz.ue8m0x2.bf16x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next higher powers of two, finite. The manual does not define the result for a
    /// minus sign.
    rp_satfinite_ue8m0x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rp.satfinite.ue8m0x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next higher powers of two, finite. The manual does not define the result for a
    /// minus sign.
    rp_satfinite_ue8m0x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rp.satfinite.ue8m0x2.bf16x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next higher powers of two. The manual does not define the result for a minus
    /// sign.
    rp_ue8m0x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rp.ue8m0x2.f32" isa "8.6" on sm_100a_or_sm_120a;
    /// Returns the exponents of the next higher powers of two. The manual does not define the result for a minus
    /// sign.
    rp_ue8m0x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rp.ue8m0x2.bf16x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two powers of two, as `ue8m0`, to two `bf16`, which is exact.
    rn_bf16x2_ue8m0x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.bf16x2.ue8m0x2" isa "8.6" on sm_100a_or_sm_120a;
    /// Converts two `f32` to two `s2f6`, rounded to nearest even. Too large values become the largest number.
    /// `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_s2f6x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.s2f6x2.f32" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `bf16` to two `s2f6`, rounded to nearest even. Too large values become the largest number.
    /// `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_s2f6x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.s2f6x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`. `s2f6` has 8 bits, with the point before the last 6.
    rn_bf16x2_s2f6x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`. Too large values become the largest number. `s2f6` has 8 bits, with the
    /// point before the last 6.
    rn_satfinite_bf16x2_s2f6x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `f32` to two `s2f6`, rounded to nearest even. Negative values become 0, and too large ones the
    /// largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_relu_s2f6x2_f32(high: f32 as reg32, low: f32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.s2f6x2.f32" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `bf16` to two `s2f6`, rounded to nearest even. Negative values become 0, and too large ones the
    /// largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_relu_s2f6x2_bf16x2(x: u32 as reg32) -> u16 as reg16 = "cvt.rn.satfinite.relu.s2f6x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`. Negative values become 0. `s2f6` has 8 bits, with the point before the
    /// last 6.
    rn_relu_bf16x2_s2f6x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`. Negative values become 0, and too large ones the largest number. `s2f6`
    /// has 8 bits, with the point before the last 6.
    rn_relu_satfinite_bf16x2_s2f6x2(x: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `f32` to two `s2f6`, rounded to nearest even, with `scales`, a pair of `ue8m0`. Too large
    /// values become the largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_scaled_s2f6x2_f32(high: f32 as reg32, low: f32 as reg32, scales: u16 as reg16) -> u16 as reg16 = "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `bf16` to two `s2f6`, rounded to nearest even, with `scales`, a pair of `ue8m0`. Too large
    /// values become the largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_scaled_s2f6x2_bf16x2(x: u32 as reg32, scales: u16 as reg16) -> u16 as reg16 = "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`, with `scales`, a pair of `ue8m0`. `s2f6` has 8 bits, with the point
    /// before the last 6.
    rn_scaled_bf16x2_s2f6x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`, with `scales`, a pair of `ue8m0`. Too large values become the largest
    /// number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_scaled_bf16x2_s2f6x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `f32` to two `s2f6`, rounded to nearest even, with `scales`, a pair of `ue8m0`. Negative values
    /// become 0, and too large ones the largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_relu_scaled_s2f6x2_f32(high: f32 as reg32, low: f32 as reg32, scales: u16 as reg16) -> u16 as reg16 = "cvt.rn.satfinite.relu.scaled::n2::ue8m0.s2f6x2.f32" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `bf16` to two `s2f6`, rounded to nearest even, with `scales`, a pair of `ue8m0`. Negative
    /// values become 0, and too large ones the largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_satfinite_relu_scaled_s2f6x2_bf16x2(x: u32 as reg32, scales: u16 as reg16) -> u16 as reg16 = "cvt.rn.satfinite.relu.scaled::n2::ue8m0.s2f6x2.bf16x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`, with `scales`, a pair of `ue8m0`. Negative values become 0. `s2f6` has 8
    /// bits, with the point before the last 6.
    rn_relu_scaled_bf16x2_s2f6x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
    /// Converts two `s2f6` to two `bf16`, with `scales`, a pair of `ue8m0`. Negative values become 0, and too large
    /// ones the largest number. `s2f6` has 8 bits, with the point before the last 6.
    rn_relu_satfinite_scaled_bf16x2_s2f6x2(x: u16 as reg16, scales: u16 as reg16) -> u32 as reg32 = "cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2" isa "9.1" on sm_100a_or_sm_120a_alone;
}

/// Conversions from and to pairs of 4 bits, in a register of 8 bits, which `asm!` has none of.
macro_rules! nibbles {
    (to: $($(#[$attribute:meta])* $name:ident($($argument:ident: $type:ty as $class:ident),+)
        = $text:literal isa $isa:literal;)+) => { $(
        #[doc = concat!("`", $text, " result" $(, ", ", stringify!($argument))+, ";`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = $isa, arch = sm_100a_or_sm_120a)]
        pub fn $name($($argument: impl Into<$type>),+) -> u8 {
            $(let $argument: $type = $argument.into();)+
            let result: u16;
            // SAFETY: the instruction reads and writes registers only.
            unsafe {
                core::arch::asm!(
                    concat!("{{ .reg .b8 v; ", $text, " v" $(, ", {", stringify!($argument), "}")+,
                        "; cvt.u16.u8 {result}, v; }}"),
                    result = out(reg16) result, $($argument = in($class) $argument,)+
                    options(pure, nomem, nostack, preserves_flags),
                )
            }
            result as u8
        }
    )+ };
    (of: $($(#[$attribute:meta])* $name:ident(x $(, $argument:ident: $type:ty as $class:ident)?)
        = $text:literal isa $isa:literal;)+) => { $(
        #[doc = concat!("`", $text, " result, x" $(, ", ", stringify!($argument))?, ";`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = $isa, arch = sm_100a_or_sm_120a)]
        pub fn $name(x: impl Into<u8> $(, $argument: impl Into<$type>)?) -> u32 {
            let x = u16::from(x.into());
            $(let $argument: $type = $argument.into();)?
            let result;
            // SAFETY: the instruction reads and writes registers only.
            unsafe {
                core::arch::asm!(
                    concat!("{{ .reg .b8 v; cvt.u8.u16 v, {x}; ", $text, " {result}, v"
                        $(, ", {", stringify!($argument), "}")?, "; }}"),
                    result = out(reg32) result, x = in(reg16) x, $($argument = in($class) $argument,)?
                    options(pure, nomem, nostack, preserves_flags),
                )
            }
            result
        }
    )+ };
}

nibbles! { to:
    /// Converts two `f32` to two `e2m1`, rounded to nearest even. A NaN becomes the largest number.
    rn_satfinite_e2m1x2_f32(high: f32 as reg32, low: f32 as reg32) = "cvt.rn.satfinite.e2m1x2.f32" isa "8.6";
    /// Converts two `f16` to two `e2m1`, rounded to nearest even. A NaN becomes the largest number.
    rn_satfinite_e2m1x2_f16x2(x: u32 as reg32) = "cvt.rn.satfinite.e2m1x2.f16x2" isa "9.1";
    /// Converts two `bf16` to two `e2m1`, rounded to nearest even. A NaN becomes the largest number.
    rn_satfinite_e2m1x2_bf16x2(x: u32 as reg32) = "cvt.rn.satfinite.e2m1x2.bf16x2" isa "9.1";
    /// Converts two `f32` to two `e2m1`, rounded to nearest even. Negative values become 0. A NaN becomes the
    /// largest number.
    rn_satfinite_relu_e2m1x2_f32(high: f32 as reg32, low: f32 as reg32) = "cvt.rn.satfinite.relu.e2m1x2.f32" isa "8.6";
    /// Converts two `f16` to two `e2m1`, rounded to nearest even. Negative values become 0. A NaN becomes the
    /// largest number.
    rn_satfinite_relu_e2m1x2_f16x2(x: u32 as reg32) = "cvt.rn.satfinite.relu.e2m1x2.f16x2" isa "9.1";
    /// Converts two `bf16` to two `e2m1`, rounded to nearest even. Negative values become 0. A NaN becomes the
    /// largest number.
    rn_satfinite_relu_e2m1x2_bf16x2(x: u32 as reg32) = "cvt.rn.satfinite.relu.e2m1x2.bf16x2" isa "9.1";
}

nibbles! { of:
    /// Converts two `e2m1` to two `f16`, which is exact.
    rn_f16x2_e2m1x2(x) = "cvt.rn.f16x2.e2m1x2" isa "8.6";
    /// Converts two `e2m1` to two `bf16`, which is exact.
    rn_bf16x2_e2m1x2(x) = "cvt.rn.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`.
    rn_scaled_bf16x2_e2m1x2(x, scales: u16 as reg16) = "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two finite `bf16`, which is exact.
    rn_satfinite_bf16x2_e2m1x2(x) = "cvt.rn.satfinite.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Too large values
    /// become the largest number.
    rn_satfinite_scaled_bf16x2_e2m1x2(x, scales: u16 as reg16) = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two `f16`, which is exact. Negative values become 0.
    rn_relu_f16x2_e2m1x2(x) = "cvt.rn.relu.f16x2.e2m1x2" isa "8.6";
    /// Converts two `e2m1` to two `bf16`, which is exact. Negative values become 0.
    rn_relu_bf16x2_e2m1x2(x) = "cvt.rn.relu.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0.
    rn_relu_scaled_bf16x2_e2m1x2(x, scales: u16 as reg16) = "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two `bf16`, which is exact. Negative values become 0, and too large ones the largest
    /// number.
    rn_relu_satfinite_bf16x2_e2m1x2(x) = "cvt.rn.relu.satfinite.bf16x2.e2m1x2" isa "9.2";
    /// Converts two `e2m1` to two `bf16`, times the powers of two in `scales`, a pair of `ue8m0`. Negative values
    /// become 0, and too large ones the largest number.
    rn_relu_satfinite_scaled_bf16x2_e2m1x2(x, scales: u16 as reg16) = "cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e2m1x2" isa "9.2";
}
