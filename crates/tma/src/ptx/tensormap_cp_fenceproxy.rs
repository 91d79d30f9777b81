//! `tensormap.cp_fenceproxy`, a tensor map from shared to global memory, released for copies.
//! PTX ISA 9.7.13.16.
//!
//! LLVM has no intrinsic for it, and copies small blocks with `asm!` into the arms of a branch. So
//! the wrapper comes with empty assembly that makes its block too big for that, and `tma-build`
//! refuses modules in which it was copied all the same, as it does for barriers.

use tensor_map::TensorMap;

use super::Scope;
use super::operand::SharedPtr;

/// `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.C.sync.aligned [dst], [src], 128;`
///
/// Copies a tensor map to global memory and releases it to those in scope that acquire it for copies.
///
/// # Safety
/// 1. All threads of the warp reach this same call together, with the same addresses.
/// 2. `dst` is a multiple of 64 and has room for a tensor map in global memory.
/// 3. `src` is a multiple of 64 and points to a tensor map in this block's shared memory; its writes
///    happen before.
/// 4. No copy uses the map at `dst`, and no other code uses these bytes, at the same time.
#[doc(alias("tensormap_cp_fenceproxy", "tensormap_copy_fenceproxy"))]
#[device_fn(isa = "8.3", arch = sm_90)]
pub unsafe fn global_shared_cta_release<C: Scope>(dst: *mut TensorMap, src: SharedPtr<TensorMap>) {
    // SAFETY: the whole warp takes part (1), both addresses are aligned and valid (2, 3), and no access races
    // (4). The empty lines contain no instructions.
    unsafe {
        weigh_down!("" "" "" "" "" "" "" "" "" "");
        ptx_asm! { []
            ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release") { scope C }
            (".sync.aligned" " [{dst}], [{src}], 128;"; dst = in(reg64) dst, src = in(reg32) src.address())
        }
    }
}
