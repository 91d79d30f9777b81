//! `dp4a`, products of four bytes and their sum. PTX ISA 9.7.1.23.

arithmetic! {
    /// The sum of `c` and the products of each byte of `a` with the same byte of `b`.
    #[doc(alias = "__dp4a")]
    u32_u32(a: u32 as reg32, b: u32 as reg32, c: u32 as reg32) -> u32 as reg32 = "dp4a.u32.u32" isa "7.0" on sm_80;
    /// The sum of `c` and the products of each byte of `a` with the same byte of `b`.
    #[doc(alias = "__dp4a")]
    u32_s32(a: u32 as reg32, b: i32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp4a.u32.s32" isa "7.0" on sm_80;
    /// The sum of `c` and the products of each byte of `a` with the same byte of `b`.
    #[doc(alias = "__dp4a")]
    s32_u32(a: i32 as reg32, b: u32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp4a.s32.u32" isa "7.0" on sm_80;
    /// The sum of `c` and the products of each byte of `a` with the same byte of `b`.
    #[doc(alias = "__dp4a")]
    s32_s32(a: i32 as reg32, b: i32 as reg32, c: i32 as reg32) -> i32 as reg32 = "dp4a.s32.s32" isa "7.0" on sm_80;
}
