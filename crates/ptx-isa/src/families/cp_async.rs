//! `cp.async`, copies of a few bytes that each thread starts for itself, and their groups.

family! { CpAsync "9.7.9.25.3" { CommitGroup, WaitGroup, WaitAll, Copy }
    Copy: "cp.async.{O:ca|ca|ca|cg}{S:.shared::cta|.shared}.global [r], [d], {O:4|8|16|16}"
        isa "7.0" on "sm_80" = "cp_async::shared_cta_global{S:|=}::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}>(shared(a), p)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::{L:64|128|256}B [r], [d], {O:4|8|16|16}"
        isa "7.4" on "sm_80" = "cp_async::shared_cta_global_l2::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}, {L:64|128|256}>(shared(a), p)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::cache_hint [r], [d], {O:4|8|16|16}, d"
        isa "7.4" on "sm_80" = "cp_async::shared_cta_global_cache_hint::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}>(shared(a), p, w)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::cache_hint.L2::{L:64|128|256}B [r], [d], {O:4|8|16|16}, d"
        isa "7.4" on "sm_80" = "cp_async::shared_cta_global_cache_hint_l2::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}, {L:64|128|256}>(shared(a), p, w)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global [r], [d], {O:4|8|16|16}, r"
        isa "7.0" on "sm_80" = "cp_async::shared_cta_global_src_size::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}>(shared(a), p, n)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::{L:64|128|256}B [r], [d], {O:4|8|16|16}, r"
        isa "7.4" on "sm_80" = "cp_async::shared_cta_global_src_size_l2::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}, {L:64|128|256}>(shared(a), p, n)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::cache_hint [r], [d], {O:4|8|16|16}, r, d"
        isa "7.4" on "sm_80" = "cp_async::shared_cta_global_src_size_cache_hint::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}>(shared(a), p, n, w)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::cache_hint.L2::{L:64|128|256}B [r], [d], {O:4|8|16|16}, r, d"
        isa "7.4" on "sm_80" = "cp_async::shared_cta_global_src_size_cache_hint_l2::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}, {L:64|128|256}>(shared(a), p, n, w)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global [r], [d], {O:4|8|16|16}, p"
        isa "7.5" on "sm_80" = "cp_async::shared_cta_global_ignore_src::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}>(shared(a), p, n != 0)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::{L:64|128|256}B [r], [d], {O:4|8|16|16}, p"
        isa "7.5" on "sm_80" = "cp_async::shared_cta_global_ignore_src_l2::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}, {L:64|128|256}>(shared(a), p, n != 0)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::cache_hint [r], [d], {O:4|8|16|16}, p, d"
        isa "7.5" on "sm_80" = "cp_async::shared_cta_global_ignore_src_cache_hint::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}>(shared(a), p, n != 0, w)";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared::cta.global.L2::cache_hint.L2::{L:64|128|256}B [r], [d], {O:4|8|16|16}, p, d"
        isa "7.5" on "sm_80" = "cp_async::shared_cta_global_ignore_src_cache_hint_l2::<{O:Ca, 4|Ca, 8|Ca, 16|Cg, 16}, {L:64|128|256}>(shared(a), p, n != 0, w)";
    CommitGroup: "cp.async.commit_group"
        isa "7.0" on "sm_80" = "cp_async::commit_group()";
    WaitGroup: "cp.async.wait_group 1"
        isa "7.0" on "sm_80" = "cp_async::wait_group::<1>()";
    WaitAll: "cp.async.wait_all"
        isa "7.0" on "sm_80" = "cp_async::wait_all()";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared.global{V:.L2::64B|.L2::128B|.L2::256B|.L2::cache_hint|.L2::cache_hint.L2::64B|.L2::cache_hint.L2::128B|.L2::cache_hint.L2::256B} [r], [d], {O:4|8|16|16}{V:|||, d|, d|, d|, d}"
        isa "7.4" on "sm_80";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared.global{V:|.L2::64B|.L2::128B|.L2::256B|.L2::cache_hint|.L2::cache_hint.L2::64B|.L2::cache_hint.L2::128B|.L2::cache_hint.L2::256B} [r], [d], {O:4|8|16|16}, r{V:||||, d|, d|, d|, d}"
        isa "{V:7.0|7.4|7.4|7.4|7.4|7.4|7.4|7.4}" on "sm_80";
    Copy: "cp.async.{O:ca|ca|ca|cg}.shared.global{V:|.L2::64B|.L2::128B|.L2::256B|.L2::cache_hint|.L2::cache_hint.L2::64B|.L2::cache_hint.L2::128B|.L2::cache_hint.L2::256B} [r], [d], {O:4|8|16|16}, p{V:||||, d|, d|, d|, d}"
        isa "7.5" on "sm_80";
}
