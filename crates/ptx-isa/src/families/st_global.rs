//! `st.global`, stores to global memory.

family! { StGlobal "9.7.9.11" { Store }
    Store: "st.global.{O:wb|cg|cs|wt}.{T:b8 [d], h|b16 [d], h|b32 [d], r|b64 [d], d|v2.b32 [d], {r,r}|v4.b32 [d], {r,r,r,r}|v2.b64 [d], {d,d}}"
        isa "7.0" on "sm_80" = "st_global::{T:b8|b16|b32|b64|v2_b32|v4_b32|v2_b64}::<{O:Wb|Cg|Cs|Wt}>(p.cast(), {T:h as u8|h|n|w|[n, m]|[n, m, b, c]|[w, v]})";
    Store: "st.global.L1::no_allocate.{T:b8 [d], h|b16 [d], h|b32 [d], r|b64 [d], d|v2.b32 [d], {r,r}|v4.b32 [d], {r,r,r,r}|v2.b64 [d], {d,d}}"
        isa "7.4" on "sm_80" = "st_global::l1_no_allocate_{T:b8|b16|b32|b64|v2_b32|v4_b32|v2_b64}(p.cast(), {T:h as u8|h|n|w|[n, m]|[n, m, b, c]|[w, v]})";
    Store: "st.{S:relaxed|release}.{C:cta|cluster|gpu|sys}.global.{T:b32 [d], r|b64 [d], d}"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "st_global::ordered_{T:b32|b64}::<{S:Relaxed|Release}, {C:Cta|Cluster|Gpu|Sys}>(p.cast(), {T:n|w})";
}
