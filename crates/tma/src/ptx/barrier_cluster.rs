//! `barrier.cluster`, the barrier of the cluster. PTX ISA 9.7.13.3.
//!
//! `.release` and `.acquire` are the defaults of arrivals and waits, and are left out in the text.

/// Arrivals and waits, of a warp together or of each thread.
macro_rules! barriers {
    ($($(#[$attribute:meta])* $name:ident = $text:literal, $intrinsic:ident isa $isa:literal;
        $($condition:literal)+)+) => { $(
        #[doc = concat!("`", $text, "`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        $(#[doc = $condition])+
        #[device_fn(isa = $isa, arch = sm_90)]
        pub unsafe fn $name() {
            // SAFETY: the numbered conditions above are those of the instruction, which takes no operands.
            unsafe { crate::ptx::intrinsics::$intrinsic() }
        }
    )+ };
}

barriers! {
    /// Arrives, releasing earlier writes to the cluster.
    #[doc(alias = "barrier_cluster_arrive")]
    arrive_aligned = "barrier.cluster.arrive.aligned;", barrier_cluster_arrive_aligned isa "7.8";
        "1. All threads of the warp reach this same call together."
        "2. Each thread waits before it arrives again."
    /// Arrives, releasing earlier writes to the cluster; the threads of a warp need not come together.
    #[doc(alias = "barrier_cluster_arrive")]
    arrive = "barrier.cluster.arrive;", barrier_cluster_arrive isa "7.8";
        "1. Each thread waits before it arrives again."
    /// Arrives without ordering memory accesses.
    #[doc(alias = "barrier_cluster_arrive")]
    arrive_relaxed_aligned = "barrier.cluster.arrive.relaxed.aligned;", barrier_cluster_arrive_relaxed_aligned
        isa "8.0";
        "1. All threads of the warp reach this same call together."
        "2. Each thread waits before it arrives again."
    /// Arrives without ordering; the threads of a warp need not come together.
    #[doc(alias = "barrier_cluster_arrive")]
    arrive_relaxed = "barrier.cluster.arrive.relaxed;", barrier_cluster_arrive_relaxed isa "8.0";
        "1. Each thread waits before it arrives again."
    /// Waits until all threads of the cluster have arrived.
    #[doc(alias = "barrier_cluster_wait")]
    wait_aligned = "barrier.cluster.wait.aligned;", barrier_cluster_wait_aligned isa "7.8";
        "1. All threads of the warp reach this same call together."
        "2. Each thread has arrived before."
    /// Waits until all threads of the cluster have arrived; the threads of a warp need not come together.
    #[doc(alias = "barrier_cluster_wait")]
    wait = "barrier.cluster.wait;", barrier_cluster_wait isa "7.8";
        "1. Each thread has arrived before."
}
