//! `cp.async.bulk`, copies of contiguous bytes, and bulk groups.

family! { CpAsyncBulk "9.7.9.25.4.1 and 9.7.9.27.2" { CommitGroup, WaitGroup, Copy }
    Copy: "cp.async.bulk{W:|.weak}.shared::cluster.global.mbarrier::complete_tx::bytes [r], [d], r, [r]"
        isa "{W:8.0|9.3}" on "sm_90" = "cp_async_bulk::shared_cluster_global{W:|=}(cluster(a), p, n, cluster(b))";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d], r, [r], d"
        isa "8.0" on "sm_90" = "cp_async_bulk::shared_cluster_global_cache_hint(cluster(a), p, n, cluster(b), w)";
    Copy: "cp.async.bulk{W:|.weak|}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{W:||::16b} [r], [d], r, [r], h"
        isa "{W:8.0|9.3|9.4}" on "sm_90" = "cp_async_bulk::shared_cluster_global_multicast{W:|=|=}(shared(a), p, n, shared(b), h)";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{M:|::16b}.L2::cache_hint [r], [d], r, [r], h, d"
        isa "{M:8.0|9.4}" on "sm_90" = "cp_async_bulk::shared_cluster_global_multicast_cache_hint{M:|=}(shared(a), p, n, shared(b), h, w)";
    Copy: "cp.async.bulk{W:|.weak|}.shared::cta.global.mbarrier::complete_tx::bytes{W:||.mbarrier::report::disabled} [r], [d], r, [r]"
        isa "{W:8.6|9.3|9.4}" on "{W:sm_90|sm_90|sm_107a}" = "cp_async_bulk::shared_cta_global{W:|=|=}(shared(a), p, n, shared(b))";
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d], r, [r], d"
        isa "8.6" on "sm_90" = "cp_async_bulk::shared_cta_global_cache_hint(shared(a), p, n, shared(b), w)";
    Copy: "cp.async.bulk{W:|.weak}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r], [r], r, [r]"
        isa "{W:8.0|9.3}" on "sm_90" = "cp_async_bulk::shared_cluster_shared_cta{W:|=}(cluster(a), shared(c), n, cluster(b))";
    Copy: "cp.async.bulk{W:|.weak}.global.shared::cta.bulk_group [d], [r], r"
        isa "{W:8.0|9.3}" on "sm_90" = "cp_async_bulk::global_shared_cta{W:|=}(p, shared(a), n)";
    Copy: "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [d], [r], r, d"
        isa "8.0" on "sm_90" = "cp_async_bulk::global_shared_cta_cache_hint(p, shared(a), n, w)";
    Copy: "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [d], [r], r, h"
        isa "8.6" on "sm_100" = "cp_async_bulk::global_shared_cta_cp_mask(p, shared(a), n, h)";
    Copy: "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [d], [r], r, d, h"
        isa "8.6" on "sm_100" = "cp_async_bulk::global_shared_cta_cache_hint_cp_mask(p, shared(a), n, w, h)";
    CommitGroup: "cp.async.bulk.commit_group"
        isa "8.0" on "sm_90" = "cp_async_bulk::commit_group()";
    WaitGroup: "cp.async.bulk.wait_group 3"
        isa "8.0" on "sm_90" = "cp_async_bulk::wait_group::<3>()";
    WaitGroup: "cp.async.bulk.wait_group.read 3"
        isa "8.0" on "sm_90" = "cp_async_bulk::wait_group_read::<3>()";
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{V:.ignore_oob [r], [d], r, r, r, [r]|.L2::cache_hint.ignore_oob [r], [d], r, r, r, [r], d}"
        isa "9.2" on "sm_90" = "cp_async_bulk::shared_cta_global_{V:ignore_oob|cache_hint_ignore_oob}(shared(a), p, n, m, c, shared(b){V:|, w})";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b{V: [r], [d], r, [r], r|.L2::cache_hint [r], [d], r, [r], r, d}"
        isa "9.4" on "sm_107a" = "cp_async_bulk::shared_cluster_global_multicast_32b{V:|_cache_hint}::<()>(shared(a), p, n, shared(b), m{V:|, w})";
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::{validity::per_16bytes::8|validity::per_16bytes::80|validity::per_16bytes::8000|validity::per_16bytes::80000000|validity::per_element::ff} [r], [d], r, [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk::shared_cta_global_report::<{Per16Bytes8|Per16Bytes80|Per16Bytes8000|Per16Bytes80000000|PerElementFf}>(shared(a), p, n, shared(b))";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [r], [d], r, [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk::shared_cluster_global_report::<Per16Bytes8000>(shared(a), p, n, shared(b))";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.shared::cta.global.mbarrier::complete_tx::bytes{V:.b128 [r], [d], r, [r]|.L2::cache_hint.b128 [r], [d], r, [r], d}"
        isa "9.3" on "sm_90" = "cp_async_bulk::relaxed_shared_cta_global{V:|_cache_hint}::<{Cta|Cluster|Gpu|Sys}>(shared(a), p, n, shared(b){V:|, w})";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.shared::cluster.global.mbarrier::complete_tx::bytes{V:.b128 [r], [d], r, [r]|.L2::cache_hint.b128 [r], [d], r, [r], d|.multicast::cluster.b128 [r], [d], r, [r], h|.multicast::cluster.L2::cache_hint.b128 [r], [d], r, [r], h, d}"
        isa "9.3" on "sm_90a_or_sm_100a" = "cp_async_bulk::relaxed_shared_cluster_global{V:|_cache_hint|_multicast|_multicast_cache_hint}::<{Cta|Cluster|Gpu|Sys}>({V:cluster|cluster|shared|shared}(a), p, n, {V:cluster|cluster|shared|shared}(b){V:|, w|, h|, h, w})";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.global.shared::cta.bulk_group{V:.b128 [d], [r], r|.L2::cache_hint.b128 [d], [r], r, d}"
        isa "9.3" on "sm_90" = "cp_async_bulk::relaxed_global_shared_cta{V:|_cache_hint}::<{Cta|Cluster|Gpu|Sys}>(p, shared(a), n{V:|, w})";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.global.shared::cta.bulk_group{V:.cp_mask.b128 [d], [r], r, h|.L2::cache_hint.cp_mask.b128 [d], [r], r, d, h}"
        isa "9.3" on "sm_100" = "cp_async_bulk::relaxed_global_shared_cta_{V:cp_mask|cache_hint_cp_mask}::<{Cta|Cluster|Gpu|Sys}>(p, shared(a), n, {V:h|w, h})";
    Copy: "cp.async.bulk.relaxed.{cta|cluster}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [r], [r], r, [r]"
        isa "9.3" on "sm_90" = "cp_async_bulk::relaxed_shared_cluster_shared_cta::<{Cta|Cluster}>(cluster(a), shared(c), n, cluster(b))";
    WaitGroup: "cp.async.bulk.wait_group.sync_restrict::proxy::async 3"
        isa "9.5" on "sm_90" = "cp_async_bulk::wait_group_sync_restrict_proxy_async::<3>()";
}
