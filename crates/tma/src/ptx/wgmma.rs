//! `wgmma`, products of matrices of a warpgroup. PTX ISA 9.7.14.7.
//!
//! LLVM has no intrinsic for `wgmma.mma_async`. As an operand of `asm!` each register of the sums stays where it
//! is, so that products follow one another without a move.

#[cfg(target_feature = "compute_60")]
pub(crate) mod rust_cuda;
mod sums;

pub use sums::{Left, Registers, Sums};

use super::Alignment;

/// `wgmma.fence.sync.A;`
///
/// Orders earlier accesses to registers before the products that follow. Required before the first product,
/// and after each access to registers of sums or of A between products.
///
/// # Safety
/// 1. All threads of the warpgroup reach this same call, those of a warp together.
#[doc(alias = "warpgroup_arrive")]
#[device_fn(isa = "8.0", arch = sm_90a_alone)]
pub unsafe fn fence_sync<A: Alignment>() {
    // SAFETY: the warpgroup takes part as a whole (1).
    unsafe { crate::ptx::intrinsics::wgmma_fence_sync_aligned() }
}

/// `wgmma.commit_group.sync.A;`
///
/// Makes a group of the warp's products since the last one.
///
/// # Safety
/// The conditions of [`fence_sync`].
#[doc(alias = "warpgroup_commit_batch")]
#[device_fn(isa = "8.0", arch = sm_90a_alone)]
pub unsafe fn commit_group_sync<A: Alignment>() {
    // SAFETY: the warpgroup takes part as a whole (1 of `fence_sync`).
    unsafe { crate::ptx::intrinsics::wgmma_commit_group_sync_aligned() }
}

/// `wgmma.wait_group.sync.A LEFT;`
///
/// Waits until at most `LEFT` groups are not complete, the last ones. LLVM does not know that sums are
/// not to be read before.
///
/// # Safety
/// The conditions of [`fence_sync`].
#[doc(alias = "warpgroup_wait")]
#[device_fn(isa = "8.0", arch = sm_90a_alone)]
pub unsafe fn wait_group_sync<A: Alignment, const LEFT: u64>() {
    // SAFETY: the warpgroup takes part as a whole (1 of `fence_sync`).
    unsafe { crate::ptx::intrinsics::wgmma_wait_group_sync_aligned(LEFT) }
}

/// `wgmma.mma_async.sync.aligned.m64nNkK.D.A.B d, a, b, scale_d, SCALE_A, SCALE_B, TRANS_A, TRANS_B;`
///
/// Starts `d = a * b + d`, or `d = a * b` where `scale_d` is false. The type of `d` determines its precision and
/// N: an array of `f32` has N / 2 elements, one of `u32` with two halves each N / 4, one of `i32` N / 2. A
/// is a [`u64`], the descriptor of a matrix in shared memory, or four registers. `SCALE_A` and `SCALE_B`
/// are 1, or -1 for the other sign; `TRANS_A` and `TRANS_B` are 1 where K is not contiguous.
///
/// # Safety
/// 1. All threads of the warpgroup reach this same call, those of a warp together, with the same
///    descriptors and the same `scale_d`.
/// 2. Descriptors contain addresses of matrices in this block's shared memory. Their writes happen before, and a
///    `fence.proxy.async` is between where they are not the async proxy's.
/// 3. No thread writes these bytes before a `wait_group` that covers the group of this product.
/// 4. A `wgmma.fence` is between this and earlier accesses to `d`, or to a register of `a`; products of the
///    same shape may follow each other in `d`.
/// 5. `d`, and a register of `a`, is not accessed before such a `wait_group` either.
#[device_fn(isa = "8.0, of `S8` and `U8` 8.4", arch = sm_90a_alone)]
pub unsafe fn mma_async<
    D: Sums<A, B>,
    A,
    B,
    const SCALE_A: i32,
    const SCALE_B: i32,
    const TRANS_A: i32,
    const TRANS_B: i32,
>(
    d: D,
    a: impl Left,
    b: u64,
    scale_d: bool,
) -> D {
    const { assert!(sums::IS_COMPILED, "the builder must compile for `sm_90a`") };
    const { sums::assert_immediates::<D, A, B>([SCALE_A, SCALE_B], [TRANS_A, TRANS_B]) };
    // SAFETY: the warpgroup takes part with equal descriptors (1), which name visible matrices (2) that do not
    // change (3); the registers are fenced (4) and not used before the wait (5).
    unsafe { d.multiply::<SCALE_A, SCALE_B, TRANS_A, TRANS_B>(a, b, scale_d) }
}

/// `wgmma.mma_async.sync.aligned.m64nNk32.s32.A.B.satfinite d, a, b, scale_d;`
///
/// Same as [`mma_async`], for bytes; a sum that is too large for its register saturates.
///
/// # Safety
/// The conditions of [`mma_async`].
#[device_fn(isa = "8.0, of `S8` and `U8` 8.4", arch = sm_90a_alone)]
pub unsafe fn mma_async_satfinite<D: Sums<A, B>, A, B>(
    d: D,
    a: impl Left,
    b: u64,
    scale_d: bool,
) -> D {
    const { assert!(D::IS_BYTES, "`.satfinite` exists for bytes only") };
    // SAFETY: the warpgroup takes part with equal descriptors (1 of `mma_async`), memory and registers are as
    // this product needs them (2 to 5), and `D` has bytes by the assertion.
    unsafe { d.multiply_satfinite(a, b, scale_d) }
}

/// `wgmma.mma_async.sp.sync.aligned.m64nNkK.D.A.B d, a, b, metadata, SELECTOR, scale_d, SCALE_A, SCALE_B,
/// TRANS_A, TRANS_B;`
///
/// Same as [`mma_async`], with twice its K: `a` has the elements that `metadata` names, as PTX ISA 9.7.14.6 defines,
/// and the others are zeros. `SELECTOR`, which lanes have the metadata, is 0 or 1, and 0 for elements of 8 bits.
///
/// # Safety
/// The conditions of [`mma_async`].
#[device_fn(isa = "8.2, of `S8` and `U8` 8.4", arch = sm_90a_alone)]
pub unsafe fn mma_async_sp<
    D: Sums<A, B>,
    A,
    B,
    const SELECTOR: u32,
    const SCALE_A: i32,
    const SCALE_B: i32,
    const TRANS_A: i32,
    const TRANS_B: i32,
>(
    d: D,
    a: impl Left,
    b: u64,
    metadata: u32,
    scale_d: bool,
) -> D {
    const { assert!(sums::IS_COMPILED, "the builder must compile for `sm_90a`") };
    const { sums::assert_immediates::<D, A, B>([SCALE_A, SCALE_B], [TRANS_A, TRANS_B]) };
    const { sums::assert_selector::<D, A, B>(SELECTOR) };
    // SAFETY: the warpgroup takes part with equal descriptors (1 of `mma_async`), memory and registers are as
    // this product needs them (2 to 5), and the assertions check the constants.
    unsafe {
        d.multiply_sparse::<SELECTOR, SCALE_A, SCALE_B, TRANS_A, TRANS_B>(a, b, metadata, scale_d)
    }
}

/// `wgmma.mma_async.sp.sync.aligned.m64nNk64.s32.A.B.satfinite d, a, b, metadata, SELECTOR, scale_d;`
///
/// Same as [`mma_async_sp`], for bytes; a sum that is too large for its register saturates.
///
/// # Safety
/// The conditions of [`mma_async`].
#[device_fn(isa = "8.2, of `S8` and `U8` 8.4", arch = sm_90a_alone)]
pub unsafe fn mma_async_sp_satfinite<D: Sums<A, B>, A, B, const SELECTOR: u32>(
    d: D,
    a: impl Left,
    b: u64,
    metadata: u32,
    scale_d: bool,
) -> D {
    const { assert!(D::IS_BYTES, "`.satfinite` exists for bytes only") };
    const { sums::assert_selector::<D, A, B>(SELECTOR) };
    // SAFETY: the warpgroup takes part with equal descriptors (1 of `mma_async`), memory and registers are as
    // this product needs them (2 to 5), and the assertions check type and selector.
    unsafe { d.multiply_sparse_satfinite::<SELECTOR>(a, b, metadata, scale_d) }
}
