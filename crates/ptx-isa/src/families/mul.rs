//! `mul`, products of halves and of pairs.

family! { Mul "9.7.4.3 and 9.7.3.5" { Round }
    Round: "mul.rn{|.ftz|.sat|.ftz.sat}.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "mul::rn_{|ftz_|sat_|ftz_sat_}{T:f16(h, i)|f16x2(n, m)}";
    Round: "mul.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "mul::rn_{T:bf16(h, i)|bf16x2(n, m)}";
    Round: "mul.{rn|rz|rm|rp}{|.ftz}.f32x2 d, d, d"
        isa "8.6" on "sm_100" = "mul::{rn|rz|rm|rp}{_|_ftz_}f32x2(w, v)";
}
