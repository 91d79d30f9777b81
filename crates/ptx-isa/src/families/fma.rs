//! `fma`, products and sums of halves and of pairs, rounded once.

family! { Fma "9.7.4.4 and 9.7.3.6" { Round }
    Round: "fma.rn{.relu|}.{T:f16 h, h, h, h|f16x2 r, r, r, r|bf16 h, h, h, h|bf16x2 r, r, r, r}"
        isa "7.0" on "sm_80" = "fma::rn_{relu_|}{T:f16(h, i, j)|f16x2(n, m, b)|bf16(h, i, j)|bf16x2(n, m, b)}";
    Round: "fma.rn{.ftz|.sat|.ftz.sat|.ftz.relu}.{T:f16 h, h, h, h|f16x2 r, r, r, r}"
        isa "7.0" on "sm_80" = "fma::rn_{ftz_|sat_|ftz_sat_|ftz_relu_}{T:f16(h, i, j)|f16x2(n, m, b)}";
    Round: "fma.rn.oob{.relu|}.{T:f16 h, h, h, h|f16x2 r, r, r, r|bf16 h, h, h, h|bf16x2 r, r, r, r}"
        isa "8.1" on "sm_90" = "fma::rn_oob_{relu_|}{T:f16(h, i, j)|f16x2(n, m, b)|bf16(h, i, j)|bf16x2(n, m, b)}";
    Round: "fma.{rn|rz|rm|rp}{|.ftz}.f32x2 d, d, d, d"
        isa "8.6" on "sm_100" = "fma::{rn|rz|rm|rp}{_|_ftz_}f32x2(w, v, r)";
}
