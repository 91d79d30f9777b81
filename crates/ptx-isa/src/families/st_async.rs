//! `st.async`, stores that do not wait.

family! { StAsync "9.7.9.12" { Store }
    Store: "st.async{W:.weak|}.shared::cluster.mbarrier::complete_tx::bytes.{T:u32|b32|s32|f32} [r], r, [r]"
        isa "8.1" on "sm_90" = "st_async::weak_shared_cluster{W:|=}::<{T:u32|=|i32|f32}>(cluster(a), {T:n|n|x|f}, cluster(b))";
    Store: "st.async{W:.weak|}.shared::cluster.mbarrier::complete_tx::bytes.{T:u64|b64|s64|f64} [r], d, [r]"
        isa "8.1" on "sm_90" = "st_async::weak_shared_cluster{W:|=}::<{T:u64|=|i64|f64}>(cluster(a), {T:w|w|l|e}, cluster(b))";
    Store: "st.async{W:.weak|}.shared::cluster.mbarrier::complete_tx::bytes.v2.{T:u32|b32|s32|f32} [r], {r,r}, [r]"
        isa "8.1" on "sm_90" = "st_async::weak_shared_cluster_v2{W:|=}::<{T:u32|=|i32|f32}>(cluster(a), {T:[n, m]|[n, m]|[x, y]|[f, g]}, cluster(b))";
    Store: "st.async{W:.weak|}.shared::cluster.mbarrier::complete_tx::bytes.v2.{T:u64|b64|s64|f64} [r], {d,d}, [r]"
        isa "8.1" on "sm_90" = "st_async::weak_shared_cluster_v2{W:|=}::<{T:u64|=|i64|f64}>(cluster(a), {T:[w, v]|[w, v]|[l, l]|[e, e]}, cluster(b))";
    Store: "st.async{W:.weak|}.shared::cluster.mbarrier::complete_tx::bytes.v4.{T:u32|b32|s32|f32} [r], {r,r,r,r}, [r]"
        isa "8.1" on "sm_90" = "st_async::weak_shared_cluster_v4{W:|=}::<{T:u32|=|i32|f32}>(cluster(a), {T:[n, m, n, m]|[n, m, n, m]|[x, y, z, t]|[f, g, f, g]}, cluster(b))";
    Store: "st.async.mbarrier::complete_tx::bytes.b32 [d], r, [d]"
        isa "8.1" on "sm_90" == "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [r], r, [r]";
    Store: "st.async.release.{C:gpu|sys}.global{T:.b8 [d], b|.b16 [d], h|.b32 [d], r|.f32 [d], r|.b64 [d], d}"
        isa "8.7" on "sm_100" = "st_async::release_global::<{C:Gpu|Sys}, {T:u8|u16|u32|f32|u64}>(p.cast(), {T:h as u8|h|n|f|w})";
    Store: "st.async.mmio.release.sys.global.b32 [d], r"
        isa "8.7" on "sm_100" = "st_async::mmio_release_sys_global::<u32>(p.cast(), n)";
    Store: "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b128 [r], q, [r]"
        isa "9.2" on "sm_90" = "st_async::weak_shared_cluster_b128(cluster(a), u128::from(v) << 64 | u128::from(w), cluster(b))";
    Store: "st.async.mbarrier::complete_tx::bytes.{u32|s32|f32} [d], r, [d]"
        isa "8.1" on "sm_90";
    Store: "st.async.weak.mbarrier::complete_tx::bytes.{b32|u32|s32|f32} [d], r, [d]"
        isa "8.1" on "sm_90";
    Store: "st.async{.weak|}.mbarrier::complete_tx::bytes.{b64|u64|s64|f64} [d], d, [d]"
        isa "8.1" on "sm_90";
    Store: "st.async{.weak|}.mbarrier::complete_tx::bytes.v2.{b32|u32|s32|f32} [d], {r,r}, [d]"
        isa "8.1" on "sm_90";
    Store: "st.async{.weak|}.mbarrier::complete_tx::bytes.v2.{b64|u64|s64|f64} [d], {d,d}, [d]"
        isa "8.1" on "sm_90";
    Store: "st.async{.weak|}.mbarrier::complete_tx::bytes.v4.{b32|u32|s32|f32} [d], {r,r,r,r}, [d]"
        isa "8.1" on "sm_90";
    Store: "st.async.release.{gpu|sys}.global{.u8 [d], b|.s8 [d], b|.u16 [d], h|.s16 [d], h|.u32 [d], r|.s32 [d], r|.u64 [d], d|.s64 [d], d|.f64 [d], d}"
        isa "8.7" on "sm_100";
    Store: "st.async.release.{gpu|sys}{.b8 [d], b|.u8 [d], b|.s8 [d], b|.b16 [d], h|.u16 [d], h|.s16 [d], h|.b32 [d], r|.u32 [d], r|.s32 [d], r|.f32 [d], r|.b64 [d], d|.u64 [d], d|.s64 [d], d|.f64 [d], d}"
        isa "8.7" on "sm_100";
    Store: "st.async.mmio.release.sys.global{.b8 [d], b|.u8 [d], b|.s8 [d], b|.b16 [d], h|.u16 [d], h|.s16 [d], h|.u32 [d], r|.s32 [d], r|.f32 [d], r|.b64 [d], d|.u64 [d], d|.s64 [d], d|.f64 [d], d}"
        isa "8.7" on "sm_100";
    Store: "st.async.mmio.release.sys{.b8 [d], b|.u8 [d], b|.s8 [d], b|.b16 [d], h|.u16 [d], h|.s16 [d], h|.b32 [d], r|.u32 [d], r|.s32 [d], r|.f32 [d], r|.b64 [d], d|.u64 [d], d|.s64 [d], d|.f64 [d], d}"
        isa "8.7" on "sm_100";
}
