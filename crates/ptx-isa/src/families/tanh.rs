//! `tanh`, the hyperbolic tangent.

family! { Tanh "9.7.3.22 and 9.7.4.9" { Approximate }
    Approximate: "tanh.approx.f32 r, r"
        isa "7.0" on "sm_80" = "tanh::approx_f32(f)";
    Approximate: "tanh.approx.{T:f16 h, h|f16x2 r, r}"
        isa "7.0" on "sm_80" = "tanh::approx_{T:f16(h)|f16x2(n)}";
    Approximate: "tanh.approx.{T:bf16 h, h|bf16x2 r, r}"
        isa "7.8" on "sm_90" = "tanh::approx_{T:bf16(h)|bf16x2(n)}";
}
