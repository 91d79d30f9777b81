//! `cp.reduce.async.bulk.tensor`, reductions of the boxes that a tensor map describes.
//! PTX ISA 9.7.9.27.1.3.
//!
//! The tensor map has the type of the elements. Coordinates are those of the box's first element,
//! innermost first, in elements of the tensor.

use tensor_map::TensorMap;

use super::TensorReduction;
#[cfg(target_arch = "nvptx64")]
use super::{
    Word,
    cp_async_bulk_tensor::{assert_im2col, assert_tile},
};
use crate::SharedPtr;

/// Reductions in one mode, with a cache policy or without.
macro_rules! reductions {
    ($mode:literal $check:ident; $($name:ident $([.cache_hint $policy:ident])?;)+) => { device_fn! {$(
        #[doc = concat!("`cp.reduce.async.bulk.tensor.Nd.global.shared::cta.OP", $mode, ".bulk_group"
            $(, reductions!(@cache_hint $policy))?, " [map, coords], [src]" $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// Starts a reduction of each element of a box by the one in this block's shared memory; it joins the
        /// thread's next bulk group. Elements outside the tensor are left out.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        isa "8.0" on sm_90;
        /// # Safety
        /// 1. `map` is a tensor map for this mode of rank `RANK` in parameter, constant or global memory; where
        ///    it was written on the device or lies in global memory, it was acquired. Its element type has
        ///    the operation.
        /// 2. `src` is a multiple of 128 and has the box in this block's shared memory; nobody writes
        ///    those bytes until the group has been read, and earlier writes to them went before
        ///    through a `fence.proxy.async` in the writing thread.
        /// 3. No coordinate is negative.
        /// 4. Others use the box's elements in global memory only by such reductions until the group ends;
        ///    rows end at multiples of 16 bytes, or the bytes up to the next one are padding.
        /// 5. The block stays until the group has been read.
        #[doc(alias = "cp_reduce_async_bulk_tensor")]
        pub unsafe fn $name[Op: TensorReduction, const RANK: usize](
            map: *const TensorMap, coords: [i32; RANK], src: SharedPtr<u8>
        ) ($($policy: u64)?) {
            const { $check(RANK) };
            // SAFETY: (1) to (5) are the caller's.
            unsafe {
                ptx_asm! { []
                    ("cp.reduce.async.bulk.tensor" " [{map}, "; map = in(reg64) map)
                    { rank RANK coords }
                    (".global.shared::cta" "], [{src}]"; src = in(reg32) src.address())
                    { Op::WORD;
                        Word::Add => (".add"), Word::Min => (".min"), Word::Max => (".max"), Word::Inc => (".inc"),
                        Word::Dec => (".dec"), Word::And => (".and"), Word::Or => (".or"), Word::Xor => (".xor"),
                        _ => never }
                    ($mode) (".bulk_group")
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    ("" ";")
                }
            }
        }
    )+} };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
}

reductions! {
    ".tile" assert_tile;
    global_shared_cta_tile;
    global_shared_cta_tile_cache_hint [.cache_hint policy];
}

reductions! {
    ".im2col_no_offs" assert_im2col;
    global_shared_cta_im2col_no_offs;
    global_shared_cta_im2col_no_offs_cache_hint [.cache_hint policy];
}
