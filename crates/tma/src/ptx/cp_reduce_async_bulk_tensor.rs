//! `cp.reduce.async.bulk.tensor`, reductions of the boxes that a tensor map describes.
//! PTX ISA 9.7.9.27.1.3.
//!
//! The tensor map has the type of the elements. Coordinates locate the box's first element,
//! innermost first, in elements of the tensor.

use tensor_map::TensorMap;

use super::TensorReduction;
use super::operand::SharedPtr;
#[cfg(target_arch = "nvptx64")]
use super::{
    Word,
    cp_async_bulk_tensor::{assert_im2col, assert_resized, assert_tile},
};

/// Spells the operation.
#[cfg(target_arch = "nvptx64")]
macro_rules! reduction {
    ($op:ident; [$($before:tt)*] [$($behind:tt)*]) => {
        ptx_asm! { []
            $($before)*
            { $op::WORD;
                Word::Add => (".add"), Word::Min => (".min"), Word::Max => (".max"), Word::Inc => (".inc"),
                Word::Dec => (".dec"), Word::And => (".and"), Word::Or => (".or"), Word::Xor => (".xor"),
                _ => never }
            $($behind)*
        }
    };
}

/// Reductions in one mode, with a cache policy or without, of a tensor at the map's address or at another one.
macro_rules! reductions {
    ($mode:literal $check:ident; $($name:ident $([.cache_hint $policy:ident])? $([.override $address:ident])?
        $isa:literal $arch:ident;)+) => { $(
        #[doc = concat!("`cp.reduce.async.bulk.tensor.Nd.global.shared::cta.OP", $mode
            $(, reductions!(@override $address))?, ".bulk_group" $(, reductions!(@cache_hint $policy))?,
            " [map" $(, ", ", stringify!($address))?, ", coords], [src]" $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// Starts a reduction of each element of a box by the one in this block's shared memory; it joins the
        /// thread's next bulk group. Elements outside the tensor are left out.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        $(#[doc = concat!("The tensor is at `", stringify!($address), "`, in place of the map's address.")])?
        ///
        /// # Safety
        /// 1. `map` is a tensor map for this mode of rank `RANK` in parameter, constant or global memory; where
        ///    it was written on the device or is in global memory, it was acquired. Its element type has
        ///    the operation.
        /// 2. `src` is a multiple of 128 and has the box in this block's shared memory. No thread writes
        ///    those bytes until the group has been read, and earlier writes to them went before
        ///    through a `fence.proxy.async` in the writing thread.
        /// 3. No coordinate is negative.
        /// 4. The tensor's memory is allocated. Others use the box's elements only by such reductions until the
        ///    group ends. Other uses of them before, in this kernel, went through a `fence.proxy.async`, too.
        ///    Rows end at multiples of 16 bytes, or the bytes up to the next one are padding.
        /// 5. The block stays until the group has been read.
        $(#[doc = concat!("6. `", stringify!($address), "` is a multiple of 16; 128 KiB from it on are allocated.")])?
        #[doc(alias = "cp_reduce_async_bulk_tensor")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<Op: TensorReduction, const RANK: usize>(
            map: *const TensorMap, $($address: *mut u8,)? coords: [i32; RANK], src: SharedPtr<u8>,
            $($policy: u64,)?
        ) {
            const { $check(RANK) };
            // SAFETY: the map fits mode, operation and coordinates (1, 3), the source keeps its bytes (2, 5), and
            // others only reduce into the box (4); a replaced address is allocated (6).
            unsafe {
                reduction! { Op;
                    [("cp.reduce.async.bulk.tensor" " [{map}, "; map = in(reg64) map)
                    $(("" "{address}, "; address = in(reg64) $address))?
                    { rank RANK coords }
                    (".global.shared::cta" "], [{src}]"; src = in(reg32) src.address())]
                    [($mode) $({ overrides $address })? (".bulk_group")
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    ("" ";")]
                }
            }
        }
    )+ };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
    (@override $address:ident) => { ".override::global_address" };
}

reductions! {
    ".tile" assert_tile;
    global_shared_cta_tile "8.0" sm_90;
    global_shared_cta_tile_cache_hint [.cache_hint policy] "8.0" sm_90;
    global_shared_cta_tile_override_global_address [.override address] "9.4" sm_107a;
}

reductions! {
    ".im2col_no_offs" assert_im2col;
    global_shared_cta_im2col_no_offs "8.0" sm_90;
    global_shared_cta_im2col_no_offs_cache_hint [.cache_hint policy] "8.0" sm_90;
}

reductions! {
    ".im2col_no_offs::w" assert_im2col;
    global_shared_cta_im2col_no_offs_w "9.4" sm_107a;
    global_shared_cta_im2col_no_offs_w_cache_hint [.cache_hint policy] "9.4" sm_107a;
}

/// `cp.reduce.async.bulk.tensor.Nd.global.shared::cta.OP.tile.override::global_address.override::global_dim_stride.bulk_group [map, address, dims, lower_strides, upper_strides, coords], [src];`
///
/// Starts a reduction of each element of the first box of a tensor at `address`, with dimensions and strides
/// as in
/// [`cp_async_bulk_tensor`](super::cp_async_bulk_tensor::shared_cta_global_tile_override_global_dim_stride),
/// by the one in this block's shared memory; it joins the thread's next bulk group. Elements outside the
/// tensor are left out.
///
/// # Safety
/// 1. `map` is a tiled tensor map of rank `RANK` in parameter, constant or global memory; where it was
///    written on the device or is in global memory, it was acquired. Its element type has the operation.
/// 2. `src` is a multiple of 128 and has the box in this block's shared memory. No thread writes those bytes
///    until the group has been read, and earlier writes to them went before through a `fence.proxy.async`
///    in the writing thread.
/// 3. Others use the box's elements in global memory only by such reductions until the group ends. Other uses
///    of them before, in this kernel, went through a `fence.proxy.async`, too. Rows end at multiples of 16
///    bytes, or the bytes up to the next one are padding.
/// 4. The block stays until the group has been read.
/// 5. `address` is a multiple of 16; 128 KiB from it on are allocated.
/// 6. The dimensions are below 256, and every coordinate is 0.
#[doc(alias = "cp_reduce_async_bulk_tensor")]
#[device_fn(isa = "9.4", arch = sm_107a)]
pub unsafe fn global_shared_cta_tile_override_global_dim_stride<
    Op: TensorReduction,
    const RANK: usize,
    const STRIDES: usize,
>(
    map: *const TensorMap,
    address: *mut u8,
    dims: [u16; RANK],
    lower_strides: [u32; STRIDES],
    upper_strides: u16,
    coords: [i32; RANK],
    src: SharedPtr<u8>,
) {
    const { assert_resized(RANK, STRIDES) };
    // SAFETY: the map has this rank and the operation (1), the address is allocated (5), the source keeps its
    // bytes (2, 4), others only reduce into the box (3), and the dimensions are below 256 and the coordinates 0
    // (6).
    unsafe {
        reduction! { Op;
            [("cp.reduce.async.bulk.tensor" " [{map}, {address}, "; map = in(reg64) map,
                address = in(reg64) address)
            { resized RANK dims lower_strides upper_strides coords }
            (".global.shared::cta" "], [{src}];"; src = in(reg32) src.address())]
            [(".tile") { overrides RANK of address } (".bulk_group")]
        }
    }
}
