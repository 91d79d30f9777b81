//! `getctarank`, the block of the cluster that owns a shared memory address.

family! { Getctarank "9.7.9.24" { Rank }
    Rank: "getctarank.shared::cluster.{u32 r, r|u64 r, d}"
        isa "7.8" on "sm_90" = "getctarank::shared_cluster_{u32::<u8>(cluster(a)|u64(w})";
    Rank: "getctarank.{u32 r, r|u64 r, d}"
        isa "7.8" on "sm_90" = "getctarank::generic_{u32(a|u64(p})";
}
