//! `atom`, memory read, changed and written in one step.

family! { Atom "9.7.13.5" { Change }
    Change: "atom.{S:relaxed|acquire|release|acq_rel}.{C:cta|cluster|gpu|sys}.global.{T:add.u32 r, [d], r|add.u64 d, [d], d|exch.b32 r, [d], r|exch.b64 d, [d], d|cas.b32 r, [d], r, r|cas.b64 d, [d], d, d}"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "atom::{T:add_u32|add_u64|exch_b32|exch_b64|cas_b32|cas_b64}::<{S:Relaxed|Acquire|Release|AcqRel}, {C:Cta|Cluster|Gpu|Sys}>(global(p).cast(), {T:n|w|n|w|n, m|w, v})";
    Change: "atom.{S:relaxed|acquire|release|acq_rel}.{C:cta|cluster}.shared::cta.{T:add.u32 r, [r], r|add.u64 d, [r], d|exch.b32 r, [r], r|exch.b64 d, [r], d|cas.b32 r, [r], r, r|cas.b64 d, [r], d, d}"
        isa "7.8" on "{C:sm_80|sm_90}" = "atom::{T:add_u32|add_u64|exch_b32|exch_b64|cas_b32|cas_b64}::<{S:Relaxed|Acquire|Release|AcqRel}, {C:Cta|Cluster}>(shared(a), {T:n|w|n|w|n, m|w, v})";
    Change: "atom.{S:relaxed|acquire|release|acq_rel}.{C:cta|cluster}.shared::cluster.{T:add.u32 r, [r], r|add.u64 d, [r], d|exch.b32 r, [r], r|exch.b64 d, [r], d|cas.b32 r, [r], r, r|cas.b64 d, [r], d, d}"
        isa "7.8" on "sm_90" = "atom::{T:add_u32|add_u64|exch_b32|exch_b64|cas_b32|cas_b64}::<{S:Relaxed|Acquire|Release|AcqRel}, {C:Cta|Cluster}>(cluster(a), {T:n|w|n|w|n, m|w, v})";
    Change: "atom.relaxed.{C:cta|cluster|gpu|sys}.global.{O:and|or|xor}.{T:b32 r, [d], r|b64 d, [d], d}"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "atom::{O:and|or|xor}_{T:b32|b64}::<{C:Cta|Cluster|Gpu|Sys}>(global(p).cast(), {T:n|w})";
    Change: "atom.relaxed.{C:cta|cluster}.shared::cta.{O:and|or|xor}.{T:b32 r, [r], r|b64 d, [r], d}"
        isa "7.8" on "{C:sm_80|sm_90}" = "atom::{O:and|or|xor}_{T:b32|b64}::<{C:Cta|Cluster}>(shared(a), {T:n|w})";
    Change: "atom.relaxed.{C:cta|cluster}.shared::cluster.{O:and|or|xor}.{T:b32 r, [r], r|b64 d, [r], d}"
        isa "7.8" on "sm_90" = "atom::{O:and|or|xor}_{T:b32|b64}::<{C:Cta|Cluster}>(cluster(a), {T:n|w})";
    Change: "atom.relaxed.{C:cta|cluster|gpu|sys}.global.{O:min|max}.{T:u32 r, [d], r|s32 r, [d], r|u64 d, [d], d|s64 d, [d], d}"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "atom::{O:min|max}_{T:u32|s32|u64|s64}::<{C:Cta|Cluster|Gpu|Sys}>(global(p).cast(), {T:n|t|w|l})";
    Change: "atom.relaxed.{C:cta|cluster}.shared::cta.{O:min|max}.{T:u32 r, [r], r|s32 r, [r], r|u64 d, [r], d|s64 d, [r], d}"
        isa "7.8" on "{C:sm_80|sm_90}" = "atom::{O:min|max}_{T:u32|s32|u64|s64}::<{C:Cta|Cluster}>(shared(a), {T:n|t|w|l})";
    Change: "atom.relaxed.{C:cta|cluster}.shared::cluster.{O:min|max}.{T:u32 r, [r], r|s32 r, [r], r|u64 d, [r], d|s64 d, [r], d}"
        isa "7.8" on "sm_90" = "atom::{O:min|max}_{T:u32|s32|u64|s64}::<{C:Cta|Cluster}>(cluster(a), {T:n|t|w|l})";
    Change: "atom.relaxed.{C:cta|cluster|gpu|sys}.global.{T:inc.u32 r, [d], r|dec.u32 r, [d], r|add.f32 r, [d], r|add.f64 d, [d], d|add.noftz.f16x2 r, [d], r}"
        isa "{C:7.0|7.8|7.0|7.0}" on "{C:sm_80|sm_90|sm_80|sm_80}" = "atom::{T:inc_u32|dec_u32|add_f32|add_f64|add_noftz_f16x2}::<{C:Cta|Cluster|Gpu|Sys}>(global(p).cast(), {T:n|n|f|e|n})";
    Change: "atom.relaxed.{C:cta|cluster}.shared::cta.{T:inc.u32 r, [r], r|dec.u32 r, [r], r|add.f32 r, [r], r|add.f64 d, [r], d|add.noftz.f16x2 r, [r], r}"
        isa "7.8" on "{C:sm_80|sm_90}" = "atom::{T:inc_u32|dec_u32|add_f32|add_f64|add_noftz_f16x2}::<{C:Cta|Cluster}>(shared(a), {T:n|n|f|e|n})";
    Change: "atom.relaxed.{C:cta|cluster}.shared::cluster.{T:inc.u32 r, [r], r|dec.u32 r, [r], r|add.f32 r, [r], r|add.f64 d, [r], d|add.noftz.f16x2 r, [r], r}"
        isa "7.8" on "sm_90" = "atom::{T:inc_u32|dec_u32|add_f32|add_f64|add_noftz_f16x2}::<{C:Cta|Cluster}>(cluster(a), {T:n|n|f|e|n})";
    Change: "atom.relaxed.{C:cta|cluster|gpu|sys}.global.add.noftz.bf16x2 r, [d], r"
        isa "7.8" on "sm_90" = "atom::add_noftz_bf16x2::<{C:Cta|Cluster|Gpu|Sys}>(global(p).cast(), n)";
    Change: "atom.relaxed.{C:cta|cluster}{A:.shared::cta|.shared::cluster}.add.noftz.bf16x2 r, [r], r"
        isa "7.8" on "sm_90" = "atom::add_noftz_bf16x2::<{C:Cta|Cluster}>({A:shared(a)|cluster(a)}, n)";
}
