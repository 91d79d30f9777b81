//! `red.async`, reductions that do not wait.

family! { RedAsync "9.7.13.7" { Reduce }
    Reduce: "red.async.relaxed.cluster{S:.shared::cluster|}.mbarrier::complete_tx::bytes.add.{T:u32|s32|u64} [{S:r|d}], {T:r|r|d}, [{S:r|d}]"
        isa "8.1" on "sm_90" = "red_async::relaxed_cluster_shared_cluster{S:|=}::<Add, {T:u32|i32|u64}>(cluster(a), {T:n|x|w}, cluster(b))";
    Reduce: "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{min|max}.{u32|s32} [r], r, [r]"
        isa "8.1" on "sm_90" = "red_async::relaxed_cluster_shared_cluster::<{Min|Max}, {u32|i32}>(cluster(a), n as _, cluster(b))";
    Reduce: "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{inc|dec}.u32 [r], r, [r]"
        isa "8.1" on "sm_90" = "red_async::relaxed_cluster_shared_cluster::<{Inc|Dec}, u32>(cluster(a), n, cluster(b))";
    Reduce: "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{and|or|xor}.b32 [r], r, [r]"
        isa "8.1" on "sm_90" = "red_async::relaxed_cluster_shared_cluster::<{And|Or|Xor}, u32>(cluster(a), n, cluster(b))";
    Reduce: "red.async.release.{C:gpu|sys}.global.add.{T:u32 [d], r|s32 [d], r|u64 [d], d|s64 [d], d}"
        isa "8.7" on "sm_100" = "red_async::release_global_add::<{C:Gpu|Sys}, {T:u32|i32|u64|i64}>(p.cast(), {T:n|x|w|l})";
    Reduce: "red.async.mmio.release.sys.global.add.u32 [d], r"
        isa "8.7" on "sm_100" = "red_async::mmio_release_sys_global_add::<u32>(p.cast(), n)";
    Reduce: "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.{min|max}.{u32|s32} [d], r, [d]"
        isa "8.1" on "sm_90";
    Reduce: "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.{inc|dec}.u32 [d], r, [d]"
        isa "8.1" on "sm_90";
    Reduce: "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.{and|or|xor}.b32 [d], r, [d]"
        isa "8.1" on "sm_90";
    Reduce: "red.async.release.{gpu|sys}.add.{u32 [d], r|s32 [d], r|u64 [d], d|s64 [d], d}"
        isa "8.7" on "sm_100";
    Reduce: "red.async.mmio.release.sys.global.add.{s32 [d], r|u64 [d], d|s64 [d], d}"
        isa "8.7" on "sm_100";
    Reduce: "red.async.mmio.release.sys.add.{u32 [d], r|s32 [d], r|u64 [d], d|s64 [d], d}"
        isa "8.7" on "sm_100";
}
