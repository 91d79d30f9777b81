//! `cp.async.bulk.prefetch.tensor`, boxes that a tensor map describes brought to the L2 cache.
//! PTX ISA 9.7.9.27.1.4.
//!
//! Coordinates and offsets are as in [`cp_async_bulk_tensor`](super::cp_async_bulk_tensor).

use tensor_map::TensorMap;

#[cfg(target_arch = "nvptx64")]
use super::cp_async_bulk_tensor::{
    assert_im2col, assert_offsets, assert_resized, assert_rows, assert_tile,
};

/// Prefetches in one mode. A row has the optional parts of the instruction in brackets: a cache policy, a priority, the
/// tensor's address.
macro_rules! prefetches {
    ($mode:literal, $generics:tt $coords:tt $coord_pieces:tt $offset_text:literal $offsets:tt $offset_pieces:tt
        $check:block $($name:ident $([$($option:tt)+])* $isa:literal $arch:ident;)+) => { $(
        prefetches! { @row $mode, $generics $coords $coord_pieces $offset_text $offsets $offset_pieces
            $check $name $([$($option)+])* $isa $arch }
    )+ };
    (@row $mode:literal, [$($generics:tt)+] ($($coords:tt)+) $coord_pieces:tt $offset_text:literal ($($offsets:tt)*)
        $offset_pieces:tt $check:block $name:ident $([.cache_hint $policy:ident])? $([$priority:literal])?
        $([.override $address:ident])? $isa:literal $arch:ident) => {
        #[doc = concat!("`cp.async.bulk.prefetch.tensor.Nd.L2.global", $mode
            $(, prefetches!(@cache_hint $policy))? $(, $priority)? $(, prefetches!(@override $address))?,
            " [map" $(, ", ", stringify!($address))?, ", coords]", $offset_text
            $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// May bring one box to the L2 cache. Coordinates may be negative.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        $(#[doc = concat!("The tensor is at `", stringify!($address), "`, in place of the map's address.")])?
        ///
        /// # Safety
        /// 1. `map` is a tensor map for this mode and these coordinates in parameter, constant or global
        ///    memory; where it was written on the device or is in global memory, it was acquired.
        /// 2. The box's first element is at a multiple of 16 bytes from the tensor's address.
        $(#[doc = concat!("3. `", stringify!($address), "` is a multiple of 16; 128 KiB from it on are allocated.")])?
        #[doc(alias = "cp_async_bulk_prefetch_tensor")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$($generics)+>(
            map: *const TensorMap, $($address: *const u8,)? $($coords)+, $($offsets)* $($policy: u64,)?
        ) {
            const $check;
            // SAFETY: the map is visible and fits mode and coordinates (1), the box begins at an aligned element (2),
            // and a replaced address is allocated (3).
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk.prefetch.tensor" " [{map}, "; map = in(reg64) map)
                    $(("" "{address}, "; address = in(reg64) $address))?
                    $coord_pieces
                    (".L2.global") ($mode "]")
                    $offset_pieces
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    $(($priority))?
                    $({ overrides $address })?
                    ("" ";")
                }
            }
        }
    };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
    (@override $address:ident) => { ".override::global_address" };
}

prefetches! {
    ".tile", [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords } "" () [] { assert_tile(RANK) }
    l2_global_tile "8.0" sm_90;
    l2_global_tile_cache_hint [.cache_hint policy] "8.0" sm_90;
    l2_global_tile_evict_last [".L2::evict_last"] "9.4" sm_107a;
    l2_global_tile_override_global_address [.override address] "9.4" sm_107a;
}

prefetches! {
    ".tile::gather4", [const COORDS: usize,] (coords: [i32; COORDS]) { rows coords } "" () [] { assert_rows(COORDS) }
    l2_global_tile_gather4 "8.6" sm_100a;
    l2_global_tile_gather4_cache_hint [.cache_hint policy] "8.6" sm_100a;
    l2_global_tile_gather4_evict_last [".L2::evict_last"] "9.4" sm_107a;
    l2_global_tile_gather4_override_global_address [.override address] "9.4" sm_107a;
}

prefetches! {
    ".im2col", [const RANK: usize, const OFFSETS: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; OFFSETS],) { offsets OFFSETS offsets } { assert_offsets(RANK, OFFSETS) }
    l2_global_im2col "8.0" sm_90;
    l2_global_im2col_cache_hint [.cache_hint policy] "8.0" sm_90;
    l2_global_im2col_evict_last [".L2::evict_last"] "9.4" sm_107a;
    l2_global_im2col_override_global_address [.override address] "9.4" sm_107a;
}

prefetches! {
    ".im2col::w", [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; 2],) { pair offsets } { assert_im2col(RANK) }
    l2_global_im2col_w "8.6" sm_100a;
    l2_global_im2col_w_cache_hint [.cache_hint policy] "8.6" sm_100a;
    l2_global_im2col_w_evict_last [".L2::evict_last"] "9.4" sm_107a;
    l2_global_im2col_w_override_global_address [.override address] "9.4" sm_107a;
}

prefetches! {
    ".im2col::w::128", [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; 2],) { pair offsets } { assert_im2col(RANK) }
    l2_global_im2col_w_128 "8.6" sm_100a;
    l2_global_im2col_w_128_cache_hint [.cache_hint policy] "8.6" sm_100a;
    l2_global_im2col_w_128_evict_last [".L2::evict_last"] "9.4" sm_107a;
    l2_global_im2col_w_128_override_global_address [.override address] "9.4" sm_107a;
}

/// `cp.async.bulk.prefetch.tensor.Nd.L2.global.tile.override::global_address.override::global_dim_stride [map, address, dims, lower_strides, upper_strides, coords];`
///
/// May bring the first box of a tensor at `address` to the L2 cache, with dimensions and strides as in
/// [`cp_async_bulk_tensor`](super::cp_async_bulk_tensor::shared_cta_global_tile_override_global_dim_stride).
///
/// # Safety
/// 1. `map` is a tiled tensor map of rank `RANK` in parameter, constant or global memory; where it was
///    written on the device or is in global memory, it was acquired.
/// 2. `address` is a multiple of 16; 128 KiB from it on are allocated.
/// 3. The dimensions are below 256, and every coordinate is 0.
#[doc(alias = "cp_async_bulk_prefetch_tensor")]
#[device_fn(isa = "9.4", arch = sm_107a)]
pub unsafe fn l2_global_tile_override_global_dim_stride<const RANK: usize, const STRIDES: usize>(
    map: *const TensorMap,
    address: *const u8,
    dims: [u16; RANK],
    lower_strides: [u32; STRIDES],
    upper_strides: u16,
    coords: [i32; RANK],
) {
    const { assert_resized(RANK, STRIDES) };
    // SAFETY: the map is visible and has this rank (1), the address is allocated (2), and the dimensions are
    // below 256 and the coordinates 0 (3).
    unsafe {
        ptx_asm! { []
            ("cp.async.bulk.prefetch.tensor" " [{map}, {address}, "; map = in(reg64) map,
                address = in(reg64) address)
            { resized RANK dims lower_strides upper_strides coords }
            (".L2.global.tile" "];")
            { overrides RANK of address }
        }
    }
}
