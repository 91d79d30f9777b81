//! `fence`, the order of memory accesses, and of accesses by different proxies.

family! { Fence "9.7.13.4" { ProxyTensormap, ProxyAsyncGeneric, ProxyAsync, ProxyAlias, Alias, MbarrierInit, SyncRestrict, Membar, Thread }
    Thread: "fence{.sc|.acq_rel|}.{C:cta|cluster|gpu|sys}"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "fence::fence::<{Sc|AcqRel|=}, {C:Cta|Cluster|Gpu|Sys}>()";
    Thread: "fence.{acquire|release}.{cta|cluster|gpu|sys}"
        isa "8.6" on "sm_90" = "fence::fence::<{Acquire|Release}, {Cta|Cluster|Gpu|Sys}>()";
    ProxyTensormap: "fence.proxy.tensormap::generic.release.{cta|cluster|gpu|sys}"
        isa "8.3" on "sm_90" = "fence::proxy_tensormap_generic_release::<{Cta|Cluster|Gpu|Sys}>()";
    ProxyTensormap: "fence.proxy.tensormap::generic.acquire.{cta|cluster|gpu|sys} [d], 128"
        isa "8.3" on "sm_90" = "fence::proxy_tensormap_generic_acquire::<{Cta|Cluster|Gpu|Sys}>(p.cast())";
    ProxyAsync: "fence.proxy.async"
        isa "8.0" on "sm_90" = "fence::proxy_async()";
    ProxyAsync: "membar.proxy.async"
        isa "8.0" on "sm_90" == "fence.proxy.async";
    ProxyAsync: "fence.proxy.async.{global|shared::cta|shared::cluster}"
        isa "8.0" on "sm_90" = "fence::proxy_async_{global|shared_cta|shared_cluster}()";
    ProxyAlias: "fence.proxy.alias"
        isa "7.5" on "sm_80" = "fence::proxy_alias()";
    ProxyAlias: "membar.proxy.alias"
        isa "7.5" on "sm_80" == "fence.proxy.alias";
    MbarrierInit: "fence.mbarrier_init.release.cluster"
        isa "8.0" on "sm_90" = "fence::mbarrier_init_release_cluster()";
    SyncRestrict: "fence.acquire.sync_restrict::shared::cluster.cluster"
        isa "8.6" on "sm_90" = "fence::acquire_sync_restrict_shared_cluster_cluster()";
    SyncRestrict: "fence.release.sync_restrict::shared::cta.cluster"
        isa "8.6" on "sm_90" = "fence::release_sync_restrict_shared_cta_cluster()";
    ProxyAsyncGeneric: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"
        isa "8.6" on "sm_90" = "fence::proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster()";
    ProxyAsyncGeneric: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"
        isa "8.6" on "sm_90" = "fence::proxy_async_generic_release_sync_restrict_shared_cta_cluster()";
    ProxyAsyncGeneric: "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.{cluster|cta}"
        isa "9.4" on "sm_90" = "fence::proxy_async_generic_release_sync_restrict_shared_cluster_read_{cluster|cta}()";
    ProxyAlias: "fence.proxy.alias.{acquire|release}.sys"
        isa "9.4" on "sm_90" = "fence::proxy_alias_{acquire|release}_sys()";
    Alias: "fence.alias.sync_restrict::read.release.sys"
        isa "9.5" on "sm_90" = "fence::alias_sync_restrict_read_release_sys()";
    Membar: "membar.{cta|gl|sys}"
        isa "7.0" on "sm_80";
}
