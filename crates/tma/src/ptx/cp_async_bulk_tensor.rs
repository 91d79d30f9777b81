//! `cp.async.bulk.tensor`, copies of the boxes that a tensor map describes. PTX ISA 9.7.9.27.1.
//!
//! Coordinates are those of the box's first element, innermost first, in elements of the tensor.

use tensor_map::TensorMap;

use super::mbarrier::Mbarrier;
use crate::SharedPtr;

/// Spells one instruction for each rank: `{c}` in the text becomes the list of coordinates.
#[cfg(target_arch = "nvptx64")]
macro_rules! for_each_rank {
    ($rank:expr, $coords:ident, [$($before:literal)+ {c} $($after:literal)+], $($operands:tt)+) => {
        for_each_rank! { @all $rank, $coords, [concat!($($before),+)], [concat!($($after),+)], [$($operands)+],
            1 "1d" "{{ {c0} }}" [0 c0],
            2 "2d" "{{ {c0}, {c1} }}" [0 c0, 1 c1],
            3 "3d" "{{ {c0}, {c1}, {c2} }}" [0 c0, 1 c1, 2 c2],
            4 "4d" "{{ {c0}, {c1}, {c2}, {c3} }}" [0 c0, 1 c1, 2 c2, 3 c3],
            5 "5d" "{{ {c0}, {c1}, {c2}, {c3}, {c4} }}" [0 c0, 1 c1, 2 c2, 3 c3, 4 c4],
        }
    };
    (@all $rank:expr, $coords:ident, [$before:expr], [$after:expr], $operands:tt,
        $($n:literal $nd:literal $list:literal $indices:tt,)+) => {
        match $rank {
            $($n => for_each_rank! { @one $coords, [$before], [$after], $operands, $nd $list $indices },)+
            _ => unreachable!(),
        }
    };
    (@one $coords:ident, [$before:expr], [$after:expr], [$($operands:tt)+],
        $nd:literal $list:literal [$($index:literal $name:ident),+]) => {
        core::arch::asm!(
            concat!("cp.async.bulk.tensor.", $nd, $before, $list, $after),
            $($name = in(reg32) $coords[$index],)+
            $($operands)+
            options(nostack, preserves_flags),
        )
    };
}

/// Refuses, when the kernel is compiled, coordinates that no tensor has.
#[cfg(target_arch = "nvptx64")]
const fn assert_rank(rank: usize) {
    assert!(
        1 <= rank && rank <= tensor_map::MAX_RANK,
        "a tensor has 1 to 5 dimensions"
    );
}

device_fn! {
    /// `cp.async.bulk.tensor.Nd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [dst], [map, {c0, ...}], [bar];`
    ///
    /// Starts a load of one box into this block's shared memory. Elements outside the tensor are
    /// filled as the map says, and counted at the barrier like the others. Coordinates may be
    /// negative.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. `map` is a tensor map of rank `RANK` in parameter, constant or global memory; where it
    ///    was written on the device or lies in global memory, it was acquired.
    /// 2. `dst` is a multiple of 128 with room for the box in this block's shared memory; nobody
    ///    uses those bytes until the barrier's phase completes, and earlier writes to them went
    ///    before through a `fence.proxy.async`.
    /// 3. `bar` is an initialised barrier of this block whose current phase expects the bytes of
    ///    the box.
    /// 4. Nobody writes the box's elements in global memory until the phase completes.
    /// 5. The box's first element lies at a multiple of 16 bytes from the tensor's address.
    #[doc(alias = "cp_async_bulk_tensor_1d_global_to_shared")]
    #[doc(alias = "cp_async_bulk_tensor_2d_global_to_shared")]
    #[doc(alias = "cp_async_bulk_tensor_3d_global_to_shared")]
    pub unsafe fn shared_cluster_global_tile<const RANK: usize>(
        dst: SharedPtr<u8>, map: *const TensorMap, coords: [i32; RANK], bar: SharedPtr<Mbarrier>
    ) {
        const { assert_rank(RANK) };
        // SAFETY: (1) to (5) are the caller's.
        unsafe {
            for_each_rank!(
                RANK, coords,
                [".shared::cluster.global.tile.mbarrier::complete_tx::bytes [{dst}], [{map}, " {c} "], [{bar}];"],
                dst = in(reg32) dst.address(), map = in(reg64) map, bar = in(reg32) bar.address(),
            )
        }
    }

    /// `cp.async.bulk.tensor.Nd.global.shared::cta.tile.bulk_group [map, {c0, ...}], [src];`
    ///
    /// Starts a store of one box from this block's shared memory; it joins the thread's next bulk
    /// group. Elements outside the tensor are left out.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. `map` is a tensor map of rank `RANK` in parameter, constant or global memory; where it
    ///    was written on the device or lies in global memory, it was acquired.
    /// 2. `src` is a multiple of 128 and has the box in this block's shared memory; nobody writes
    ///    those bytes until the group has been read, and earlier writes to them went before
    ///    through a `fence.proxy.async` in the writing thread.
    /// 3. No coordinate is negative.
    /// 4. Nobody uses the box's elements in global memory until the group ends; rows end at
    ///    multiples of 16 bytes, or the bytes up to the next one are padding.
    /// 5. The block stays until the group has been read.
    #[doc(alias = "cp_async_bulk_tensor_1d_shared_to_global")]
    #[doc(alias = "cp_async_bulk_tensor_2d_shared_to_global")]
    #[doc(alias = "cp_async_bulk_tensor_3d_shared_to_global")]
    pub unsafe fn global_shared_cta_tile<const RANK: usize>(
        map: *const TensorMap, coords: [i32; RANK], src: SharedPtr<u8>
    ) {
        const { assert_rank(RANK) };
        // SAFETY: (1) to (5) are the caller's.
        unsafe {
            for_each_rank!(
                RANK, coords,
                [".global.shared::cta.tile.bulk_group [{map}, " {c} "], [{src}];"],
                map = in(reg64) map, src = in(reg32) src.address(),
            )
        }
    }
}
