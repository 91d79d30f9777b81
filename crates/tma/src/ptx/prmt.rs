//! `prmt`, a word of any four of eight bytes. PTX ISA 9.7.9.7.

arithmetic! {
    /// Byte `i` is the one that the four bits `4 i` of `selectors` name: 0 to 3 of `a`, 4 to 7 of `b`; with 8
    /// added, its sign eight times.
    #[doc(alias = "__byte_perm")]
    b32(a: u32 as reg32, b: u32 as reg32, selectors: u32 as reg32) -> u32 as reg32 = "prmt.b32" isa "7.0" on sm_80;
}
