//! `mul`, products of halves.

family! { Mul "9.7.4.3" { Round }
    Round: "mul.rn.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "mul::rn_{T:f16(h, i)|f16x2(n, m)}";
    Round: "mul.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "mul::rn_{T:bf16(h, i)|bf16x2(n, m)}";
}
