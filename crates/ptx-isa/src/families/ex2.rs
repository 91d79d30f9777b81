//! `ex2`, powers of 2.

family! { Ex2 "9.7.3.21 and 9.7.4.10" { Approximate }
    Approximate: "ex2.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "ex2::approx_{ftz_|}f32(f)";
    Approximate: "ex2.approx.{T:f16 h, h|f16x2 r, r}"
        isa "7.0" on "sm_80" = "ex2::approx_{T:f16(h)|f16x2(n)}";
    Approximate: "ex2.approx.ftz.{T:bf16 h, h|bf16x2 r, r}"
        isa "7.8" on "sm_90" = "ex2::approx_ftz_{T:bf16(h)|bf16x2(n)}";
}
