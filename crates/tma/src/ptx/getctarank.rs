//! `getctarank`, the block of the cluster that owns an address in shared memory.
//! PTX ISA 9.7.9.24.

use super::operand::address::SharedClusterAddress;

/// `getctarank.shared::cluster.u32 rank, address;`
///
/// The number, in its cluster, of the block that owns `address` in its shared memory.
///
/// # Safety
/// 1. `address` is in the shared memory of a block of the cluster.
#[doc(alias = "getctarank")]
#[doc(alias = "query_shared_rank")]
#[device_fn(isa = "7.8", arch = sm_90)]
pub unsafe fn shared_cluster_u32<T>(address: impl SharedClusterAddress<T>) -> u32 {
    let rank;
    // SAFETY: the address belongs to a block of the cluster (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("getctarank.shared::cluster.u32" " {rank}, {address};"; rank = out(reg32) rank,
                address = in(reg32) address.address32())
        }
    }
    rank
}

/// The other forms, which take the address as a number.
macro_rules! ranks {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal, $type:ty, $class:ident;)+) => { $(
        #[doc = concat!("`", $mnemonic, " rank, address;`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `address` is in the shared memory of a block of the cluster.
        #[device_fn(isa = "7.8", arch = sm_90)]
        pub unsafe fn $name(address: $type) -> u32 {
            let rank;
            // SAFETY: the address belongs to a block of the cluster (1). No memory is touched.
            unsafe {
                ptx_asm! { [pure nomem]
                    ($mnemonic " {rank}, {address};"; rank = out(reg32) rank, address = in($class) address)
                }
            }
            rank
        }
    )+ };
}

ranks! {
    /// Takes an address in the shared window, in 64 bits.
    shared_cluster_u64 = "getctarank.shared::cluster.u64", u64, reg64;
    /// Takes a generic address, in 32 bits.
    generic_u32 = "getctarank.u32", u32, reg32;
    /// Takes a generic address, and returns the rank of its block.
    generic_u64 = "getctarank.u64", *const u8, reg64;
}
