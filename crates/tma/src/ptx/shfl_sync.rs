//! `shfl.sync`, values between lanes. PTX ISA 9.7.9.6.

/// The whole warp is one segment, and an index past its end stays at lane 31.
#[cfg(target_arch = "nvptx64")]
const CLAMP_LAST: u32 = 31;
/// The whole warp is one segment, and an index before its start stays at lane 0.
#[cfg(target_arch = "nvptx64")]
const CLAMP_FIRST: u32 = 0;

/// `shfl.sync.idx.b32 result, value, lane, 31, members;` — the value of lane `lane`.
///
/// # Safety
/// 1. Every lane of `members` that has not left reaches this same call with this mask; the
///    calling lane and `lane` are among them.
#[doc(alias = "__shfl_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn idx(members: u32, value: u32, lane: u32) -> u32 {
    // SAFETY: every lane of the mask takes part, this one and the source lane among them (1).
    unsafe { crate::ptx::intrinsics::shfl_sync_idx(members, value, lane, CLAMP_LAST) }
}

/// `shfl.sync.up.b32 result, value, delta, 0, members;` — the value of the lane `delta` below.
///
/// # Safety
/// The conditions of [`idx`].
#[doc(alias = "__shfl_up_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn up(members: u32, value: u32, delta: u32) -> u32 {
    // SAFETY: every lane of the mask takes part, this one and the source lane among them (1 of `idx`).
    unsafe { crate::ptx::intrinsics::shfl_sync_up(members, value, delta, CLAMP_FIRST) }
}

/// `shfl.sync.down.b32 result, value, delta, 31, members;` — the value of the lane `delta`
/// above.
///
/// # Safety
/// The conditions of [`idx`].
#[doc(alias = "__shfl_down_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn down(members: u32, value: u32, delta: u32) -> u32 {
    // SAFETY: every lane of the mask takes part, this one and the source lane among them (1 of `idx`).
    unsafe { crate::ptx::intrinsics::shfl_sync_down(members, value, delta, CLAMP_LAST) }
}

/// `shfl.sync.bfly.b32 result, value, lane_mask, 31, members;` — the value of the lane at this
/// lane's number XOR `lane_mask`.
///
/// # Safety
/// The conditions of [`idx`].
#[doc(alias = "__shfl_xor_sync")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn bfly(members: u32, value: u32, lane_mask: u32) -> u32 {
    // SAFETY: every lane of the mask takes part, this one and the source lane among them (1 of `idx`).
    unsafe { crate::ptx::intrinsics::shfl_sync_bfly(members, value, lane_mask, CLAMP_LAST) }
}
