//! `createpolicy`, cache policies for instructions with `.L2::cache_hint`.

family! { Createpolicy "9.7.9.18" { Fractional, Range, Cvt }
    Fractional: "createpolicy.fractional.L2::{evict_last|evict_normal|evict_first|evict_unchanged}{.L2::evict_first|.L2::evict_unchanged|}.b64 d, r"
        isa "7.4" on "sm_80" = "createpolicy::fractional::<{EvictLast|EvictNormal|EvictFirst|EvictUnchanged}, {EvictFirst|EvictUnchanged|=}>(f)";
    Range: "createpolicy.range.global.L2::{evict_last|evict_normal|evict_first|evict_unchanged}{.L2::evict_first|.L2::evict_unchanged|}.b64 d, [d], r, r"
        isa "7.4" on "sm_80" = "createpolicy::range_global::<{EvictLast|EvictNormal|EvictFirst|EvictUnchanged}, {EvictFirst|EvictUnchanged|=}>(p, n, m)";
    Cvt: "createpolicy.cvt.L2.b64 d, d"
        isa "7.4" on "sm_80" = "createpolicy::cvt_l2(w)";
    Fractional: "createpolicy.fractional.L2::{evict_last|evict_normal|evict_first|evict_unchanged}{.L2::evict_first|.L2::evict_unchanged|}.b64 d"
        isa "7.4" on "sm_80";
    Range: "createpolicy.range.L2::{evict_last|evict_normal|evict_first|evict_unchanged}{.L2::evict_first|.L2::evict_unchanged|}.b64 d, [d], r, r"
        isa "7.4" on "sm_80";
}
