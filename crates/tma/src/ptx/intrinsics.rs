//! Barriers and warp collectives as LLVM intrinsics.
//!
//! LLVM knows that they are convergent and never copies one into two arms of a branch; it does
//! copy `asm!`. Where an intrinsic exists, no collective may be written as `asm!`.
//!
//! rust-cuda compiles Hopper's modules for `compute_100`, where libNVVM refuses three of them: there they are `asm!`.

#[cfg(target_feature = "compute_60")]
pub(crate) use crate::ptx::wgmma::rust_cuda::*;

#[cfg(target_arch = "nvptx64")]
#[allow(
    improper_ctypes,
    reason = "pairs and predicates are LLVM values, not C ones"
)]
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    pub(crate) fn barrier_cta_sync_aligned_all(barrier: u32);
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.count"]
    pub(crate) fn barrier_cta_sync_aligned_count(barrier: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cluster.arrive"]
    pub(crate) fn barrier_cluster_arrive();
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.relaxed"]
    pub(crate) fn barrier_cluster_arrive_relaxed();
    #[link_name = "llvm.nvvm.barrier.cluster.wait"]
    pub(crate) fn barrier_cluster_wait();
    #[link_name = "llvm.nvvm.griddepcontrol.wait"]
    pub(crate) fn griddepcontrol_wait();
    #[link_name = "llvm.nvvm.griddepcontrol.launch.dependents"]
    pub(crate) fn griddepcontrol_launch_dependents();
    #[link_name = "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"]
    pub(crate) fn setmaxnreg_inc_sync_aligned(registers: u32);
    #[link_name = "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"]
    pub(crate) fn setmaxnreg_dec_sync_aligned(registers: u32);
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.aligned"]
    pub(crate) fn barrier_cluster_arrive_aligned();
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned"]
    pub(crate) fn barrier_cluster_arrive_relaxed_aligned();
    #[link_name = "llvm.nvvm.barrier.cluster.wait.aligned"]
    pub(crate) fn barrier_cluster_wait_aligned();
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    pub(crate) fn bar_warp_sync(members: u32);
    #[link_name = "llvm.nvvm.elect.sync"]
    pub(crate) fn elect_sync(members: u32) -> (u32, bool);
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    pub(crate) fn shfl_sync_idx(members: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    pub(crate) fn shfl_sync_up(members: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    pub(crate) fn shfl_sync_down(members: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    pub(crate) fn shfl_sync_bfly(members: u32, value: u32, lane_mask: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    pub(crate) fn vote_sync_ballot(members: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    pub(crate) fn vote_sync_all(members: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    pub(crate) fn vote_sync_any(members: u32, predicate: bool) -> bool;
    #[cfg(not(target_feature = "compute_60"))]
    #[link_name = "llvm.nvvm.wgmma.fence.sync.aligned"]
    pub(crate) fn wgmma_fence_sync_aligned();
    #[cfg(not(target_feature = "compute_60"))]
    #[link_name = "llvm.nvvm.wgmma.commit_group.sync.aligned"]
    pub(crate) fn wgmma_commit_group_sync_aligned();
    #[cfg(not(target_feature = "compute_60"))]
    #[link_name = "llvm.nvvm.wgmma.wait_group.sync.aligned"]
    pub(crate) fn wgmma_wait_group_sync_aligned(left: u64);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p0"]
    pub(crate) fn ldmatrix_m8n8_x1(row: *const u8) -> u32;
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p0"]
    pub(crate) fn ldmatrix_m8n8_x2(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p0"]
    pub(crate) fn ldmatrix_m8n8_x4(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16.p0"]
    pub(crate) fn ldmatrix_m8n8_x1_trans(row: *const u8) -> u32;
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p0"]
    pub(crate) fn ldmatrix_m8n8_x2_trans(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p0"]
    pub(crate) fn ldmatrix_m8n8_x4_trans(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p0"]
    pub(crate) fn stmatrix_m8n8_x1(row: *mut u8, a: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p0"]
    pub(crate) fn stmatrix_m8n8_x2(row: *mut u8, a: u32, b: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p0"]
    pub(crate) fn stmatrix_m8n8_x4(row: *mut u8, a: u32, b: u32, c: u32, d: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.trans.b16.p0"]
    pub(crate) fn stmatrix_m8n8_x1_trans(row: *mut u8, a: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p0"]
    pub(crate) fn stmatrix_m8n8_x2_trans(row: *mut u8, a: u32, b: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p0"]
    pub(crate) fn stmatrix_m8n8_x4_trans(row: *mut u8, a: u32, b: u32, c: u32, d: u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8.p0"]
    pub(crate) fn ldmatrix_m16n16_x1_trans_b8(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b6x16_p32.p0"]
    pub(crate) fn ldmatrix_m16n16_x1_trans_b8x16_b6x16_p32(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b4x16_p64.p0"]
    pub(crate) fn ldmatrix_m16n16_x1_trans_b8x16_b4x16_p64(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8.p0"]
    pub(crate) fn ldmatrix_m16n16_x2_trans_b8(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b6x16_p32.p0"]
    pub(crate) fn ldmatrix_m16n16_x2_trans_b8x16_b6x16_p32(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b4x16_p64.p0"]
    pub(crate) fn ldmatrix_m16n16_x2_trans_b8x16_b4x16_p64(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32.p0"]
    pub(crate) fn ldmatrix_m8n16_x1_b8x16_b6x16_p32(row: *const u8) -> u32;
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64.p0"]
    pub(crate) fn ldmatrix_m8n16_x1_b8x16_b4x16_p64(row: *const u8) -> u32;
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b6x16_p32.p0"]
    pub(crate) fn ldmatrix_m8n16_x2_b8x16_b6x16_p32(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64.p0"]
    pub(crate) fn ldmatrix_m8n16_x2_b8x16_b4x16_p64(row: *const u8) -> (u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b6x16_p32.p0"]
    pub(crate) fn ldmatrix_m8n16_x4_b8x16_b6x16_p32(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64.p0"]
    pub(crate) fn ldmatrix_m8n16_x4_b8x16_b4x16_p64(row: *const u8) -> (u32, u32, u32, u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8.p0"]
    pub(crate) fn stmatrix_m16n8_x1_trans_b8(row: *mut u8, a: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m16n8.x2.trans.b8.p0"]
    pub(crate) fn stmatrix_m16n8_x2_trans_b8(row: *mut u8, a: u32, b: u32);
    #[link_name = "llvm.nvvm.stmatrix.sync.aligned.m16n8.x4.trans.b8.p0"]
    pub(crate) fn stmatrix_m16n8_x4_trans_b8(row: *mut u8, a: u32, b: u32, c: u32, d: u32);
}
