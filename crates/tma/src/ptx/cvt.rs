//! `cvt`, conversions of two numbers to halves. PTX ISA 9.7.9.21.

arithmetic! {
    /// Both rounded to nearest even, in one word.
    #[doc(alias = "__floats2half2_rn")]
    rn_f16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.f16x2.f32" isa "7.0" on sm_80;
    /// Both rounded to nearest even, in one word.
    #[doc(alias = "__floats2bfloat162_rn")]
    rn_bf16x2_f32(high: f32 as reg32, low: f32 as reg32) -> u32 as reg32 = "cvt.rn.bf16x2.f32" isa "7.0" on sm_80;
    /// Rounded to nearest even.
    #[doc(alias = "__float2bfloat16_rn")]
    rn_bf16_f32(x: f32 as reg32) -> u16 as reg16 = "cvt.rn.bf16.f32" isa "7.0" on sm_80;
}
