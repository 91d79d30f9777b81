//! `bfe`, a field of bits. PTX ISA 9.7.1.19.

arithmetic! {
    /// The `length` bits of `a` from `position` on, and zeros; of both, 8 bits count.
    u32(a: u32 as reg32, position: u32 as reg32, length: u32 as reg32) -> u32 as reg32 = "bfe.u32" isa "7.0" on sm_80;
    /// The `length` bits of `a` from `position` on, with the sign of the last one; of both, 8 bits count.
    s32(a: i32 as reg32, position: u32 as reg32, length: u32 as reg32) -> i32 as reg32 = "bfe.s32" isa "7.0" on sm_80;
    /// The `length` bits of `a` from `position` on, and zeros; of both, 8 bits count.
    u64(a: u64 as reg64, position: u32 as reg32, length: u32 as reg32) -> u64 as reg64 = "bfe.u64" isa "7.0" on sm_80;
    /// The `length` bits of `a` from `position` on, with the sign of the last one; of both, 8 bits count.
    s64(a: i64 as reg64, position: u32 as reg32, length: u32 as reg32) -> i64 as reg64 = "bfe.s64" isa "7.0" on sm_80;
}
