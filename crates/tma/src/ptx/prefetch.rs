//! `prefetch`, a cache line or a tensor map brought nearer. PTX ISA 9.7.9.15.
//!
//! `SPACE` follows from the type of the address: `.global`, or empty for a raw pointer.

use tensor_map::TensorMap;

use super::operand::address::GlobalAddress;

/// Prefetches of a line of memory. Brackets contain the condition on the address.
macro_rules! lines {
    ($($(#[$attribute:meta])* $name:ident = $level:literal isa $isa:literal;)+) => { $(
        #[doc = concat!("`prefetch.SPACE", $level, " [address];`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `address` is in memory that this thread may read.
        #[device_fn(isa = $isa, arch = sm_80)]
        pub unsafe fn $name<T>(address: impl GlobalAddress<T>) {
            // SAFETY: this thread may read the prefetched line (1).
            unsafe { ptx_asm! { [] ("prefetch") { space address } ($level " [{address}];") } }
        }
    )+ };
}

lines! {
    /// Brings the line of `address` to the L1 cache.
    l1 = ".L1" isa "7.0";
    /// Brings the line of `address` to the L2 cache.
    #[doc(alias = "__prefetch_global_l2")]
    l2 = ".L2" isa "7.0";
}

/// Prefetches with one kind of address.
macro_rules! others {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal, $type:ty, $condition:literal
        isa $isa:literal on $arch:ident;)+) => { $(
        #[doc = concat!("`", $mnemonic, " [address];`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        #[doc = concat!("1. `address` ", $condition)]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name(address: $type) {
            // SAFETY: the address is in the state space of this form (1).
            unsafe { ptx_asm! { [] ($mnemonic " [{address}];"; address = in(reg64) address) } }
        }
    )+ };
}

others! {
    /// Brings the line of `address` to the L2 cache, to go after others.
    global_l2_evict_last = "prefetch.global.L2::evict_last", *const u8, "is in global memory." isa "7.4" on sm_80;
    /// Brings the line of `address` to the L2 cache, to go in its turn.
    global_l2_evict_normal = "prefetch.global.L2::evict_normal", *const u8, "is in global memory."
        isa "7.4" on sm_80;
    /// Brings the 32 bytes of `address` to the L1 cache.
    #[doc(alias = "prefetch_L1_32B")]
    global_l1_32b_valid_addr = "prefetch.global.L1::32B.valid_addr", *const u8,
        "points to global memory that this thread may read." isa "9.4" on sm_90;
    /// Brings the line of `address` to the uniform cache.
    prefetchu_l1 = "prefetchu.L1", *const u8, "is in memory that this thread may read." isa "7.0" on sm_80;
    /// Brings a tensor map nearer for copies that use it.
    #[doc(alias = "prefetch_tensormap")]
    tensormap = "prefetch.tensormap", *const TensorMap,
        "points to a tensor map in parameter, constant or global memory." isa "8.0" on sm_90;
    /// Brings a tensor map nearer for copies that use it.
    const_tensormap = "prefetch.const.tensormap", u64, "is the address of a tensor map in the space `.const`."
        isa "8.0" on sm_90;
    /// Brings a tensor map nearer for copies that use it.
    param_tensormap = "prefetch.param.tensormap", u64, "is the address of a tensor map in the space `.param`."
        isa "8.0" on sm_90;
}
