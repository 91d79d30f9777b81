//! `applypriority`, the turn in which cached bytes go.

family! { Applypriority "9.7.9.16" { Bulk, Line }
    Line: "applypriority{.global|}.L2::evict_normal [d], 128"
        isa "7.4" on "sm_80" = "applypriority::l2_evict_normal({global(p)|p})";
    Bulk: "applypriority.async.bulk.global.bulk_group.L2::evict_normal [d], r"
        isa "9.4" on "sm_107a" = "applypriority::async_bulk_global_bulk_group_l2_evict_normal::<u8>(p, n)";
}
