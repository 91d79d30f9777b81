//! `tensormap.cp_fenceproxy`, a tensor map from shared to global memory, released for copies.

family! { TensormapCpFenceproxy "9.7.13.16" { Copy }
    Copy: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{cta|cluster|gpu|sys}.sync.aligned [d], [r], 128"
        isa "8.3" on "sm_90" = "tensormap_cp_fenceproxy::global_shared_cta_release::<{Cta|Cluster|Gpu|Sys}>(p.cast(), shared(a))";
}
