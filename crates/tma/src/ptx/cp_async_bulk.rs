//! `cp.async.bulk`, copies of contiguous bytes, and bulk groups. PTX ISA 9.7.9.25.4.1 and
//! 9.7.9.27.2.
//!
//! Addresses and sizes are multiples of 16 bytes. A destination and its barrier are in the same
//! block.

#[cfg(target_arch = "nvptx64")]
use super::operand::address::Address;
use super::operand::{SharedPtr, address::SharedClusterAddress};
use super::{MbarrierScope, Report, Scope, mbarrier::Mbarrier};

/// Copies from global to shared memory. A row has the optional parts of the instruction in brackets: the scope of
/// strong accesses, the report to the barrier, a mask of blocks, a cache policy, bytes at both ends
/// that may be out of bounds.
macro_rules! loads {
    ($($name:ident $space:tt $([.relaxed $type:literal $scope:ident])? $([.report $report:ident])?
        $([.multicast $width:literal $mask:ident: $mask_type:ty, $class:ident])? $([.cache_hint $policy:ident])?
        $([$ignore_oob:literal $left:ident $right:ident])? $isa:literal $arch:ident $([$never:ident])?;)+) => {
    $(
        #[doc = concat!("`cp.async.bulk" $(, ".relaxed.", stringify!($scope))?, $space,
            ".global.mbarrier::complete_tx::bytes" $(, ".mbarrier::report::", stringify!($report))?
            $(, ".multicast::cluster", $width)? $(, loads!(@cache_hint $policy))? $(, $ignore_oob)?
            $(, $type)?, " [dst], [src], bytes"
            $(, ", ", stringify!($left), ", ", stringify!($right))?, ", [bar]" $(, ", ", stringify!($mask))?
            $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// Starts a copy into shared memory; the bytes are counted at the barrier as they arrive.
        $(#[doc = concat!("The copy accesses memory by strong operations of 16 bytes, which threads in `",
            stringify!($scope), "` see whole.")])?
        $(#[doc = concat!("The barrier reports bytes that match `", stringify!($report), "`.")])?
        $(#[doc = concat!("Every block of the cluster whose bit is in `", stringify!($mask),
            "` gets the bytes at the offset of `dst`, and its barrier at the offset of `bar` counts them.")])?
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        $(#[doc = concat!("The first `", stringify!($left), "` bytes and the last `", stringify!($right),
            "` may be outside of the allocation; their copies are undefined.")])?
        ///
        /// # Safety
        /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
        /// 2. `src` points to `bytes` bytes of global memory that no thread writes until the copy ends. Earlier writes
        ///    to them in this kernel went before through a `fence.proxy.async`, too.
        /// 3. `dst` has room for `bytes` bytes in shared memory. No thread uses them until the barrier's phase
        ///    completes, and earlier writes to them went before through a `fence.proxy.async`.
        /// 4. `bar` is an initialised barrier of the same block with a current phase that expects the bytes.
        $(#[doc = concat!("5. (3) and (4) hold in every block of the cluster whose bit is in `", stringify!($mask),
            "`, and none of them has ended.")])?
        $(#[doc = concat!("5. `", stringify!($left), "` and `", stringify!($right), "` are below 16; (2) holds of \
            the bytes between.")])?
        $(#[doc = concat!("5. The barrier has the layout v1, for `", stringify!($report), "` to be reported.")])?
        #[doc(alias = "cp_async_bulk")]
        #[doc(alias = "cp_async_bulk_global_to_shared")]
        #[doc(alias = "memcpy_async_tx")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$($scope: Scope,)? $($report: Report,)? $($never,)?>(
            dst: loads!(@address $space u8), src: *const u8, bytes: u32, $($left: u32, $right: u32,)?
            bar: loads!(@address $space Mbarrier), $($mask: $mask_type,)? $($policy: u64,)?
        ) {
            // SAFETY: addresses and size are aligned (1), no other access races at either end (2, 3), and the barrier
            // counts its bytes (4); (5) is required of the operands that only this form has.
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk") $((".relaxed") { scope $scope })? ($space)
                    (".global.mbarrier::complete_tx::bytes" " [{dst}], [{src}], {bytes}";
                        dst = in(reg32) dst.address32(), src = in(reg64) src, bytes = in(reg32) bytes)
                    $(("" ", {left}, {right}"; left = in(reg32) $left, right = in(reg32) $right))?
                    ("" ", [{bar}]"; bar = in(reg32) bar.address32())
                    $({ report $report })?
                    $((".multicast::cluster") ($width ", {mask}"; mask = in($class) $mask))?
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    $(($ignore_oob))? $(($type))?
                    ("" ";")
                }
            }
        }
    )+ };
    (@address ".shared::cluster" $type:ident) => { impl SharedClusterAddress<$type> };
    (@address ".shared::cta" $type:ident) => { SharedPtr<$type> };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
}

loads! {
    shared_cluster_global ".shared::cluster" "8.0" sm_90;
    shared_cluster_global_cache_hint ".shared::cluster" [.cache_hint policy] "8.0" sm_90;
    shared_cluster_global_multicast ".shared::cluster" [.multicast "" mask: u16, reg16] "8.0" sm_90;
    shared_cluster_global_multicast_cache_hint ".shared::cluster" [.multicast "" mask: u16, reg16]
        [.cache_hint policy] "8.0" sm_90;
    shared_cluster_global_multicast_32b ".shared::cluster" [.multicast "::32b" mask: u32, reg32] "9.4" sm_107a [T];
    shared_cluster_global_multicast_32b_cache_hint ".shared::cluster" [.multicast "::32b" mask: u32, reg32]
        [.cache_hint policy] "9.4" sm_107a [T];
    shared_cluster_global_report ".shared::cluster" [.report R] "9.4" sm_107a;
    shared_cta_global ".shared::cta" "8.6" sm_90;
    shared_cta_global_cache_hint ".shared::cta" [.cache_hint policy] "8.6" sm_90;
    shared_cta_global_ignore_oob ".shared::cta" [".ignore_oob" left right] "9.2" sm_90;
    shared_cta_global_cache_hint_ignore_oob ".shared::cta" [.cache_hint policy] [".ignore_oob" left right]
        "9.2" sm_90;
    shared_cta_global_report ".shared::cta" [.report R] "9.4" sm_107a;
    relaxed_shared_cta_global ".shared::cta" [.relaxed ".b128" C] "9.3" sm_90;
    relaxed_shared_cta_global_cache_hint ".shared::cta" [.relaxed ".b128" C] [.cache_hint policy] "9.3" sm_90;
    relaxed_shared_cluster_global ".shared::cluster" [.relaxed ".b128" C] "9.3" sm_90a_or_sm_100a;
    relaxed_shared_cluster_global_cache_hint ".shared::cluster" [.relaxed ".b128" C] [.cache_hint policy]
        "9.3" sm_90a_or_sm_100a;
    relaxed_shared_cluster_global_multicast ".shared::cluster" [.relaxed ".b128" C] [.multicast "" mask: u16, reg16]
        "9.3" sm_90a_or_sm_100a;
    relaxed_shared_cluster_global_multicast_cache_hint ".shared::cluster" [.relaxed ".b128" C]
        [.multicast "" mask: u16, reg16] [.cache_hint policy] "9.3" sm_90a_or_sm_100a;
}

/// Copies from shared to global memory. A row has the optional parts of the instruction in brackets: the scope of
/// strong accesses, a cache policy, a mask of bytes.
macro_rules! stores {
    ($($name:ident $([$generic:ident])? ($dst:ty, $src:ty) $([.relaxed $type:literal $scope:ident])?
        $([.cache_hint $policy:ident])? $([.cp_mask $byte_mask:ident])? $isa:literal $arch:ident;)+) => { $(
        #[doc = concat!("`cp.async.bulk" $(, ".relaxed.", stringify!($scope))?, ".global.shared::cta.bulk_group"
            $(, loads!(@cache_hint $policy))? $(, stores!(@cp_mask $byte_mask))? $(, $type)?,
            " [dst], [src], bytes" $(, ", ", stringify!($policy))? $(, ", ", stringify!($byte_mask))?, ";`")]
        ///
        /// Starts a copy from this block's shared memory; it joins the thread's next bulk group.
        $(#[doc = concat!("The copy accesses memory by strong operations of 16 bytes, which threads in `",
            stringify!($scope), "` see whole.")])?
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        $(#[doc = concat!("Only bytes with a bit in `", stringify!($byte_mask), "` are copied, of every 16 bytes.")])?
        ///
        /// # Safety
        /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
        /// 2. `src` has `bytes` bytes in this block's shared memory that no thread writes until the group
        ///    has been read. Earlier writes to them went before through a `fence.proxy.async` in the
        ///    writing thread.
        /// 3. `dst` points to `bytes` bytes of global memory that no thread uses until the group ends. Earlier uses
        ///    of them in this kernel went before through a `fence.proxy.async`, too.
        /// 4. The block stays until the group has been read.
        #[doc(alias = "cp_async_bulk")]
        #[doc(alias = "cp_async_bulk_shared_to_global")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$($generic,)? $($scope: Scope,)?>(
            dst: $dst, src: $src, bytes: u32, $($policy: u64,)? $($byte_mask: u16,)?
        ) {
            // SAFETY: addresses and size are aligned (1), the source keeps its bytes (2, 4), and no thread uses the
            // destination until the group ends (3).
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk") $((".relaxed") { scope $scope })?
                    (".global.shared::cta.bulk_group" " [{dst}], [{src}], {bytes}";
                        dst = in(reg64) dst, src = in(reg32) src.address(), bytes = in(reg32) bytes)
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    $((".cp_mask" ", {byte_mask}"; byte_mask = in(reg16) $byte_mask))?
                    $(($type))?
                    ("" ";")
                }
            }
        }
    )+ };
    (@cp_mask $byte_mask:ident) => { ".cp_mask" };
}

stores! {
    global_shared_cta (*mut u8, SharedPtr<u8>) "8.0" sm_90;
    global_shared_cta_cache_hint (*mut u8, SharedPtr<u8>) [.cache_hint policy] "8.0" sm_90;
    global_shared_cta_cp_mask [T] (*mut T, SharedPtr<T>) [.cp_mask byte_mask] "8.6" sm_100;
    global_shared_cta_cache_hint_cp_mask [T] (*mut T, SharedPtr<T>) [.cache_hint policy] [.cp_mask byte_mask]
        "8.6" sm_100;
    relaxed_global_shared_cta (*mut u8, SharedPtr<u8>) [.relaxed ".b128" C] "9.3" sm_90;
    relaxed_global_shared_cta_cache_hint (*mut u8, SharedPtr<u8>) [.relaxed ".b128" C] [.cache_hint policy] "9.3" sm_90;
    relaxed_global_shared_cta_cp_mask (*mut u8, SharedPtr<u8>) [.relaxed ".b128" C] [.cp_mask byte_mask] "9.3" sm_100;
    relaxed_global_shared_cta_cache_hint_cp_mask (*mut u8, SharedPtr<u8>) [.relaxed ".b128" C] [.cache_hint policy]
        [.cp_mask byte_mask] "9.3" sm_100;
}

/// Copies within shared memory; in brackets the scope of strong accesses.
macro_rules! moves {
    ($($name:ident $([.relaxed $type:literal $scope:ident])? $isa:literal;)+) => { $(
        #[doc = concat!("`cp.async.bulk" $(, ".relaxed.", stringify!($scope))?,
            ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes" $(, $type)?,
            " [dst], [src], bytes, [bar];`")]
        ///
        /// Starts a copy from this block's shared memory to the shared memory of another block of the cluster; the
        /// bytes are counted at that block's barrier as they arrive.
        $(#[doc = concat!("The copy accesses memory by strong operations of 16 bytes, which threads in `",
            stringify!($scope), "` see whole.")])?
        ///
        /// # Safety
        /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
        /// 2. `src` has `bytes` bytes in this block's shared memory that no thread writes until the copy ends.
        ///    Earlier writes to them went before through a `fence.proxy.async` in the writing thread.
        /// 3. `dst` has room for `bytes` bytes in the shared memory of another block of the cluster, which has
        ///    not ended. No thread uses them until the barrier's phase completes, and earlier uses of them went
        ///    before through a `fence.proxy.async`, too.
        /// 4. `bar` is an initialised barrier of that block with a current phase that expects the bytes.
        #[doc(alias = "cp_async_bulk")]
        #[device_fn(isa = $isa, arch = sm_90)]
        pub unsafe fn $name<$($scope: MbarrierScope,)?>(
            dst: impl SharedClusterAddress<u8>, src: SharedPtr<u8>, bytes: u32,
            bar: impl SharedClusterAddress<Mbarrier>
        ) {
            // SAFETY: addresses and size are aligned (1), the source keeps its bytes (2), no thread uses the
            // destination in a live block (3), and its barrier counts the bytes (4).
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk") $((".relaxed") { scope $scope })?
                    (".shared::cluster.shared::cta.mbarrier::complete_tx::bytes" " [{dst}], [{src}], {bytes}, [{bar}];";
                        dst = in(reg32) dst.address32(), src = in(reg32) src.address(), bytes = in(reg32) bytes,
                        bar = in(reg32) bar.address32())
                    $(($type))?
                }
            }
        }
    )+ };
}

moves! {
    shared_cluster_shared_cta "8.0";
    relaxed_shared_cluster_shared_cta [.relaxed ".b128" C] "9.3";
}

/// `cp.async.bulk.commit_group;`
///
/// Makes a group of this thread's bulk copies since the last one.
#[doc(alias = "cp_async_bulk_commit_group")]
#[device_fn(isa = "8.0", arch = sm_90)]
pub fn commit_group() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { [] ("cp.async.bulk.commit_group;") }
    }
}

/// `cp.async.bulk.wait_group PENDING;`
///
/// Waits until at most `PENDING` of this thread's groups are unfinished; their writes are
/// visible to it.
#[doc(alias = "cp_async_bulk_wait_group")]
#[device_fn(isa = "8.0", arch = sm_90)]
pub fn wait_group<const PENDING: u32>() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { [] ("cp.async.bulk.wait_group {pending};" ""; pending = const PENDING) }
    }
}

/// `cp.async.bulk.wait_group.read PENDING;`
///
/// Waits until all but `PENDING` of this thread's groups have read their sources, which may
/// then be written again.
#[doc(alias = "cp_async_bulk_wait_group_read")]
#[device_fn(isa = "8.0", arch = sm_90)]
pub fn wait_group_read<const PENDING: u32>() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { [] ("cp.async.bulk.wait_group.read {pending};" ""; pending = const PENDING) }
    }
}

/// `cp.async.bulk.wait_group.sync_restrict::proxy::async PENDING;`
///
/// Waits until at most `PENDING` of this thread's groups are unfinished; their writes are visible to its
/// later bulk copies alone.
#[doc(alias = "cp_async_bulk_wait_group")]
#[device_fn(isa = "9.5", arch = sm_90)]
pub fn wait_group_sync_restrict_proxy_async<const PENDING: u32>() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { []
            ("cp.async.bulk.wait_group.sync_restrict::proxy::async {pending};" ""; pending = const PENDING)
        }
    }
}
