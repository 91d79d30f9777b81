//! `elect.sync`, one lane of a warp. PTX ISA 9.7.13.14.

/// `elect.sync leader|predicate, members;` — the lane that is chosen, and whether it is this
/// one.
///
/// # Safety
/// 1. Every lane of `members` reaches this same call with this mask, and the calling lane is one
///    of them.
#[doc(alias = "elect_sync")]
#[device_fn(isa = "8.0", arch = sm_90)]
pub unsafe fn elect(members: u32) -> (u32, bool) {
    // SAFETY: every lane of the mask takes part, this one among them (1).
    unsafe { crate::ptx::intrinsics::elect_sync(members) }
}
