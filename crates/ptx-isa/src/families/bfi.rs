//! `bfi`, a field of bits put into others.

family! { Bfi "9.7.1.20" { Insert }
    Insert: "bfi.{T:b32 r, r, r|b64 d, d, d}, r, r"
        isa "7.0" on "sm_80" = "bfi::{T:b32(n, m|b64(w, v}, b, c)";
}
