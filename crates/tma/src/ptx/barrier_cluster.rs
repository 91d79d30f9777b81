//! `barrier.cluster`, the barrier of the cluster. PTX ISA 9.7.13.3.

device_fn! {
    /// `barrier.cluster.arrive.aligned;` — arrives, releasing earlier writes to the cluster.
    ///
    /// PTX ISA 7.8, sm_90.
    ///
    /// # Safety
    /// 1. All threads of the warp reach this same call together.
    /// 2. Each thread waits before it arrives again.
    #[doc(alias = "barrier_cluster_arrive")]
    pub unsafe fn arrive_aligned() {
        // SAFETY: (1) and (2) are the caller's.
        unsafe { crate::intrinsics::barrier_cluster_arrive_aligned() }
    }

    /// `barrier.cluster.arrive.relaxed.aligned;` — arrives and orders nothing.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. All threads of the warp reach this same call together.
    /// 2. Each thread waits before it arrives again.
    pub unsafe fn arrive_relaxed_aligned() {
        // SAFETY: (1) and (2) are the caller's.
        unsafe { crate::intrinsics::barrier_cluster_arrive_relaxed_aligned() }
    }

    /// `barrier.cluster.wait.aligned;` — waits until all threads of the cluster have arrived.
    ///
    /// PTX ISA 7.8, sm_90.
    ///
    /// # Safety
    /// 1. All threads of the warp reach this same call together.
    /// 2. Each thread has arrived before.
    #[doc(alias = "barrier_cluster_wait")]
    pub unsafe fn wait_aligned() {
        // SAFETY: (1) and (2) are the caller's.
        unsafe { crate::intrinsics::barrier_cluster_wait_aligned() }
    }
}
