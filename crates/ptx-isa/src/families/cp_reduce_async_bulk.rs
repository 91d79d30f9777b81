//! `cp.reduce.async.bulk`, reductions of contiguous numbers in memory.

family! { CpReduceAsyncBulk "9.7.9.25.4.2" { Reduce }
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.{T:u32|s32|u64|f32|noftz.f32|f64} [d], [r], r"
        isa "{T:8.0|8.0|8.0|8.0|9.4|8.0}" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta::<Add, {T:u32|i32|u64|f32|=|f64}>(p.cast(), shared(a), n)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.{f16|bf16} [d], [r], r"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta::<Add, {f16|bf16}>(p.cast(), shared(a), n)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.{min|max}.{u32|s32|u64|s64|f16|bf16} [d], [r], r"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta::<{Min|Max}, {u32|i32|u64|i64|f16|bf16}>(p.cast(), shared(a), n)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.{inc|dec}.u32 [d], [r], r"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta::<{Inc|Dec}, u32>(p.cast(), shared(a), n)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.{and|or|xor}.{b32|b64} [d], [r], r"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta::<{And|Or|Xor}, {u32|u64}>(p.cast(), shared(a), n)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.{T:u32|s32|u64|f32|noftz.f32|f64} [d], [r], r, d"
        isa "{T:8.0|8.0|8.0|8.0|9.4|8.0}" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta_cache_hint::<Add, {T:u32|i32|u64|f32|=|f64}>(p.cast(), shared(a), n, w)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.{f16|bf16} [d], [r], r, d"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta_cache_hint::<Add, {f16|bf16}>(p.cast(), shared(a), n, w)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{min|max}.{u32|s32|u64|s64|f16|bf16} [d], [r], r, d"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta_cache_hint::<{Min|Max}, {u32|i32|u64|i64|f16|bf16}>(p.cast(), shared(a), n, w)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{inc|dec}.u32 [d], [r], r, d"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta_cache_hint::<{Inc|Dec}, u32>(p.cast(), shared(a), n, w)";
    Reduce: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{and|or|xor}.{b32|b64} [d], [r], r, d"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::global_shared_cta_cache_hint::<{And|Or|Xor}, {u32|u64}>(p.cast(), shared(a), n, w)";
    Reduce: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.{u32|s32|u64} [r], [r], r, [r]"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::shared_cluster_shared_cta::<Add, {u32|i32|u64}>(cluster(a), shared(c), n, cluster(b))";
    Reduce: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{min|max}.{u32|s32} [r], [r], r, [r]"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::shared_cluster_shared_cta::<{Min|Max}, {u32|i32}>(cluster(a), shared(c), n, cluster(b))";
    Reduce: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{inc|dec}.u32 [r], [r], r, [r]"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::shared_cluster_shared_cta::<{Inc|Dec}, u32>(cluster(a), shared(c), n, cluster(b))";
    Reduce: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{and|or|xor}.b32 [r], [r], r, [r]"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk::shared_cluster_shared_cta::<{And|Or|Xor}, u32>(cluster(a), shared(c), n, cluster(b))";
    Reduce: "cp.reduce.async.bulk.relaxed.cluster.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [r], [r], r, [r]"
        isa "9.3" on "sm_90" = "cp_reduce_async_bulk::relaxed_cluster_shared_cluster_shared_cta::<Add, u32>(cluster(a), shared(c), n, cluster(b))";
    Reduce: "cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group{V:.add.u32 [d], [r], r|.L2::cache_hint.add.u32 [d], [r], r, d}"
        isa "9.3" on "sm_90" = "cp_reduce_async_bulk::relaxed_gpu_global_shared_cta{V:|_cache_hint}::<Add, u32>(p.cast(), shared(a), n{V:|, w})";
}
