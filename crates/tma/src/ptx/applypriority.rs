//! `applypriority`, the turn in which cached bytes go. PTX ISA 9.7.9.16.

use crate::address::GlobalAddress;

device_fn! {
    /// `applypriority.SPACE.L2::evict_normal [address], 128;`
    ///
    /// Lets 128 bytes in the L2 cache go in their turn. `SPACE` is `.global`, or nothing for a raw pointer.
    isa "7.4" on sm_80;
    /// # Safety
    /// 1. `address` is a multiple of 128 in global memory.
    pub unsafe fn l2_evict_normal[T](address: impl GlobalAddress<T>) {
        // SAFETY: (1) is the caller's.
        unsafe { ptx_asm! { [] ("applypriority") { space address } (".L2::evict_normal" " [{address}], 128;") } }
    }
}
