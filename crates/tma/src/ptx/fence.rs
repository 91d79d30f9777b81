//! `fence`, the order of memory accesses, and of accesses by different proxies. PTX ISA 9.7.13.4.

device_fn! {
    /// `fence.proxy.async.shared::cta;` — orders this thread's earlier accesses to shared memory
    /// before later ones by bulk copies, and the other way round.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. None: a fence only orders.
    #[doc(alias = "fence_proxy_async")]
    #[doc(alias = "fence_proxy_async_shared_cta")]
    pub unsafe fn proxy_async_shared_cta() {
        // SAFETY: (1).
        unsafe { core::arch::asm!("fence.proxy.async.shared::cta;", options(nostack, preserves_flags)) }
    }

    /// `fence.proxy.async;` — orders this thread's accesses to any memory with those of bulk
    /// copies.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. None: a fence only orders.
    #[doc(alias = "fence_proxy_async")]
    pub unsafe fn proxy_async() {
        // SAFETY: (1).
        unsafe { core::arch::asm!("fence.proxy.async;", options(nostack, preserves_flags)) }
    }

    /// `fence.mbarrier_init.release.cluster;` — shows this thread's barrier initialisations to the
    /// cluster, when the cluster's barrier follows.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. None: a fence only orders.
    #[doc(alias = "fence_mbarrier_init")]
    #[doc(alias = "fence_barrier_init")]
    pub unsafe fn mbarrier_init_release_cluster() {
        // SAFETY: (1).
        unsafe { core::arch::asm!("fence.mbarrier_init.release.cluster;", options(nostack, preserves_flags)) }
    }

    /// `fence.proxy.tensormap::generic.acquire.sys [map], 128;`
    ///
    /// # Safety
    /// 1. `map` points to 128 bytes.
    pub unsafe fn proxy_tensormap_acquire_sys(map: *const tensor_map::TensorMap) {
        // SAFETY: (1).
        unsafe { core::arch::asm!("fence.proxy.tensormap::generic.acquire.sys [{map}], 128;", map = in(reg64) map, options(nostack, preserves_flags)) }
    }
}
