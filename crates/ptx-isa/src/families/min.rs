//! `min`, the lesser half or integer.

family! { Min "9.7.4.7 and 9.7.1.12" { Min }
    Min: "min{.NaN|}.{T:f16 h, h, h|f16x2 r, r, r|bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.0" on "sm_80" = "min::{nan_|}{T:f16(h, i)|f16x2(n, m)|bf16(h, i)|bf16x2(n, m)}";
    Min: "min.ftz{.NaN|}.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "min::ftz_{nan_|}{T:f16(h, i)|f16x2(n, m)}";
    Min: "min{.NaN|}.xorsign.abs.{T:f16 h, h, h|f16x2 r, r, r|bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "min::{nan_|}xorsign_abs_{T:f16(h, i)|f16x2(n, m)|bf16(h, i)|bf16x2(n, m)}";
    Min: "min.ftz{.NaN|}.xorsign.abs.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.8" on "sm_90" = "min::ftz_{nan_|}xorsign_abs_{T:f16(h, i)|f16x2(n, m)}";
    Min: "min.{relu.s32|s16x2|relu.s16x2|u16x2} r, r, r"
        isa "8.0" on "sm_90" = "min::{relu_s32(t, u)|s16x2(n, m)|relu_s16x2(n, m)|u16x2(n, m)}";
    Min: "min.{s8x4|relu.s8x4|u8x4} r, r, r"
        isa "9.2" on "sm_107a_or_sm_120a" = "min::{s8x4|relu_s8x4|u8x4}(n, m)";
}
