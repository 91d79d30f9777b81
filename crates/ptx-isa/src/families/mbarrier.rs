//! `mbarrier`, barriers in shared memory that count arrivals and bytes.

family! { Mbarrier "9.7.13.15" { Init, Inval, PendingCount, CheckLayout, ExpectTx, CompleteTx, ArriveExpectTx, ArriveNoComplete, ArriveDropExpectTx, ArriveDropNoComplete, ArriveDrop, Arrive, TestWaitParity, TestWait, TryWaitParity, TryWait }
    Init: "mbarrier.init{.shared::cta.b64 [r]|.shared.b64 [r]|.b64 [d]}, r"
        isa "{7.8|7.0|7.0}" on "sm_80" = "mbarrier::init({shared(a)|=|generic(p)}, n)";
    Inval: "mbarrier.inval{.shared::cta.b64 [r]|.shared.b64 [r]|.b64 [d]}"
        isa "{7.8|7.0|7.0}" on "sm_80" = "mbarrier::inval({shared(a)|=|generic(p)})";
    PendingCount: "mbarrier.pending_count.b64 r, d"
        isa "7.0" on "sm_80" = "mbarrier::pending_count(w)";
    ExpectTx | CompleteTx: "mbarrier.{expect_tx|complete_tx}{.relaxed.cta||.relaxed.cluster}{.shared::cta.b64 [r]|.shared.b64 [r]|.shared::cluster.b64 [r]|.b64 [d]}, r"
        isa "8.0" on "sm_90" = "mbarrier::{expect_tx|complete_tx}::<{Cta|=|Cluster}>({shared(a)|=|cluster(a)|generic(p)}, n)";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{O:release.cta|release.cluster|relaxed.cta|relaxed.cluster}{.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}"
        isa "{O:8.0|8.0|8.6|8.6}" on "{O:sm_80|sm_90|sm_90|sm_90}" = "mbarrier::{arrive|arrive_drop}::<{O:Release, Cta|Release, Cluster|Relaxed, Cta|Relaxed, Cluster}>({shared(a)|=|generic(p)})";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}{V:.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}"
        isa "{V:7.8|7.0|7.0}" on "sm_80" == "mbarrier.{arrive|arrive_drop}.release.cta{V:.shared::cta.b64 d, [r]|.shared::cta.b64 d, [r]|.b64 d, [d]}";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{V:release|relaxed}.{cta|cluster}{.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}, r"
        isa "{V:8.0|8.6}" on "sm_90" = "mbarrier::{arrive|arrive_drop}_count::<{V:Release|Relaxed}, {Cta|Cluster}>({shared(a)|=|generic(p)}, n)";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}{.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}, r"
        isa "7.8" on "sm_90" == "mbarrier.{arrive|arrive_drop}.release.cta{.shared::cta.b64 d, [r]|.shared::cta.b64 d, [r]|.b64 d, [d]}, r";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{O:release.cta|release.cluster|relaxed.cta|relaxed.cluster}{.shared::cta.b64 _, [r]|.b64 _, [d]}"
        isa "{O:8.0|8.0|8.6|8.6}" on "{O:sm_80|sm_90|sm_90|sm_90}" = "mbarrier::{arrive|arrive_drop}_sink::<{O:Release, Cta|Release, Cluster|Relaxed, Cta|Relaxed, Cluster}>({shared(a)|generic(p)})";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{V:release|relaxed}.{cta|cluster}.shared::cluster.b64 _, [r]"
        isa "{V:8.0|8.6}" on "sm_90" = "mbarrier::{arrive|arrive_drop}_sink::<{V:Release|Relaxed}, {Cta|Cluster}>(cluster(a))";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}{V:.shared::cta.b64 _, [r]|.shared::cluster.b64 _, [r]}"
        isa "{V:7.8|8.0}" on "{V:sm_80|sm_90}" == "mbarrier.{arrive|arrive_drop}.release.cta{V:.shared::cta.b64 _, [r]|.shared::cluster.b64 _, [r]}";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.b64 _, [d]"
        isa "{7.1|7.0}" on "sm_80" == "mbarrier.{arrive|arrive_drop}.release.cta.b64 _, [d]";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{V:release|relaxed}.{cta|cluster}{.shared::cta.b64 _, [r]|.shared::cluster.b64 _, [r]|.b64 _, [d]}, r"
        isa "{V:8.0|8.6}" on "sm_90" = "mbarrier::{arrive|arrive_drop}_sink_count::<{V:Release|Relaxed}, {Cta|Cluster}>({shared(a)|cluster(a)|generic(p)}, n)";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}{V:.shared::cta.b64 _, [r]|.shared::cluster.b64 _, [r]|.b64 _, [d]}, r"
        isa "{V:7.8|8.0|7.8}" on "sm_90" == "mbarrier.{arrive|arrive_drop}.release.cta{V:.shared::cta.b64 _, [r]|.shared::cluster.b64 _, [r]|.b64 _, [d]}, r";
    ArriveExpectTx | ArriveDropExpectTx: "mbarrier.{arrive|arrive_drop}.expect_tx{V:.release.cta||.relaxed.cta|.release.cluster|.relaxed.cluster}{.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}, r"
        isa "{V:8.0|8.0|8.6|8.0|8.6}" on "sm_90" = "mbarrier::{arrive|arrive_drop}_expect_tx::<{V:Release, Cta|=|Relaxed, Cta|Release, Cluster|Relaxed, Cluster}>({shared(a)|=|generic(p)}, n)";
    ArriveExpectTx | ArriveDropExpectTx: "mbarrier.{arrive|arrive_drop}.expect_tx{V:.release.cta||.relaxed.cta|.release.cluster|.relaxed.cluster}.shared::{cta|cluster}.b64 _, [r], r"
        isa "{V:8.0|8.0|8.6|8.0|8.6}" on "sm_90" = "mbarrier::{arrive|arrive_drop}_expect_tx_sink::<{V:Release, Cta|=|Relaxed, Cta|Release, Cluster|Relaxed, Cluster}>({shared|cluster}(a), n)";
    ArriveNoComplete | ArriveDropNoComplete: "mbarrier.{arrive|arrive_drop}.noComplete.release.cta{.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}, r"
        isa "8.0" on "sm_80" = "mbarrier::{arrive|arrive_drop}_no_complete({shared(a)|=|generic(p)}, n)";
    ArriveNoComplete | ArriveDropNoComplete: "mbarrier.{arrive|arrive_drop}.noComplete{V:.shared::cta.b64 d, [r]|.shared.b64 d, [r]|.b64 d, [d]}, r"
        isa "{V:7.8|7.0|7.0}" on "sm_80" == "mbarrier.{arrive|arrive_drop}.noComplete.release.cta{V:.shared::cta.b64 d, [r]|.shared::cta.b64 d, [r]|.b64 d, [d]}, r";
    TestWait: "mbarrier.test_wait.{O:acquire.cta|acquire.cluster|relaxed.cta|relaxed.cluster}{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, d"
        isa "{O:8.0|8.0|8.6|8.6}" on "{O:sm_80|sm_90|sm_90|sm_90}" = "mbarrier::test_wait::<{O:Acquire, Cta|Acquire, Cluster|Relaxed, Cta|Relaxed, Cluster}>({shared(a)|=|generic(p)}, w)";
    TryWait: "mbarrier.try_wait.{acquire|relaxed}.{cta|cluster}{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, d"
        isa "{8.0|8.6}" on "sm_90" = "mbarrier::try_wait::<{Acquire|Relaxed}, {Cta|Cluster}>({shared(a)|=|generic(p)}, w)";
    TestWait: "mbarrier.test_wait{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, d"
        isa "{7.8|7.0|7.0}" on "sm_80" == "mbarrier.test_wait.acquire.cta{.shared::cta.b64 p, [r]|.shared::cta.b64 p, [r]|.b64 p, [d]}, d";
    TryWait: "mbarrier.try_wait{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, d"
        isa "7.8" on "sm_90" == "mbarrier.try_wait.acquire.cta{.shared::cta.b64 p, [r]|.shared::cta.b64 p, [r]|.b64 p, [d]}, d";
    TestWaitParity: "mbarrier.test_wait.parity.{O:acquire.cta|acquire.cluster|relaxed.cta|relaxed.cluster}{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, r"
        isa "{O:8.0|8.0|8.6|8.6}" on "{O:sm_80|sm_90|sm_90|sm_90}" = "mbarrier::test_wait_parity::<{O:Acquire, Cta|Acquire, Cluster|Relaxed, Cta|Relaxed, Cluster}>({shared(a)|=|generic(p)}, n)";
    TryWaitParity: "mbarrier.try_wait.parity.{acquire|relaxed}.{cta|cluster}{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, r"
        isa "{8.0|8.6}" on "sm_90" = "mbarrier::try_wait_parity::<{Acquire|Relaxed}, {Cta|Cluster}>({shared(a)|=|generic(p)}, n)";
    TestWaitParity: "mbarrier.test_wait.parity{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, r"
        isa "{7.8|7.1|7.1}" on "sm_80" == "mbarrier.test_wait.parity.acquire.cta{.shared::cta.b64 p, [r]|.shared::cta.b64 p, [r]|.b64 p, [d]}, r";
    TryWaitParity: "mbarrier.try_wait.parity{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, r"
        isa "7.8" on "sm_90" == "mbarrier.try_wait.parity.acquire.cta{.shared::cta.b64 p, [r]|.shared::cta.b64 p, [r]|.b64 p, [d]}, r";
    TryWait: "mbarrier.try_wait.{acquire|relaxed}.{cta|cluster}{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, d, r"
        isa "{8.0|8.6}" on "sm_90" = "mbarrier::try_wait_suspend_hint::<{Acquire|Relaxed}, {Cta|Cluster}>({shared(a)|=|generic(p)}, w, m)";
    TryWait: "mbarrier.try_wait{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, d, r"
        isa "7.8" on "sm_90" == "mbarrier.try_wait.acquire.cta{.shared::cta.b64 p, [r]|.shared::cta.b64 p, [r]|.b64 p, [d]}, d, r";
    TryWaitParity: "mbarrier.try_wait.parity.{acquire|relaxed}.{cta|cluster}{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, r, r"
        isa "{8.0|8.6}" on "sm_90" = "mbarrier::try_wait_parity_suspend_hint::<{Acquire|Relaxed}, {Cta|Cluster}>({shared(a)|=|generic(p)}, n, m)";
    TryWaitParity: "mbarrier.try_wait.parity{.shared::cta.b64 p, [r]|.shared.b64 p, [r]|.b64 p, [d]}, r, r"
        isa "7.8" on "sm_90" == "mbarrier.try_wait.parity.acquire.cta{.shared::cta.b64 p, [r]|.shared::cta.b64 p, [r]|.b64 p, [d]}, r, r";
    Init: "mbarrier.init.layout::{v0|v1}{.shared::cta.b64 [r]|.shared.b64 [r]|.b64 [d]}, r"
        isa "9.3" on "sm_90" = "mbarrier::init_layout::<{V0|V1}>({shared(a)|=|generic(p)}, n)";
    CheckLayout: "mbarrier.check_layout.layout::{v0|v1}{.shared::cta.b64 p, [r]|.b64 p, [d]}"
        isa "9.3" on "sm_90" = "mbarrier::check_layout::<{V0|V1}>({shared(a)|generic(p)})";
    ExpectTx | CompleteTx: "mbarrier.{expect_tx|complete_tx}.relaxed.{cta|cluster}.shared::cluster.multicast::cluster::32b.b64 [r], r, r"
        isa "9.4" on "sm_107a" = "mbarrier::{expect_tx|complete_tx}_multicast_32b::<{Cta|Cluster}>(shared(a), n, m)";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{release|relaxed}.cluster.shared::cluster.multicast::cluster::32b.b64 _, [r], r, r"
        isa "9.4" on "sm_107a" = "mbarrier::{arrive|arrive_drop}_multicast_32b::<{Release|Relaxed}>(shared(a), n, m)";
    ArriveExpectTx | ArriveDropExpectTx: "mbarrier.{arrive|arrive_drop}.expect_tx.{release|relaxed}.cluster.shared::cluster.multicast::cluster::32b.b64 _, [r], r, r"
        isa "9.4" on "sm_107a" = "mbarrier::{arrive|arrive_drop}_expect_tx_multicast_32b::<{Release|Relaxed}>(shared(a), n, m)";
    TestWait | TryWait: "mbarrier.{test|try}_wait.phase_type::primary.{acquire|relaxed}.{cta|cluster}.shared::cta.b64 p|p,{V: [r]| b, [r]}, d"
        isa "9.3" on "sm_90" = "mbarrier::{test|try}_wait_phase_type_primary{V:|_value}::<{Acquire|Relaxed}, {Cta|Cluster}>(shared(a), w)";
    TestWaitParity | TryWaitParity: "mbarrier.{test|try}_wait.parity.phase_type::primary.{acquire|relaxed}.{cta|cluster}.shared::cta.b64 p|p,{V: [r]| b, [r]}, r"
        isa "9.3" on "sm_90" = "mbarrier::{test|try}_wait_parity_phase_type_primary{V:|_value}::<{Acquire|Relaxed}, {Cta|Cluster}>(shared(a), n)";
    TestWaitParity | TryWaitParity: "mbarrier.{test|try}_wait.parity.phase_type::conditional.{acquire|relaxed}.{cta|cluster}.shared::cta.b64 p, [r], r"
        isa "9.3" on "sm_90" = "mbarrier::{test|try}_wait_parity_phase_type_conditional::<{Acquire|Relaxed}, {Cta|Cluster}>(shared(a), n)";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{O:release.cta|release.cluster|relaxed.cta|relaxed.cluster}.shared.b64 _, [r]"
        isa "{O:8.0|8.0|8.6|8.6}" on "{O:sm_80|sm_90|sm_90|sm_90}";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.shared.b64 _, [r]"
        isa "{7.1|7.0}" on "sm_80";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.{V:release|relaxed}.{cta|cluster}.shared.b64 _, [r], r"
        isa "{V:8.0|8.6}" on "sm_90";
    Arrive | ArriveDrop: "mbarrier.{arrive|arrive_drop}.shared.b64 _, [r], r"
        isa "7.8" on "sm_90";
    ArriveExpectTx | ArriveDropExpectTx: "mbarrier.{arrive|arrive_drop}.expect_tx.{V:release|relaxed}.{cta|cluster}{.shared.b64 _, [r]|.b64 _, [d]}, r"
        isa "{V:8.0|8.6}" on "sm_90";
    ArriveExpectTx | ArriveDropExpectTx: "mbarrier.{arrive|arrive_drop}.expect_tx{.shared.b64 _, [r]|.b64 _, [d]}, r"
        isa "8.0" on "sm_90";
    ArriveNoComplete | ArriveDropNoComplete: "mbarrier.{arrive|arrive_drop}.noComplete.release.cta{.shared::cta.b64 _, [r]|.shared.b64 _, [r]|.b64 _, [d]}, r"
        isa "8.0" on "sm_80";
    ArriveNoComplete | ArriveDropNoComplete: "mbarrier.{arrive|arrive_drop}.noComplete.shared::cta.b64 _, [r], r"
        isa "7.8" on "sm_80";
    ArriveNoComplete | ArriveDropNoComplete: "mbarrier.{arrive|arrive_drop}.noComplete{.shared.b64 _, [r]|.b64 _, [d]}, r"
        isa "{7.1|7.0}" on "sm_80";
}
