//! `cvta`, addresses between state spaces. PTX ISA 9.7.9.20.

use super::operand::ClusterPtr;

/// `cvta.shared.u64 generic, address;` — the generic address of a byte in shared memory.
#[doc(alias = "__cvta_shared_to_generic")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn shared(address: u32) -> *mut u8 {
    let generic;
    // SAFETY: an address is only converted. The result depends on the operand alone and no memory is touched.
    unsafe {
        core::arch::asm!(
            "cvta.shared.u64 {generic}, {address};",
            generic = out(reg64) generic, address = in(reg64) u64::from(address),
            options(pure, nomem, nostack, preserves_flags),
        )
    }
    generic
}

/// `cvta.to.shared::cluster.u64 address, generic;` — where a generic address is in the shared window.
///
/// # Safety
/// 1. `generic` is in the shared memory of a block of the cluster.
#[doc(alias = "__cvta_generic_to_shared")]
#[device_fn(isa = "7.8", arch = sm_90)]
pub unsafe fn to_shared_cluster<T>(generic: *mut T) -> ClusterPtr<T> {
    let address: u64;
    // SAFETY: the address is in the window of shared memory that is converted (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("cvta.to.shared::cluster.u64" " {address}, {generic};"; address = out(reg64) address,
                generic = in(reg64) generic)
        }
    }
    ClusterPtr::from_address(address as u32)
}
