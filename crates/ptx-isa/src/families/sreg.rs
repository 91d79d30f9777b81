//! Special registers.

family! { Sreg "10" { Tid, Ntid, Ctaid, Nctaid, Laneid, Clusterid, Nclusterid, ClusterCtaid, ClusterNctaid, ClusterCtarank, ClusterNctarank, IsExplicitCluster }
    Clusterid | Nclusterid | ClusterCtaid | ClusterNctaid | ClusterCtarank | ClusterNctarank: "mov.u32 r, %{clusterid.x|nclusterid.x|cluster_ctaid.x|cluster_nctaid.x|cluster_ctarank|cluster_nctarank}"
        isa "7.8" on "sm_90" = "sreg::{clusterid::<0>|nclusterid::<0>|cluster_ctaid::<0>|cluster_nctaid::<0>|cluster_ctarank|cluster_nctarank}()";
    IsExplicitCluster: "mov.pred p, %is_explicit_cluster"
        isa "7.8" on "sm_90" = "sreg::is_explicit_cluster()";
    Tid | Ntid | Ctaid | Nctaid: "mov.u32 r, %{tid|ntid|ctaid|nctaid}.{D:x|y|z}"
        isa "7.0" on "sm_80" = "sreg::{tid|ntid|ctaid|nctaid}::<{D:0|1|2}>()";
    Laneid: "mov.u32 r, %laneid"
        isa "7.0" on "sm_80" = "sreg::laneid()";
}
