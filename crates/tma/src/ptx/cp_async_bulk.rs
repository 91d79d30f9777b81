//! `cp.async.bulk`, copies of contiguous bytes, and bulk groups. PTX ISA 9.7.9.25.4 and
//! 9.7.9.27.2.
//!
//! Addresses and sizes are multiples of 16 bytes.

use super::mbarrier::Mbarrier;
use crate::SharedPtr;

device_fn! {
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];`
    ///
    /// Starts a copy into this block's shared memory; the bytes are counted at the barrier as they
    /// arrive.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
    /// 2. `src` points to `bytes` bytes of global memory that nobody writes until the copy ends.
    /// 3. `dst` has room for `bytes` bytes in this block's shared memory; nobody uses them until
    ///    the barrier's phase completes, and earlier writes to them went before through a
    ///    `fence.proxy.async`.
    /// 4. `bar` is an initialised barrier of this block whose current phase expects the bytes.
    #[doc(alias = "cp_async_bulk_global_to_shared")]
    #[doc(alias = "memcpy_async_tx")]
    pub unsafe fn shared_cluster_global(
        dst: SharedPtr<u8>, src: *const u8, bytes: u32, bar: SharedPtr<Mbarrier>
    ) {
        // SAFETY: (1) to (4) are the caller's.
        unsafe {
            core::arch::asm!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{dst}], [{src}], {bytes}, [{bar}];",
                dst = in(reg32) dst.address(), src = in(reg64) src, bytes = in(reg32) bytes,
                bar = in(reg32) bar.address(),
                options(nostack, preserves_flags),
            )
        }
    }

    /// `cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;`
    ///
    /// Starts a copy from this block's shared memory; it joins the thread's next bulk group.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
    /// 2. `src` has `bytes` bytes in this block's shared memory that nobody writes until the group
    ///    has been read; earlier writes to them went before through a `fence.proxy.async` in the
    ///    writing thread.
    /// 3. `dst` points to `bytes` bytes of global memory that nobody uses until the group ends.
    /// 4. The block stays until the group has been read.
    #[doc(alias = "cp_async_bulk_shared_to_global")]
    pub unsafe fn global_shared_cta(dst: *mut u8, src: SharedPtr<u8>, bytes: u32) {
        // SAFETY: (1) to (4) are the caller's.
        unsafe {
            core::arch::asm!(
                "cp.async.bulk.global.shared::cta.bulk_group [{dst}], [{src}], {bytes};",
                dst = in(reg64) dst, src = in(reg32) src.address(), bytes = in(reg32) bytes,
                options(nostack, preserves_flags),
            )
        }
    }

    /// `cp.async.bulk.commit_group;`
    ///
    /// Makes a group of this thread's bulk copies since the last one.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. None: the group belongs to this thread.
    #[doc(alias = "cp_async_bulk_commit_group")]
    pub unsafe fn commit_group() {
        // SAFETY: (1).
        unsafe {
            core::arch::asm!("cp.async.bulk.commit_group;", options(nostack, preserves_flags))
        }
    }

    /// `cp.async.bulk.wait_group PENDING;`
    ///
    /// Waits until at most `PENDING` of this thread's groups are unfinished; their writes are
    /// visible to it.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. None: the groups belong to this thread.
    #[doc(alias = "cp_async_bulk_wait_group")]
    pub unsafe fn wait_group<const PENDING: u32>() {
        // SAFETY: (1).
        unsafe {
            core::arch::asm!(
                "cp.async.bulk.wait_group {pending};",
                pending = const PENDING,
                options(nostack, preserves_flags),
            )
        }
    }

    /// `cp.async.bulk.wait_group.read PENDING;`
    ///
    /// Waits until all but `PENDING` of this thread's groups have read their sources, which may
    /// then be written again.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. None: the groups belong to this thread.
    #[doc(alias = "cp_async_bulk_wait_group_read")]
    pub unsafe fn wait_group_read<const PENDING: u32>() {
        // SAFETY: (1).
        unsafe {
            core::arch::asm!(
                "cp.async.bulk.wait_group.read {pending};",
                pending = const PENDING,
                options(nostack, preserves_flags),
            )
        }
    }
}
