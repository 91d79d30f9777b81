//! `dp2a`, products of halves and bytes, and their sum.

family! { Dp2a "9.7.1.24" { Dot }
    Dot: "dp2a.{lo|hi}.{T:u32.u32|u32.s32|s32.u32|s32.s32} r, r, r, r"
        isa "7.0" on "sm_80" = "dp2a::{lo|hi}_{T:u32_u32(n, m, b)|u32_s32(n, t, u)|s32_u32(t, n, u)|s32_s32(t, u, x)}";
}
