//! `sub`, differences of halves.

family! { Sub "9.7.4.2" { Round }
    Round: "sub.rn.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "sub::rn_{T:f16(h, i)|f16x2(n, m)}";
    Round: "sub.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "sub::rn_{T:bf16(h, i)|bf16x2(n, m)}";
}
