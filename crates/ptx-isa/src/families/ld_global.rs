//! `ld.global`, loads from global memory.

family! { LdGlobal "9.7.9.8 and 9.7.9.9" { Load }
    Load: "ld.global.{O:cg|cs|lu|cv}.{T:b8 h|b16 h|b32 r|b64 d|v2.b32 {r,r}|v4.b32 {r,r,r,r}|v2.b64 {d,d}}, [d]"
        isa "7.0" on "sm_80" = "ld_global::{T:b8|b16|b32|b64|v2_b32|v4_b32|v2_b64}::<{O:Cg|Cs|Lu|Cv}>(p.cast())";
    Load: "ld.global.nc.{T:b8 h|b16 h|b32 r|b64 d|v2.b32 {r,r}|v4.b32 {r,r,r,r}|v2.b64 {d,d}}, [d]"
        isa "7.0" on "sm_80" = "ld_global::nc_{T:b8|b16|b32|b64|v2_b32|v4_b32|v2_b64}(p.cast())";
    Load: "ld.global.nc.L1::no_allocate{L:.L2::128B|.L2::256B|}.{T:b8 h|b16 h|b32 r|b64 d|v2.b32 {r,r}|v4.b32 {r,r,r,r}|v2.b64 {d,d}}, [d]"
        isa "7.4" on "sm_80" = "ld_global::nc_l1_no_allocate_{L:l2_128b_|l2_256b_|}{T:b8|b16|b32|b64|v2_b32|v4_b32|v2_b64}(p.cast())";
    Load: "ld.{S:relaxed|acquire}.{C:cta|cluster|gpu|sys}.global.{T:b32 r|b64 d}, [d]"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "ld_global::ordered_{T:b32|b64}::<{S:Relaxed|Acquire}, {C:Cta|Cluster|Gpu|Sys}>(p.cast())";
}
