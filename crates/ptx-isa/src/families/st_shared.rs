//! `st.shared`, stores to this block's shared memory.

family! { StShared "9.7.9.11" { Store }
    Store: "st.shared.{T:b8 [r], h|b16 [r], h|b32 [r], r|b64 [r], d}"
        isa "7.0" on "sm_80" = "st_shared::{T:b8(a, h as u8|b16(a, h|b32(a, n|b64(a, w})";
    Store: "st.shared.v4.b32 [r], {r,r,r,r}"
        isa "7.0" on "sm_80" = "st_shared::v4_b32(a, [n, m, b, c])";
}
