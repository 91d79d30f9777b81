//! `bfi`, a field of bits put into others. PTX ISA 9.7.1.20.

arithmetic! {
    /// `b` with the lowest `length` bits of `a` from `position` on; of both, 8 bits count.
    b32(a: u32 as reg32, b: u32 as reg32, position: u32 as reg32, length: u32 as reg32) -> u32 as reg32 = "bfi.b32" isa "7.0" on sm_80;
    /// `b` with the lowest `length` bits of `a` from `position` on; of both, 8 bits count.
    b64(a: u64 as reg64, b: u64 as reg64, position: u32 as reg32, length: u32 as reg32) -> u64 as reg64 = "bfi.b64" isa "7.0" on sm_80;
}
