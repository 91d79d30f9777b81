//! `fma`, products and sums of halves, rounded once.

family! { Fma "9.7.4.4" { Round }
    Round: "fma.rn{.relu|}.{T:f16 h, h, h, h|f16x2 r, r, r, r|bf16 h, h, h, h|bf16x2 r, r, r, r}"
        isa "7.0" on "sm_80" = "fma::rn_{relu_|}{T:f16(h, i, j)|f16x2(n, m, b)|bf16(h, i, j)|bf16x2(n, m, b)}";
}
