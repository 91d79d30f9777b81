//! `cp.async.bulk.prefetch`, contiguous bytes brought to the L2 cache. PTX ISA 9.7.9.25.4.3.

/// Prefetches with a cache policy or without.
macro_rules! prefetches {
    ($($name:ident $([.cache_hint $policy:ident])?;)+) => { device_fn! {$(
        #[doc = concat!("`cp.async.bulk.prefetch.L2.global" $(, prefetches!(@cache_hint $policy))?, " [src], bytes"
            $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// May bring bytes of global memory to the L2 cache.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        isa "8.0" on sm_90;
        /// # Safety
        /// 1. `src` is a multiple of 16, and so is `bytes`.
        /// 2. `src` points to `bytes` bytes of global memory.
        #[doc(alias = "cp_async_bulk_prefetch_L2")]
        pub unsafe fn $name(src: *const u8, bytes: u32) ($($policy: u64)?) {
            // SAFETY: (1) and (2) are the caller's.
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk.prefetch.L2.global" " [{src}], {bytes}"; src = in(reg64) src,
                        bytes = in(reg32) bytes)
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    ("" ";")
                }
            }
        }
    )+} };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
}

prefetches! {
    l2_global;
    l2_global_cache_hint [.cache_hint policy];
}
