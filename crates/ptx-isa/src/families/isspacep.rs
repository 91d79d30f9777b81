//! `isspacep`, tests whether a generic address is in a state space.

family! { Isspacep "9.7.9.19" { Test }
    Test: "isspacep.{shared::cta|shared::cluster} p, d"
        isa "7.8" on "{sm_80|sm_90}" = "isspacep::{shared_cta|shared_cluster}(p)";
    Test: "isspacep.{V:global|shared|local|const|param|param::entry} p, d"
        isa "{V:7.0|7.0|7.0|7.0|7.7|8.3}" on "sm_80";
}
