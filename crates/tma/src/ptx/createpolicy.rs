//! `createpolicy`, cache policies for instructions with `.L2::cache_hint`. PTX ISA 9.7.9.18.
//!
//! A policy states which lines go before others when the L2 cache is full: `P` for the lines that it
//! chooses, `Q` for the others. A form without a second priority is the one with
//! `.L2::evict_unchanged`.

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::{PrimaryPriority, SecondaryPriority};

/// Spells both priorities between a kind of policy and its operands.
#[cfg(target_arch = "nvptx64")]
macro_rules! policy {
    ($primary:ident, $secondary:ident; $($piece:tt)+) => {
        ptx_asm! { [pure nomem]
            $($piece)+
            { $primary::WORD; Word::EvictLast => (".L2::evict_last"), Word::EvictNormal => (".L2::evict_normal"),
                Word::EvictFirst => (".L2::evict_first"), Word::EvictUnchanged => (".L2::evict_unchanged"),
                _ => never }
            { $secondary::WORD; Word::EvictFirst => (".L2::evict_first"),
                Word::EvictUnchanged => (".L2::evict_unchanged"), _ => never }
            (".b64")
        }
    };
}

/// `createpolicy.fractional.P.Q.b64 policy, fraction;`
///
/// A policy with priority `P` for this fraction of the accesses, and `Q` for the others. The manual does not define
/// which accesses these are.
///
/// # Safety
/// 1. `fraction` is above 0 and at most 1.
#[doc(alias = "cuda::access_property")]
#[device_fn(isa = "7.4", arch = sm_80)]
pub unsafe fn fractional<P: PrimaryPriority, Q: SecondaryPriority>(fraction: f32) -> u64 {
    let policy;
    // SAFETY: the fraction is in the range of the instruction (1). No memory is touched.
    unsafe {
        policy! { P, Q;
        ("createpolicy.fractional" " {policy}, {fraction};"; policy = out(reg64) policy,
            fraction = in(reg32) fraction) }
    }
    policy
}

/// `createpolicy.range.global.P.Q.b64 policy, [address], primary_bytes, total_bytes;`
///
/// A policy with priority `P` for the `primary_bytes` bytes from `address` on, and `Q` for the bytes before and
/// after them, `total_bytes` from the one or to the other end.
///
/// # Safety
/// 1. `address` is in global memory.
/// 2. `primary_bytes` is at most `total_bytes`.
#[doc(alias = "cuda::access_property")]
#[device_fn(isa = "7.4", arch = sm_80)]
pub unsafe fn range_global<P: PrimaryPriority, Q: SecondaryPriority>(
    address: *const u8,
    primary_bytes: u32,
    total_bytes: u32,
) -> u64 {
    let policy;
    // SAFETY: the address is global (1), and the first range is within the whole (2). No memory is touched.
    unsafe {
        policy! { P, Q;
        ("createpolicy.range.global" " {policy}, [{address}], {primary_bytes}, {total_bytes};";
            policy = out(reg64) policy, address = in(reg64) address,
            primary_bytes = in(reg32) primary_bytes, total_bytes = in(reg32) total_bytes) }
    }
    policy
}

/// `createpolicy.cvt.L2.b64 policy, property;`
///
/// The policy of an access property of the CUDA runtime.
///
/// # Safety
/// 1. `property` comes from the CUDA runtime.
#[device_fn(isa = "7.4", arch = sm_80)]
pub unsafe fn cvt_l2(property: u64) -> u64 {
    let policy;
    // SAFETY: the property has the runtime's encoding, which is the one converted (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("createpolicy.cvt.L2.b64" " {policy}, {property};"; policy = out(reg64) policy,
                property = in(reg64) property)
        }
    }
    policy
}
