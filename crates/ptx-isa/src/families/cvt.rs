//! `cvt`, conversions of numbers to and from halves, tf32 and formats of 4 to 8 bits.

family! { Cvt "9.7.9.21" { Convert }
    Convert: "cvt.{rn|rz}{.relu|}{S:.satfinite|}.{f16x2|bf16x2}.f32 r, r, r"
        isa "{S:8.1|7.0}" on "sm_80" = "cvt::{rn|rz}{_relu|}{S:_satfinite|}_{f16x2|bf16x2}_f32(f, g)";
    Convert: "cvt.{rn|rz}{.relu|}{S:.satfinite|}.{f16|bf16}.f32 h, r"
        isa "{S:8.1|7.0}" on "sm_80" = "cvt::{rn|rz}{_relu|}{S:_satfinite|}_{f16|bf16}_f32(f)";
    Convert: "cvt.f32.{f16|bf16} r, h"
        isa "{7.0|7.1}" on "sm_80" = "cvt::f32_{f16|bf16}(h)";
    Convert: "cvt.rna{S:.satfinite|}.tf32.f32 r, r"
        isa "{S:8.1|7.0}" on "sm_80" = "cvt::rna{S:_satfinite|}_tf32_f32(f)";
    Convert: "cvt.{rn|rz}{.relu|}.tf32.f32 r, r"
        isa "7.8" on "sm_90" = "cvt::{rn|rz}{_relu|}_tf32_f32(f)";
    Convert: "cvt.{rn|rz}{.relu|}.satfinite.tf32.f32 r, r"
        isa "8.6" on "sm_100" = "cvt::{rn|rz}{_relu|}_satfinite_tf32_f32(f)";
    Convert: "cvt.rn.satfinite{.relu|}.{e4m3x2|e5m2x2}.{T:f32 h, r, r|f16x2 h, r}"
        isa "7.8" on "sm_90" = "cvt::rn_satfinite{_relu|}_{e4m3x2|e5m2x2}_{T:f32(f, g)|f16x2(n)}";
    Convert: "cvt.rn{.relu|}.f16x2.{e4m3x2|e5m2x2} r, h"
        isa "7.8" on "sm_90" = "cvt::rn{_relu|}_f16x2_{e4m3x2|e5m2x2}(h)";
    Convert: "cvt.rn.satfinite{.relu|}.{T:e3m2x2.f32 h, r, r|e2m3x2.f32 h, r, r|e2m1x2.f32 b, r, r}"
        isa "8.6" on "sm_100a_or_sm_120a" = "cvt::rn_satfinite{_relu|}_{T:e3m2x2|e2m3x2|e2m1x2}_f32(f, g)";
    Convert: "cvt.rn{.relu|}.f16x2.{T:e3m2x2 r, h|e2m3x2 r, h|e2m1x2 r, b}"
        isa "8.6" on "sm_100a_or_sm_120a" = "cvt::rn{_relu|}_f16x2_{T:e3m2x2(h)|e2m3x2(h)|e2m1x2(h.to_le_bytes()[0])}";
    Convert: "cvt.{rz|rp}{.satfinite|}.ue8m0x2.{T:f32 h, r, r|bf16x2 h, r}"
        isa "8.6" on "sm_100a_or_sm_120a" = "cvt::{rz|rp}{_satfinite|}_ue8m0x2_{T:f32(f, g)|bf16x2(n)}";
    Convert: "cvt.rn.bf16x2.ue8m0x2 r, h"
        isa "8.6" on "sm_100a_or_sm_120a" = "cvt::rn_bf16x2_ue8m0x2(h)";
    Convert: "cvt.rn.satfinite{.relu|}.{T:e4m3x2.bf16x2 h, r|e5m2x2.bf16x2 h, r|e3m2x2.f16x2 h, r|e3m2x2.bf16x2 h, r|e2m3x2.f16x2 h, r|e2m3x2.bf16x2 h, r|e2m1x2.f16x2 b, r|e2m1x2.bf16x2 b, r}"
        isa "9.1" on "sm_100a_or_sm_120a" = "cvt::rn_satfinite{_relu|}_{T:e4m3x2_bf16x2|e5m2x2_bf16x2|e3m2x2_f16x2|e3m2x2_bf16x2|e2m3x2_f16x2|e2m3x2_bf16x2|e2m1x2_f16x2|e2m1x2_bf16x2}(n)";
    Convert: "cvt.rn{.relu|}{.satfinite|}.bf16x2.{T:e4m3x2 r, h|e5m2x2 r, h|e3m2x2 r, h|e2m3x2 r, h|e2m1x2 r, b}"
        isa "9.2" on "sm_100a_or_sm_120a" = "cvt::rn{_relu|}{_satfinite|}_bf16x2_{T:e4m3x2(h)|e5m2x2(h)|e3m2x2(h)|e2m3x2(h)|e2m1x2(h.to_le_bytes()[0])}";
    Convert: "cvt.rn{.relu|}{.satfinite|}.scaled::n2::ue8m0.bf16x2.{T:e4m3x2 r, h, h|e5m2x2 r, h, h|e3m2x2 r, h, h|e2m3x2 r, h, h|e2m1x2 r, b, h}"
        isa "9.2" on "sm_100a_or_sm_120a" = "cvt::rn{_relu|}{_satfinite|}_scaled_bf16x2_{T:e4m3x2(h, i)|e5m2x2(h, i)|e3m2x2(h, i)|e2m3x2(h, i)|e2m1x2(h.to_le_bytes()[0], i)}";
    Convert: "cvt.rn.satfinite{.relu|}.s2f6x2.{T:f32 h, r, r|bf16x2 h, r}"
        isa "9.1" on "sm_100a_or_sm_120a_alone" = "cvt::rn_satfinite{_relu|}_s2f6x2_{T:f32(f, g)|bf16x2(n)}";
    Convert: "cvt.rn.satfinite{.relu|}.scaled::n2::ue8m0.s2f6x2.{T:f32 h, r, r, h|bf16x2 h, r, h}"
        isa "9.1" on "sm_100a_or_sm_120a_alone" = "cvt::rn_satfinite{_relu|}_scaled_s2f6x2_{T:f32(f, g, i)|bf16x2(n, i)}";
    Convert: "cvt.rn{.relu|}{.satfinite|}.bf16x2.s2f6x2 r, h"
        isa "9.1" on "sm_100a_or_sm_120a_alone" = "cvt::rn{_relu|}{_satfinite|}_bf16x2_s2f6x2(h)";
    Convert: "cvt.rn{.relu|}{.satfinite|}.scaled::n2::ue8m0.bf16x2.s2f6x2 r, h, h"
        isa "9.1" on "sm_100a_or_sm_120a_alone" = "cvt::rn{_relu|}{_satfinite|}_scaled_bf16x2_s2f6x2(h, i)";
}
