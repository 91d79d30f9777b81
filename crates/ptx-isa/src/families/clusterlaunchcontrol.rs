//! `clusterlaunchcontrol`, clusters of the grid that have not started, taken over by those that run.

family! { Clusterlaunchcontrol "9.7.13.17 and 9.7.13.18" { TryCancel, IsCanceled, GetFirstCtaid, GetFirstCtaidX, GetFirstCtaidY, GetFirstCtaidZ }
    TryCancel: "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [r], [r]"
        isa "8.6" on "sm_100" = "clusterlaunchcontrol::try_cancel_async_shared_cta::<[u64; 2]>(shared(a), shared(b))";
    TryCancel: "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [r], [r]"
        isa "8.6" on "sm_100a_or_sm_120a" = "clusterlaunchcontrol::try_cancel_async_shared_cta_multicast_cluster_all::<[u64; 2]>(shared(a), shared(b))";
    IsCanceled: "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q"
        isa "8.6" on "sm_100" = "clusterlaunchcontrol::query_cancel_is_canceled([w, v])";
    GetFirstCtaid: "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r,r,r,_}, q"
        isa "8.6" on "sm_100" = "clusterlaunchcontrol::query_cancel_get_first_ctaid_v4([w, v])";
    TryCancel: "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [d], [d]"
        isa "8.6" on "sm_100";
    TryCancel: "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [d], [d]"
        isa "8.6" on "sm_100a_or_sm_120a";
    GetFirstCtaid: "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r,r,r,r}, q"
        isa "8.6" on "sm_100";
    GetFirstCtaidX | GetFirstCtaidY | GetFirstCtaidZ: "clusterlaunchcontrol.query_cancel.get_first_ctaid::{x|y|z}.b32.b128 r, q"
        isa "8.6" on "sm_100";
}
