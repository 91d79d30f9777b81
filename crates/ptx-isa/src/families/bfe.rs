//! `bfe`, a field of bits.

family! { Bfe "9.7.1.19" { Extract }
    Extract: "bfe.{T:u32 r, r|s32 r, r|u64 d, d|s64 d, d}, r, r"
        isa "7.0" on "sm_80" = "bfe::{T:u32(n|s32(t|u64(w|s64(l}, m, b)";
}
