//! `st.bulk`, zeros in shared memory.

family! { StBulk "9.7.9.13" { Store }
    Store: "st.bulk.weak.shared::cta [r], d, 0"
        isa "8.6" on "sm_100" = "st_bulk::weak_shared_cta::<u8>(shared(a), w)";
    Store: "st.bulk.shared::cta [r], d, 0"
        isa "8.6" on "sm_100";
    Store: "st.bulk{.weak|} [d], d, 0"
        isa "8.6" on "sm_100";
}
