//! `cvta`, addresses between state spaces.

family! { Cvta "9.7.9.20" { ToSpace, ToGeneric }
    ToSpace: "cvta.to.shared::cluster.u64 d, d"
        isa "7.8" on "sm_90" = "cvta::to_shared_cluster(p)";
    ToGeneric: "cvta.shared.u64 d, d"
        isa "7.0" on "sm_80" = "cvta::shared(a)";
    ToSpace | ToGeneric: "cvta{.to|}.{V:global|shared::cta|local|const|param|param::entry}.u64 d, d"
        isa "{V:7.0|7.8|7.0|7.0|7.7|8.3}" on "sm_80";
    ToSpace: "cvta.to.shared.u64 d, d"
        isa "7.0" on "sm_80";
    ToGeneric: "cvta.shared::cluster.u64 d, d"
        isa "7.8" on "sm_90";
}
