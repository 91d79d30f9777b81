//! `cp.async.bulk.prefetch.tensor`, boxes that a tensor map describes brought to the L2 cache.
//! PTX ISA 9.7.9.27.1.4.
//!
//! Coordinates and offsets are those of [`cp_async_bulk_tensor`](super::cp_async_bulk_tensor).

use tensor_map::TensorMap;

#[cfg(target_arch = "nvptx64")]
use super::cp_async_bulk_tensor::{assert_im2col, assert_offsets, assert_rows, assert_tile};

/// Prefetches in one mode, with a cache policy or without.
macro_rules! prefetches {
    ($mode:literal, $generics:tt $coords:tt $coord_pieces:tt $offset_text:literal $offsets:tt $offset_pieces:tt
        $check:block $isa:literal $arch:ident; $($name:ident $([.cache_hint $policy:ident])?;)+) => { device_fn! {$(
        #[doc = concat!("`cp.async.bulk.prefetch.tensor.Nd.L2.global", $mode
            $(, prefetches!(@cache_hint $policy))?, " [map, coords]", $offset_text
            $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// May bring one box to the L2 cache. Coordinates may be negative.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        isa $isa on $arch;
        /// # Safety
        /// 1. `map` is a tensor map for this mode and these coordinates in parameter, constant or global
        ///    memory; where it was written on the device or lies in global memory, it was acquired.
        /// 2. The box's first element lies at a multiple of 16 bytes from the tensor's address.
        #[doc(alias = "cp_async_bulk_prefetch_tensor")]
        pub unsafe fn $name $generics (map: *const TensorMap) $coords $offsets ($($policy: u64)?) {
            const $check;
            // SAFETY: (1) and (2) are the caller's.
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk.prefetch.tensor" " [{map}, "; map = in(reg64) map)
                    $coord_pieces
                    (".L2.global") ($mode "]")
                    $offset_pieces
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    ("" ";")
                }
            }
        }
    )+} };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
}

prefetches! {
    ".tile", [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords } "" () [] { assert_tile(RANK) }
    "8.0" sm_90;
    l2_global_tile;
    l2_global_tile_cache_hint [.cache_hint policy];
}

prefetches! {
    ".tile::gather4", [const COORDS: usize,] (coords: [i32; COORDS]) { rows coords } "" () [] { assert_rows(COORDS) }
    "8.6" sm_100a;
    l2_global_tile_gather4;
    l2_global_tile_gather4_cache_hint [.cache_hint policy];
}

prefetches! {
    ".im2col", [const RANK: usize, const OFFSETS: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; OFFSETS]) { offsets OFFSETS offsets } { assert_offsets(RANK, OFFSETS) }
    "8.0" sm_90;
    l2_global_im2col;
    l2_global_im2col_cache_hint [.cache_hint policy];
}

prefetches! {
    ".im2col::w", [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; 2]) { pair offsets } { assert_im2col(RANK) }
    "8.6" sm_100a;
    l2_global_im2col_w;
    l2_global_im2col_w_cache_hint [.cache_hint policy];
}

prefetches! {
    ".im2col::w::128", [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; 2]) { pair offsets } { assert_im2col(RANK) }
    "8.6" sm_100a;
    l2_global_im2col_w_128;
    l2_global_im2col_w_128_cache_hint [.cache_hint policy];
}
