//! `bar.sync`, the barrier of the block.

family! { BarrierCta "9.7.13.1" { Sync }
    Sync: "bar.sync r"
        isa "7.0" on "sm_80" = "barrier_cta::sync_aligned_all(n)";
    Sync: "bar.sync r, r"
        isa "7.0" on "sm_80" = "barrier_cta::sync_aligned_count(n, m)";
}
