//! `mapa`, the same variable in the shared memory of another block of the cluster.

family! { Mapa "9.7.9.23" { Map }
    Map: "mapa.shared::cluster.{u32 r, r|u64 d, d}, r"
        isa "7.8" on "sm_90" = "mapa::shared_cluster_{u32(shared::<u8>(a)|u64(w}, n)";
    Map: "mapa.{u32 r, r|u64 d, d}, r"
        isa "7.8" on "sm_90" = "mapa::generic_{u32(a|u64(p}, n)";
}
