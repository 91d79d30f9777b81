//! `max`, the greater half or integer.

family! { Max "9.7.4.8 and 9.7.1.13" { Max }
    Max: "max{.NaN|}.{T:f16 h, h, h|f16x2 r, r, r|bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.0" on "sm_80" = "max::{nan_|}{T:f16(h, i)|f16x2(n, m)|bf16(h, i)|bf16x2(n, m)}";
    Max: "max.ftz{.NaN|}.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "max::ftz_{nan_|}{T:f16(h, i)|f16x2(n, m)}";
    Max: "max{.NaN|}.xorsign.abs.{T:f16 h, h, h|f16x2 r, r, r|bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "max::{nan_|}xorsign_abs_{T:f16(h, i)|f16x2(n, m)|bf16(h, i)|bf16x2(n, m)}";
    Max: "max.ftz{.NaN|}.xorsign.abs.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.8" on "sm_90" = "max::ftz_{nan_|}xorsign_abs_{T:f16(h, i)|f16x2(n, m)}";
    Max: "max.{relu.s32|s16x2|relu.s16x2|u16x2} r, r, r"
        isa "8.0" on "sm_90" = "max::{relu_s32(t, u)|s16x2(n, m)|relu_s16x2(n, m)|u16x2(n, m)}";
    Max: "max.{s8x4|relu.s8x4|u8x4} r, r, r"
        isa "9.2" on "sm_107a_or_sm_120a" = "max::{s8x4|relu_s8x4|u8x4}(n, m)";
}
