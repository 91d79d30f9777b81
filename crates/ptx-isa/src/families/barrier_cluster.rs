//! `barrier.cluster`, the barrier of the cluster.

family! { BarrierCluster "9.7.13.3" { Arrive, Wait }
    Arrive: "barrier.cluster.arrive{S:|.release}{.aligned|}"
        isa "{S:7.8|8.0}" on "sm_90" = "barrier_cluster::arrive{S:|=}{_aligned|}()";
    Arrive: "barrier.cluster.arrive.relaxed{.aligned|}"
        isa "8.0" on "sm_90" = "barrier_cluster::arrive_relaxed{_aligned|}()";
    Wait: "barrier.cluster.wait{S:|.acquire}{.aligned|}"
        isa "{S:7.8|8.0}" on "sm_90" = "barrier_cluster::wait{S:|=}{_aligned|}()";
}
