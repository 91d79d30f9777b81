//! `cp.async.bulk`, copies of contiguous bytes, and bulk groups.

family! { CpAsyncBulk "9.7.9.25.4.1 and 9.7.9.27.2" { CommitGroup, WaitGroup, Copy }
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r], [d], r, [r]"
        isa "8.0" on "sm_90" = "cp_async_bulk::shared_cluster_global(cluster(a), p, n, cluster(b))";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d], r, [r], d"
        isa "8.0" on "sm_90" = "cp_async_bulk::shared_cluster_global_cache_hint(cluster(a), p, n, cluster(b), w)";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r], [d], r, [r], h"
        isa "8.0" on "sm_90" = "cp_async_bulk::shared_cluster_global_multicast(shared(a), p, n, shared(b), h)";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r], [d], r, [r], h, d"
        isa "8.0" on "sm_90" = "cp_async_bulk::shared_cluster_global_multicast_cache_hint(shared(a), p, n, shared(b), h, w)";
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [r], [d], r, [r]"
        isa "8.6" on "sm_90" = "cp_async_bulk::shared_cta_global(shared(a), p, n, shared(b))";
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d], r, [r], d"
        isa "8.6" on "sm_90" = "cp_async_bulk::shared_cta_global_cache_hint(shared(a), p, n, shared(b), w)";
    Copy: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r], [r], r, [r]"
        isa "8.0" on "sm_90" = "cp_async_bulk::shared_cluster_shared_cta(cluster(a), shared(c), n, cluster(b))";
    Copy: "cp.async.bulk.global.shared::cta.bulk_group [d], [r], r"
        isa "8.0" on "sm_90" = "cp_async_bulk::global_shared_cta(p, shared(a), n)";
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
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.ignore_oob [r], [d], r, r, r, [r]|.L2::cache_hint.ignore_oob [r], [d], r, r, r, [r], d}"
        isa "9.2" on "sm_90";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b{ [r], [d], r, [r], h|.L2::cache_hint [r], [d], r, [r], h, d}"
        isa "9.4" on "sm_90";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b{ [r], [d], r, [r], r|.L2::cache_hint [r], [d], r, [r], r, d}"
        isa "9.4" on "sm_107a";
    Copy: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::{validity::per_16bytes::8|validity::per_16bytes::80|validity::per_16bytes::8000|validity::per_16bytes::80000000|validity::per_element::ff|disabled} [r], [d], r, [r]"
        isa "9.4" on "sm_107a";
    Copy: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [r], [d], r, [r]"
        isa "9.4" on "sm_107a";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.shared::cta.global.mbarrier::complete_tx::bytes{.b128 [r], [d], r, [r]|.L2::cache_hint.b128 [r], [d], r, [r], d}"
        isa "9.3" on "sm_90";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.shared::cluster.global.mbarrier::complete_tx::bytes{.b128 [r], [d], r, [r]|.L2::cache_hint.b128 [r], [d], r, [r], d|.multicast::cluster.b128 [r], [d], r, [r], h|.multicast::cluster.L2::cache_hint.b128 [r], [d], r, [r], h, d}"
        isa "9.3" on "sm_90a_or_sm_100a";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.global.shared::cta.bulk_group{.b128 [d], [r], r|.L2::cache_hint.b128 [d], [r], r, d}"
        isa "9.3" on "sm_90";
    Copy: "cp.async.bulk.relaxed.{cta|cluster|gpu|sys}.global.shared::cta.bulk_group{.cp_mask.b128 [d], [r], r, h|.L2::cache_hint.cp_mask.b128 [d], [r], r, d, h}"
        isa "9.3" on "sm_100";
    Copy: "cp.async.bulk.relaxed.{cta|cluster}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [r], [r], r, [r]"
        isa "9.3" on "sm_90";
    Copy: "cp.async.bulk.weak.shared::{cta|cluster}.global.mbarrier::complete_tx::bytes [r], [d], r, [r]"
        isa "9.3" on "sm_90";
    Copy: "cp.async.bulk.weak.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r], [d], r, [r], h"
        isa "9.3" on "sm_90";
    Copy: "cp.async.bulk.weak.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r], [r], r, [r]"
        isa "9.3" on "sm_90";
    Copy: "cp.async.bulk.weak.global.shared::cta.bulk_group [d], [r], r"
        isa "9.3" on "sm_90";
    WaitGroup: "cp.async.bulk.wait_group.sync_restrict::proxy::async 3"
        isa "9.5" on "sm_90";
}
