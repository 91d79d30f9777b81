//! `isspacep`, whether a generic address is in a state space. PTX ISA 9.7.9.19.

macro_rules! spaces {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal on $arch:ident;)+) => { $(
        #[doc = concat!("`", $mnemonic, " is, address;`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = "7.8", arch = $arch)]
        pub fn $name(address: *const u8) -> bool {
            let is: u32;
            // SAFETY: an address is only looked at. No memory is touched.
            unsafe {
                ptx_asm! { [pure nomem]
                    ("{{ .reg .pred p; ") ($mnemonic " p, {address}; selp.b32 {is}, 1, 0, p; }}";
                        address = in(reg64) address, is = out(reg32) is)
                }
            }
            is != 0
        }
    )+ };
}

spaces! {
    /// Returns whether a generic address is in this block's shared memory.
    #[doc(alias = "__isShared")]
    shared_cta = "isspacep.shared::cta" on sm_80;
    /// Returns whether a generic address is in the shared memory of a block of the cluster.
    #[doc(alias = "__isClusterShared")]
    shared_cluster = "isspacep.shared::cluster" on sm_90;
}
