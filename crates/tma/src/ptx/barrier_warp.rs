//! `bar.warp.sync`, the barrier of a warp. PTX ISA 9.7.13.2.

/// `bar.warp.sync members;` — waits for the lanes of the mask.
///
/// # Safety
/// 1. Every lane of `members` that has not left reaches a call with this mask, and the calling
///    lane is one of them.
#[doc(alias = "__syncwarp")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn sync(members: u32) {
    // SAFETY: every lane of the mask takes part, this one among them (1).
    unsafe { crate::ptx::intrinsics::bar_warp_sync(members) }
}
