//! `bar.warp.sync`, the barrier of a warp.

family! { BarrierWarp "9.7.13.2" { Sync }
    Sync: "bar.warp.sync r"
        isa "7.0" on "sm_80" = "barrier_warp::sync(n)";
}
