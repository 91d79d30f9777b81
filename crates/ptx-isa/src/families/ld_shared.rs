//! `ld.shared`, loads from this block's shared memory.

family! { LdShared "9.7.9.8" { Load }
    Load: "ld.shared.{T:b8 h|b16 h|b32 r|b64 d}, [r]"
        isa "7.0" on "sm_80" = "ld_shared::{T:b8|b16|b32|b64}(a)";
    Load: "ld.shared.v4.b32 {r,r,r,r}, [r]"
        isa "7.0" on "sm_80" = "ld_shared::v4_b32(a)";
}
