//! `red.shared`, atomic operations on this block's shared memory without a result.

family! { RedShared "9.7.13.6" { Add }
    Add: "red.relaxed.cta.shared::cta.add.u32 [r], r"
        isa "7.8" on "sm_80" = "red_shared::add_u32(a, n)";
}
