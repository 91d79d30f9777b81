//! `dp2a`, products of halves and bytes, and their sum. PTX ISA 9.7.1.24.

arithmetic! {
    /// The sum of `c` and of the products of the halves of `a` with the lower bytes of `b`.
    #[doc(alias = "__dp2a_lo")]
    lo_u32_u32(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "dp2a.lo.u32.u32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the lower bytes of `b`.
    #[doc(alias = "__dp2a_lo")]
    lo_u32_s32(a: u32 as reg32, b: i32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp2a.lo.u32.s32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the lower bytes of `b`.
    #[doc(alias = "__dp2a_lo")]
    lo_s32_u32(a: i32 as reg32, b: u32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp2a.lo.s32.u32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the lower bytes of `b`.
    #[doc(alias = "__dp2a_lo")]
    lo_s32_s32(a: i32 as reg32, b: i32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp2a.lo.s32.s32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the upper bytes of `b`.
    #[doc(alias = "__dp2a_hi")]
    hi_u32_u32(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "dp2a.hi.u32.u32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the upper bytes of `b`.
    #[doc(alias = "__dp2a_hi")]
    hi_u32_s32(a: u32 as reg32, b: i32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp2a.hi.u32.s32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the upper bytes of `b`.
    #[doc(alias = "__dp2a_hi")]
    hi_s32_u32(a: i32 as reg32, b: u32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp2a.hi.s32.u32" isa "7.0" on sm_80;
    /// The sum of `c` and of the products of the halves of `a` with the upper bytes of `b`.
    #[doc(alias = "__dp2a_hi")]
    hi_s32_s32(a: i32 as reg32, b: i32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp2a.hi.s32.s32" isa "7.0" on sm_80;
}
