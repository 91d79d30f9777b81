//! `vote.sync`, predicates of all lanes. PTX ISA 9.7.13.9.

/// `vote.sync.ballot.b32 result, predicate, members;` — a bit per lane.
///
/// # Safety
/// 1. Every lane of `members` that has not left reaches this same call with this mask, and the
///    calling lane is one of them.
#[doc(alias = "__ballot_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn ballot(members: u32, predicate: bool) -> u32 {
    // SAFETY: every lane of the mask takes part, this one among them (1).
    unsafe { crate::ptx::intrinsics::vote_sync_ballot(members, predicate) }
}

/// `vote.sync.all.pred result, predicate, members;` — true if the predicate holds in all lanes.
///
/// # Safety
/// The conditions of [`ballot`].
#[doc(alias = "__all_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn all(members: u32, predicate: bool) -> bool {
    // SAFETY: every lane of the mask takes part, this one among them (1 of `ballot`).
    unsafe { crate::ptx::intrinsics::vote_sync_all(members, predicate) }
}

/// `vote.sync.any.pred result, predicate, members;` — true if the predicate holds in any lane.
///
/// # Safety
/// The conditions of [`ballot`].
#[doc(alias = "__any_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn any(members: u32, predicate: bool) -> bool {
    // SAFETY: every lane of the mask takes part, this one among them (1 of `ballot`).
    unsafe { crate::ptx::intrinsics::vote_sync_any(members, predicate) }
}
