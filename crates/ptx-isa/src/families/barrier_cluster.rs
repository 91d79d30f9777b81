//! `barrier.cluster`, the barrier of the cluster.

family! { BarrierCluster "9.7.13.3" { Arrive, Wait }
    Arrive: "barrier.cluster.arrive{.aligned|}"
        isa "7.8" on "sm_90" = "barrier_cluster::arrive{_aligned|}()";
    Arrive: "barrier.cluster.arrive.release{.aligned|}"
        isa "8.0" on "sm_90" == "barrier.cluster.arrive{.aligned|}";
    Arrive: "barrier.cluster.arrive.relaxed{.aligned|}"
        isa "8.0" on "sm_90" = "barrier_cluster::arrive_relaxed{_aligned|}()";
    Wait: "barrier.cluster.wait{.aligned|}"
        isa "7.8" on "sm_90" = "barrier_cluster::wait{_aligned|}()";
    Wait: "barrier.cluster.wait.acquire{.aligned|}"
        isa "8.0" on "sm_90" == "barrier.cluster.wait{.aligned|}";
}
