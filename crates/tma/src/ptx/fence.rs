//! `fence`, the order of memory accesses, and of accesses by different proxies. PTX ISA 9.7.13.4.
//!
//! `membar.proxy` is the older name of `fence.proxy`; `fence` without semantics is `fence.acq_rel`.

use tensor_map::TensorMap;

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::{FenceSem, Scope};

/// `fence.S.C;`
///
/// Orders this thread's accesses before it with those after it, as seen by the threads in scope.
#[doc(alias = "__threadfence")]
#[doc(alias = "fence_sc")]
#[doc(alias = "fence_acq_rel")]
#[doc(alias = "fence_acquire")]
#[doc(alias = "fence_release")]
#[device_fn(isa = "7.0, with `Cluster` 7.8, with `Acquire` or `Release` 8.6", arch = sm_90)]
pub fn fence<S: FenceSem, C: Scope>() {
    // SAFETY: a fence orders accesses and makes none.
    unsafe {
        ptx_asm! { []
            { S::WORD; Word::Sc => ("fence.sc"), Word::AcqRel => ("fence.acq_rel"),
                Word::Acquire => ("fence.acquire"), Word::Release => ("fence.release"), _ => never }
            { scope C } (";")
        }
    }
}

/// `fence.proxy.tensormap::generic.release.C;`
///
/// This thread's earlier writes to a tensor map through ordinary stores are seen by those in scope
/// that acquire it for copies.
#[doc(alias = "fence_proxy_tensormap_generic")]
#[device_fn(isa = "8.3", arch = sm_90)]
pub fn proxy_tensormap_generic_release<C: Scope>() {
    // SAFETY: a fence orders accesses and makes none.
    unsafe {
        ptx_asm! { [] ("fence.proxy.tensormap::generic.release") { scope C } (";") }
    }
}

/// `fence.proxy.tensormap::generic.acquire.C [map], 128;`
///
/// Later copies by this thread use `map` as it was released.
///
/// # Safety
/// 1. `map` points to a tensor map in global memory.
#[doc(alias = "fence_proxy_tensormap_generic")]
#[device_fn(isa = "8.3", arch = sm_90)]
pub unsafe fn proxy_tensormap_generic_acquire<C: Scope>(map: *const TensorMap) {
    // SAFETY: the 128 bytes that are acquired are a tensor map in global memory (1).
    unsafe {
        ptx_asm! { []
            ("fence.proxy.tensormap::generic.acquire") { scope C } ("" " [{map}], 128;"; map = in(reg64) map)
        }
    }
}

/// Fences without operands.
macro_rules! fences {
    ($($(#[$attribute:meta])* $name:ident = $text:literal isa $isa:literal on $arch:ident;)+) => { $(
        #[doc = concat!("`", $text, "`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = $isa, arch = $arch)]
        pub fn $name() {
            // SAFETY: a fence orders accesses and makes none.
            unsafe { ptx_asm! { [] ($text) } }
        }
    )+ };
}

fences! {
    /// Orders this thread's accesses to shared memory of this block with the accesses of bulk copies.
    #[doc(alias("fence_proxy_async", "fence_proxy_async_shared_cta"))]
    proxy_async_shared_cta = "fence.proxy.async.shared::cta;" isa "8.0" on sm_90;
    /// Orders this thread's accesses to shared memory of the cluster with the accesses of bulk copies.
    #[doc(alias = "fence_proxy_async")]
    proxy_async_shared_cluster = "fence.proxy.async.shared::cluster;" isa "8.0" on sm_90;
    /// Orders this thread's accesses to global memory with the accesses of bulk copies.
    #[doc(alias = "fence_proxy_async")]
    proxy_async_global = "fence.proxy.async.global;" isa "8.0" on sm_90;
    /// Orders this thread's accesses to any memory with the accesses of bulk copies.
    #[doc(alias = "fence_proxy_async")]
    proxy_async = "fence.proxy.async;" isa "8.0" on sm_90;
    /// Orders this thread's accesses to the same memory through different virtual addresses.
    #[doc(alias = "fence_proxy_alias")]
    proxy_alias = "fence.proxy.alias;" isa "7.5" on sm_80;
    /// Shows this thread's barrier initialisations to the cluster, when the cluster's barrier follows.
    #[doc(alias = "fence_mbarrier_init")]
    #[doc(alias = "fence_barrier_init")]
    mbarrier_init_release_cluster = "fence.mbarrier_init.release.cluster;" isa "8.0" on sm_90;
    /// Acquires releases to this thread in shared memory of the cluster, and no other accesses.
    #[doc(alias = "fence_acquire_sync_restrict")]
    acquire_sync_restrict_shared_cluster_cluster =
        "fence.acquire.sync_restrict::shared::cluster.cluster;" isa "8.6" on sm_90;
    /// Releases this thread's writes to shared memory of its block to the cluster, and no other accesses.
    #[doc(alias = "fence_release_sync_restrict")]
    release_sync_restrict_shared_cta_cluster =
        "fence.release.sync_restrict::shared::cta.cluster;" isa "8.6" on sm_90;
    /// Acquires releases to this thread in shared memory of the cluster, for later accesses of
    /// bulk copies.
    #[doc(alias = "fence_proxy_async_generic_sync_restrict")]
    proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster =
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" isa "8.6" on sm_90;
    /// Releases writes of bulk copies and of this thread to shared memory of its block, to the cluster.
    #[doc(alias = "fence_proxy_async_generic_sync_restrict")]
    proxy_async_generic_release_sync_restrict_shared_cta_cluster =
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" isa "8.6" on sm_90;
    /// Releases this thread's reads of shared memory of the cluster, so that bulk copies that come after
    /// the other side's acquire may write there. Threads that synchronise with the other side later are not ordered.
    #[doc(alias = "fence_proxy_async_generic_sync_restrict")]
    proxy_async_generic_release_sync_restrict_shared_cluster_read_cluster =
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;" isa "9.4" on sm_90;
    /// Same as [`proxy_async_generic_release_sync_restrict_shared_cluster_read_cluster`], to this block.
    #[doc(alias = "fence_proxy_async_generic_sync_restrict")]
    proxy_async_generic_release_sync_restrict_shared_cluster_read_cta =
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cta;" isa "9.4" on sm_90;
    /// Acquires releases to this thread through another virtual address of the same memory.
    #[doc(alias = "fence_proxy_alias")]
    proxy_alias_acquire_sys = "fence.proxy.alias.acquire.sys;" isa "9.4" on sm_90;
    /// Releases this thread's accesses to threads that use another virtual address of the same memory.
    #[doc(alias = "fence_proxy_alias")]
    proxy_alias_release_sys = "fence.proxy.alias.release.sys;" isa "9.4" on sm_90;
    /// Releases this thread's reads to threads that use another virtual address of the same memory.
    alias_sync_restrict_read_release_sys = "fence.alias.sync_restrict::read.release.sys;" isa "9.5" on sm_90;
}
