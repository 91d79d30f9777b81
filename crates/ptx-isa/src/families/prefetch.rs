//! `prefetch`, a cache line or a tensor map brought nearer.

family! { Prefetch "9.7.9.15" { Uniform, Tensormap, Line }
    Line: "prefetch{A:.global|}.{L:L1|L2} [d]"
        isa "7.0" on "sm_80" = "prefetch::{L:l1|l2}({A:global(p)|p})";
    Line: "prefetch.global.L2::evict_{last|normal} [d]"
        isa "7.4" on "sm_80" = "prefetch::global_l2_evict_{last|normal}(p)";
    Uniform: "prefetchu.L1 [d]"
        isa "7.0" on "sm_80" = "prefetch::prefetchu_l1(p)";
    Tensormap: "prefetch{.const|.param}.tensormap [d]"
        isa "8.0" on "sm_90" = "prefetch::{const|param}_tensormap(w)";
    Tensormap: "prefetch.tensormap [d]"
        isa "8.0" on "sm_90" = "prefetch::tensormap(p.cast())";
    Line: "prefetch.global.L1::32B.valid_addr [d]"
        isa "9.4" on "sm_90" = "prefetch::global_l1_32b_valid_addr(p)";
    Line: "prefetch.local.{L1|L2} [d]"
        isa "7.0" on "sm_80";
}
