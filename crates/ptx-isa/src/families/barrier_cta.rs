//! `bar` and `barrier`, the barriers of the block.

family! { BarrierCta "9.7.13.1" { Sync, Arrive, RedPopc, RedAnd, RedOr }
    Sync: "bar.sync r"
        isa "7.0" on "sm_80" = "barrier_cta::sync_aligned_all(n)";
    Sync: "bar.sync r, r"
        isa "7.0" on "sm_80" = "barrier_cta::sync_aligned_count(n, m)";
    Sync: "bar.cta.sync{ r| r, r}"
        isa "7.8" on "sm_80";
    Sync: "barrier{V:|.cta}.sync{.aligned|}{ r| r, r}"
        isa "{V:7.0|7.8}" on "sm_80";
    Arrive: "bar{V:|.cta}.arrive r, r"
        isa "{V:7.0|7.8}" on "sm_80";
    Arrive: "barrier{V:|.cta}.arrive{.aligned|} r, r"
        isa "{V:7.0|7.8}" on "sm_80";
    RedPopc: "bar{V:|.cta}.red.popc.u32{ r, r, p| r, r, r, p}"
        isa "{V:7.0|7.8}" on "sm_80";
    RedPopc: "barrier{V:|.cta}.red.popc{.aligned|}.u32{ r, r, p| r, r, r, p}"
        isa "{V:7.0|7.8}" on "sm_80";
    RedAnd | RedOr: "bar.red.{and|or}.pred{ p, r, p| p, r, r, p}"
        isa "7.0" on "sm_80";
    RedAnd | RedOr: "bar.cta.red.{and|or}.pred{ p, r, p| p, r, r, p}"
        isa "7.8" on "sm_80";
    RedAnd | RedOr: "barrier.red.{and|or}{.aligned|}.pred{ p, r, p| p, r, r, p}"
        isa "7.0" on "sm_80";
    RedAnd | RedOr: "barrier.cta.red.{and|or}{.aligned|}.pred{ p, r, p| p, r, r, p}"
        isa "7.8" on "sm_80";
}
