//! `cp.async.bulk.prefetch`, contiguous bytes brought to the L2 cache. PTX ISA 9.7.9.25.4.3.

/// Prefetches with a cache policy, with a priority or without; the last one's type parameter is unused.
macro_rules! prefetches {
    ($($name:ident $([$never:ident])? $([.cache_hint $policy:ident])? $([$priority:literal])?
        $isa:literal $arch:ident;)+) => { $(
        #[doc = concat!("`cp.async.bulk.prefetch.L2.global" $(, prefetches!(@cache_hint $policy))? $(, $priority)?,
            " [src], bytes"
            $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// May bring bytes of global memory to the L2 cache.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        ///
        /// # Safety
        /// 1. `src` is a multiple of 16, and so is `bytes`.
        /// 2. `src` points to `bytes` bytes of global memory.
        #[doc(alias = "cp_async_bulk_prefetch_L2")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$($never,)?>(src: *const u8, bytes: u32, $($policy: u64,)?) {
            // SAFETY: address and size are multiples of 16 (1), and the bytes are in global memory (2).
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk.prefetch.L2.global" " [{src}], {bytes}"; src = in(reg64) src,
                        bytes = in(reg32) bytes)
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    $(($priority))?
                    ("" ";")
                }
            }
        }
    )+ };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
}

prefetches! {
    l2_global "8.0" sm_90;
    l2_global_cache_hint [.cache_hint policy] "8.0" sm_90;
    l2_global_evict_last [T] [".L2::evict_last"] "9.4" sm_107a;
}
