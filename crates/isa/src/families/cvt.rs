//! `cvt`, conversions of two numbers to halves.

family! { Cvt "9.7.9.21" { Convert }
    Convert: "cvt.rn.{f16x2|bf16x2}.f32 r, r, r"
        isa "7.0" on "sm_80" = "cvt::rn_{f16x2|bf16x2}_f32(f, g)";
    Convert: "cvt.rn.bf16.f32 h, r"
        isa "7.0" on "sm_80" = "cvt::rn_bf16_f32(f)";
}
