//! `mapa`, the same variable in the shared memory of another block of the cluster.
//! PTX ISA 9.7.9.23.

use super::operand::{ClusterPtr, SharedPtr};

/// `mapa.shared::cluster.u32 mapped, address, rank;`
///
/// The address in block `rank` of the cluster that corresponds to `address` in this block.
///
/// # Safety
/// 1. `rank` is below the blocks of the cluster.
#[doc(alias = "map_shared_rank")]
#[doc(alias = "__cluster_map_shared_rank")]
#[device_fn(isa = "7.8", arch = sm_90)]
pub unsafe fn shared_cluster_u32<T>(address: SharedPtr<T>, rank: u32) -> ClusterPtr<T> {
    let mapped;
    // SAFETY: the cluster has a block of this rank (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("mapa.shared::cluster.u32" " {mapped}, {address}, {rank};"; mapped = out(reg32) mapped,
                address = in(reg32) address.address(), rank = in(reg32) rank)
        }
    }
    ClusterPtr::from_address(mapped)
}

/// The other forms, which take the address as a number.
macro_rules! maps {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal, $type:ty, $class:ident;)+) => { $(
        #[doc = concat!("`", $mnemonic, " mapped, address, rank;`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `address` is in this block's shared memory.
        /// 2. `rank` is below the blocks of the cluster.
        #[device_fn(isa = "7.8", arch = sm_90)]
        pub unsafe fn $name(address: $type, rank: u32) -> $type {
            let mapped;
            // SAFETY: the address is shared (1), and the cluster has a block of this rank (2). No memory is touched.
            unsafe {
                ptx_asm! { [pure nomem]
                    ($mnemonic " {mapped}, {address}, {rank};"; mapped = out($class) mapped,
                        address = in($class) address, rank = in(reg32) rank)
                }
            }
            mapped
        }
    )+ };
}

maps! {
    /// Takes an address in the shared window, in 64 bits.
    shared_cluster_u64 = "mapa.shared::cluster.u64", u64, reg64;
    /// Takes a generic address, in 32 bits.
    generic_u32 = "mapa.u32", u32, reg32;
    /// Takes a generic address, and returns one of the other block.
    #[doc(alias = "map_shared_rank")]
    generic_u64 = "mapa.u64", *mut u8, reg64;
}
