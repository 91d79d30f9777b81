//! `sub`, differences of halves, of pairs and of bytes.

family! { Sub "9.7.4.2, 9.7.3.4 and 9.7.1.2" { Round, Wrap, Saturate }
    Round: "sub.rn{|.ftz|.sat|.ftz.sat}.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "sub::rn_{|ftz_|sat_|ftz_sat_}{T:f16(h, i)|f16x2(n, m)}";
    Round: "sub.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "sub::rn_{T:bf16(h, i)|bf16x2(n, m)}";
    Round: "sub.{rn|rz|rm|rp}{|.ftz}.f32x2 d, d, d"
        isa "8.6" on "sm_100" = "sub::{rn|rz|rm|rp}{_|_ftz_}f32x2(w, v)";
    Wrap: "sub.{s8x4|u8x4} r, r, r"
        isa "9.2" on "sm_107a_or_sm_120a" = "sub::{s8x4|u8x4}(n, m)";
    Saturate: "sub.sat.{s8x4|u8x4} r, r, r"
        isa "9.2" on "sm_107a_or_sm_120a" = "sub::sat_{s8x4|u8x4}(n, m)";
}
