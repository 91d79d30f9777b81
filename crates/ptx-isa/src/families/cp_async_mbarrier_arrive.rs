//! `cp.async.mbarrier.arrive`, an arrival when this thread's `cp.async` copies are done.

family! { CpAsyncMbarrierArrive "9.7.13.15.17" { ArriveNoinc, Arrive }
    Arrive: "cp.async.mbarrier.arrive{.shared::cta.b64 [r]|.shared.b64 [r]|.b64 [d]}"
        isa "{7.8|7.0|7.0}" on "sm_80" = "cp_async_mbarrier_arrive::arrive({shared(a)|=|generic(p)})";
    ArriveNoinc: "cp.async.mbarrier.arrive.noinc{.shared::cta.b64 [r]|.shared.b64 [r]|.b64 [d]}"
        isa "{7.8|7.0|7.0}" on "sm_80" = "cp_async_mbarrier_arrive::arrive_noinc({shared(a)|=|generic(p)})";
}
