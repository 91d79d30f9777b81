//! `add`, sums of halves and of pairs.

family! { Add "9.7.4.1, 9.7.3.3 and 9.7.1.1" { Round, Wrap, Saturate }
    Round: "add.rn{|.ftz|.sat|.ftz.sat}.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "add::rn_{|ftz_|sat_|ftz_sat_}{T:f16(h, i)|f16x2(n, m)}";
    Round: "add.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "add::rn_{T:bf16(h, i)|bf16x2(n, m)}";
    Round: "add.{rn|rz|rm|rp}{|.ftz}.f32x2 d, d, d"
        isa "8.6" on "sm_100" = "add::{rn|rz|rm|rp}{_|_ftz_}f32x2(w, v)";
    Wrap: "add.{s16x2|u16x2} r, r, r"
        isa "8.0" on "sm_90" = "add::{s16x2|u16x2}(n, m)";
    Wrap: "add.{s8x4|u8x4} r, r, r"
        isa "9.2" on "sm_107a_or_sm_120a" = "add::{s8x4|u8x4}(n, m)";
    Saturate: "add.sat.{s16x2|u16x2|s8x4|u8x4} r, r, r"
        isa "9.2" on "sm_107a_or_sm_120a" = "add::sat_{s16x2|u16x2|s8x4|u8x4}(n, m)";
}
