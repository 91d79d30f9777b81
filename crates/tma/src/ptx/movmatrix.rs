//! `movmatrix`, a matrix that a warp transposes in its registers. PTX ISA 9.7.14.5.17.
//!
//! LLVM has no intrinsic for it; [`tensormap_cp_fenceproxy`](super::tensormap_cp_fenceproxy) explains the consequences.

/// `movmatrix.sync.aligned.m8n8.trans.b16 result, value;`
///
/// Transposes a matrix of 8 x 8 halves; each lane holds two halves in a row: lane `t` the elements
/// `2 * (t % 4)` and the next of row `t / 4`.
///
/// # Safety
/// 1. All threads of the warp reach this same call together.
#[device_fn(isa = "7.8", arch = sm_80)]
pub unsafe fn sync_aligned_m8n8_trans(value: u32) -> u32 {
    let result;
    // SAFETY: the whole warp takes part (1). The empty lines of `weigh_down!` contain no instructions.
    unsafe {
        weigh_down!("" "" "" "" "" "" "" "" "" "");
        core::arch::asm!(
            "movmatrix.sync.aligned.m8n8.trans.b16 {result}, {value};",
            result = out(reg32) result, value = in(reg32) value,
            options(nostack, preserves_flags),
        );
    }
    result
}
