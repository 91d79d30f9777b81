//! `sub`, differences of halves and of pairs.

family! { Sub "9.7.4.2 and 9.7.3.4" { Round }
    Round: "sub.rn{|.ftz|.sat|.ftz.sat}.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "sub::rn_{|ftz_|sat_|ftz_sat_}{T:f16(h, i)|f16x2(n, m)}";
    Round: "sub.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "sub::rn_{T:bf16(h, i)|bf16x2(n, m)}";
    Round: "sub.{rn|rz|rm|rp}{|.ftz}.f32x2 d, d, d"
        isa "8.6" on "sm_100" = "sub::{rn|rz|rm|rp}{_|_ftz_}f32x2(w, v)";
}
