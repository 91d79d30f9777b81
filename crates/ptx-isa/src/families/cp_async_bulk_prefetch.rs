//! `cp.async.bulk.prefetch`, contiguous bytes brought to the L2 cache.

family! { CpAsyncBulkPrefetch "9.7.9.25.4.3" { Prefetch }
    Prefetch: "cp.async.bulk.prefetch.L2.global [d], r"
        isa "8.0" on "sm_90" = "cp_async_bulk_prefetch::l2_global(p, n)";
    Prefetch: "cp.async.bulk.prefetch.L2.global.L2::cache_hint [d], r, d"
        isa "8.0" on "sm_90" = "cp_async_bulk_prefetch::l2_global_cache_hint(p, n, w)";
    Prefetch: "cp.async.bulk.prefetch.L2.global.L2::evict_last [d], r"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch::l2_global_evict_last::<()>(p, n)";
}
