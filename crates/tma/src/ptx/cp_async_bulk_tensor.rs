//! `cp.async.bulk.tensor`, copies of the boxes that a tensor map describes. PTX ISA 9.7.9.27.1.2.
//!
//! Coordinates locate the box's first element, innermost first, in elements of the tensor. With
//! `::gather4` and `::scatter4` they are a column and four rows. im2col modes have offsets, too: with
//! `.im2col` one for each dimension between channels and images, innermost first; with `::w` a halo
//! and an offset, both along W.

use tensor_map::TensorMap;

#[cfg(target_arch = "nvptx64")]
use super::operand::address::Address;
use super::operand::{SharedPtr, address::SharedClusterAddress};
use super::{Report, mbarrier::Mbarrier};

/// Refuses, when the kernel is compiled, coordinates that no tensor has.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_tile(rank: usize) {
    assert!(
        1 <= rank && rank <= tensor_map::MAX_RANK,
        "a tensor has 1 to 5 dimensions"
    );
}

/// Refuses, when the kernel is compiled, coordinates that no im2col map has.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_im2col(rank: usize) {
    assert!(
        3 <= rank && rank <= tensor_map::MAX_RANK,
        "a tensor in an im2col mode has 3 to 5 dimensions"
    );
}

/// Refuses, when the kernel is compiled, offsets that do not go with the coordinates.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_offsets(rank: usize, offsets: usize) {
    assert_im2col(rank);
    assert!(
        offsets + 2 == rank,
        "im2col takes an offset for each dimension but channels and images"
    );
}

/// Refuses, when the kernel is compiled, coordinates that are not a column and four rows.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_rows(coords: usize) {
    assert!(
        coords == 5,
        "a gather or scatter takes a column and four rows"
    );
}

/// Refuses, when the kernel is compiled, dimensions and strides that no tensor has.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_resized(rank: usize, strides: usize) {
    assert_tile(rank);
    assert!(
        strides + 1 == rank,
        "a tensor has a stride for each dimension but the innermost"
    );
}

/// Refuses, when the kernel is compiled, groups that do not exist.
#[cfg(target_arch = "nvptx64")]
const fn assert_group(group: u32) {
    assert!(matches!(group, 1 | 2), "`.cta_group` is 1 or 2");
}

/// Loads in one mode. A row has the optional parts of the instruction in brackets: the report to the barrier of the
/// bytes, a mask of blocks, a group of blocks with one counting barrier, a cache policy, the tensor's address.
macro_rules! loads {
    ($mode:literal, $about:literal, $generics:tt $coords:tt $coord_pieces:tt
        $offset_text:literal $offsets:tt $offset_pieces:tt $check:block
        $($name:ident $space:tt $([$($option:tt)+])* $isa:literal $arch:ident;)+) => { $(
        loads! { @row $mode, $about, $generics $coords $coord_pieces $offset_text $offsets $offset_pieces $check
            $name $space $([$($option)+])* $isa $arch }
    )+ };
    (@row $mode:literal, $about:literal, [$($generics:tt)+] ($($coords:tt)+) $coord_pieces:tt
        $offset_text:literal ($($offsets:tt)*) $offset_pieces:tt $check:block
        $name:ident $space:tt $([.report $report:ident])?
        $([.multicast $width:literal $mask:ident: $mask_type:ty, $class:ident])? $([.cta_group $group:ident])?
        $([.cache_hint $policy:ident])? $([.override $address:ident])? $isa:literal $arch:ident) => {
        #[doc = concat!("`cp.async.bulk.tensor.Nd", $space, ".global", $mode, ".mbarrier::complete_tx::bytes"
            $(, ".mbarrier::report::", stringify!($report))? $(, ".multicast::cluster", $width)?
            $(, ".cta_group::", stringify!($group))? $(, loads!(@cache_hint $policy))?
            $(, loads!(@override $address))?,
            " [dst], [map" $(, ", ", stringify!($address))?, ", coords], [bar]", $offset_text
            $(, ", ", stringify!($mask))? $(, ", ", stringify!($policy))?, ";`")]
        ///
        #[doc = $about]
        /// Elements outside the tensor are filled as the map defines, and counted at the barrier like the
        /// others. Coordinates may be negative.
        $(#[doc = concat!("Every block of the cluster whose bit is in `", stringify!($mask),
            "` gets the box at the offset of `dst`, and its barrier at the offset of `bar` counts.")])?
        $(#[doc = concat!("The barrier reports bytes that match `", stringify!($report), "`.")])?
        $(#[doc = concat!("The tensor is at `", stringify!($address), "`, in place of the map's address.")])?
        $(#[doc = concat!("With `", stringify!($group), "` 2, the barriers of even or of odd blocks count for their \
            pairs, as `bar` lies in an even or odd one; with 1, each block's own.")])?
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        ///
        /// # Safety
        /// 1. `map` is a tensor map for this mode and these coordinates in parameter, constant or global
        ///    memory; where it was written on the device or is in global memory, it was acquired.
        /// 2. `dst` is a multiple of 128 with room for the box in shared memory. No thread uses those bytes until
        ///    the barrier's phase completes, and earlier writes to them went before through a
        ///    `fence.proxy.async`.
        /// 3. `bar` is an initialised barrier with a current phase that expects the bytes of the box, in the block
        ///    of `dst`, or of its pair if a group of 2 is used.
        /// 4. The tensor's memory is allocated. No thread writes the box's elements until the phase completes.
        ///    Earlier writes to them in this kernel went before through a `fence.proxy.async`, too.
        /// 5. The box's first element is at a multiple of 16 bytes from the tensor's address.
        $(#[doc = concat!("6. (2) and (3) hold in every block of the cluster whose bit is in `", stringify!($mask),
            "`, and none of them has ended.")])?
        $(#[doc = concat!("6. The barrier has the layout v1, for `", stringify!($report), "` to be reported.")])?
        $(#[doc = concat!("6. `", stringify!($address), "` is a multiple of 16; 128 KiB from it on are allocated.")])?
        #[doc(alias = "cp_async_bulk_tensor")]
        #[doc(alias = "cp_async_bulk_tensor_1d_global_to_shared")]
        #[doc(alias = "cp_async_bulk_tensor_2d_global_to_shared")]
        #[doc(alias = "cp_async_bulk_tensor_3d_global_to_shared")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$($generics)+ $(const $group: u32,)? $($report: Report,)?>(
            dst: loads!(@address $space u8), map: *const TensorMap, $($address: *const u8,)? $($coords)+,
            bar: loads!(@address $space Mbarrier), $($offsets)* $($mask: $mask_type,)? $($policy: u64,)?
        ) {
            const $check;
            $(const { assert_group($group) };)?
            // SAFETY: the map fits mode and coordinates (1, 5), no other access races at either end (2, 4), and the
            // barrier counts its bytes (3); (6) is required of the operand that only this form has.
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk.tensor" " [{dst}], [{map}, "; dst = in(reg32) dst.address32(), map = in(reg64) map)
                    $(("" "{address}, "; address = in(reg64) $address))?
                    $coord_pieces
                    ($space) (".global") ($mode)
                    (".mbarrier::complete_tx::bytes" "], [{bar}]"; bar = in(reg32) bar.address32())
                    $offset_pieces
                    $({ report $report })?
                    $((".multicast::cluster") ($width ", {mask}"; mask = in($class) $mask))?
                    $((".cta_group::{group}" ""; group = const $group))?
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    $({ overrides $address })?
                    ("" ";")
                }
            }
        }
    };
    (@address ".shared::cluster" $type:ident) => { impl SharedClusterAddress<$type> };
    (@address ".shared::cta" $type:ident) => { SharedPtr<$type> };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
    (@override $address:ident) => { ".override::global_address" };
}

loads! {
    ".tile", "Starts a load of one box.",
    [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    "" () [] { assert_tile(RANK) }
    shared_cluster_global_tile ".shared::cluster" "8.0" sm_90;
    shared_cluster_global_tile_cache_hint ".shared::cluster" [.cache_hint policy] "8.0" sm_90;
    shared_cluster_global_tile_cta_group ".shared::cluster" [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_tile_cta_group_cache_hint ".shared::cluster"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_tile_multicast ".shared::cluster" [.multicast "" mask: u16, reg16] "8.0" sm_90;
    shared_cluster_global_tile_multicast_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cache_hint policy] "8.0" sm_90;
    shared_cluster_global_tile_multicast_cta_group ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_tile_multicast_cta_group_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cta_global_tile ".shared::cta" "8.6" sm_90;
    shared_cta_global_tile_cache_hint ".shared::cta" [.cache_hint policy] "8.6" sm_90;
    shared_cta_global_tile_cta_group ".shared::cta" [.cta_group GROUP] "8.6" sm_100a;
    shared_cta_global_tile_cta_group_cache_hint ".shared::cta"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_tile_multicast_32b ".shared::cluster" [.multicast "::32b" mask: u32, reg32] "9.4" sm_107a;
    shared_cta_global_tile_report ".shared::cta" [.report R] "9.4" sm_107a;
    shared_cta_global_tile_override_global_address ".shared::cta" [.override address] "9.4" sm_107a;
}

loads! {
    ".tile::gather4", "Starts a load of four rows of a matrix: `coords` are the column and the rows.",
    [const COORDS: usize,] (coords: [i32; COORDS]) { rows coords }
    "" () [] { assert_rows(COORDS) }
    shared_cluster_global_tile_gather4 ".shared::cluster" "8.6" sm_100a;
    shared_cluster_global_tile_gather4_cache_hint ".shared::cluster" [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_cta_group ".shared::cluster" [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_cta_group_cache_hint ".shared::cluster"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_multicast ".shared::cluster" [.multicast "" mask: u16, reg16] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_multicast_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_multicast_cta_group ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_multicast_cta_group_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cta_global_tile_gather4 ".shared::cta" "8.6" sm_100;
    shared_cta_global_tile_gather4_cache_hint ".shared::cta" [.cache_hint policy] "8.6" sm_100;
    shared_cta_global_tile_gather4_cta_group ".shared::cta" [.cta_group GROUP] "8.6" sm_100a;
    shared_cta_global_tile_gather4_cta_group_cache_hint ".shared::cta"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_tile_gather4_multicast_32b ".shared::cluster" [.multicast "::32b" mask: u32, reg32] "9.4" sm_107a;
    shared_cta_global_tile_gather4_report ".shared::cta" [.report R] "9.4" sm_107a;
    shared_cta_global_tile_gather4_override_global_address ".shared::cta" [.override address] "9.4" sm_107a;
}

loads! {
    ".im2col", "Starts a load of the columns of one box.",
    [const RANK: usize, const OFFSETS: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; OFFSETS],) { offsets OFFSETS offsets } { assert_offsets(RANK, OFFSETS) }
    shared_cluster_global_im2col ".shared::cluster" "8.0" sm_90;
    shared_cluster_global_im2col_cache_hint ".shared::cluster" [.cache_hint policy] "8.0" sm_90;
    shared_cluster_global_im2col_cta_group ".shared::cluster" [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_im2col_cta_group_cache_hint ".shared::cluster"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_multicast ".shared::cluster" [.multicast "" mask: u16, reg16] "8.0" sm_90;
    shared_cluster_global_im2col_multicast_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cache_hint policy] "8.0" sm_90;
    shared_cluster_global_im2col_multicast_cta_group ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_im2col_multicast_cta_group_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cta_global_im2col ".shared::cta" "8.6" sm_90;
    shared_cta_global_im2col_cache_hint ".shared::cta" [.cache_hint policy] "8.6" sm_90;
    shared_cta_global_im2col_cta_group ".shared::cta" [.cta_group GROUP] "8.6" sm_100a;
    shared_cta_global_im2col_cta_group_cache_hint ".shared::cta"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_multicast_32b ".shared::cluster" [.multicast "::32b" mask: u32, reg32] "9.4" sm_107a;
    shared_cta_global_im2col_report ".shared::cta" [.report R] "9.4" sm_107a;
    shared_cta_global_im2col_override_global_address ".shared::cta" [.override address] "9.4" sm_107a;
}

loads! {
    ".im2col::w", "Starts a load of the columns of one box along W: `offsets` are the halo, below 512, and the offset, below 32.",
    [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; 2],) { pair offsets } { assert_im2col(RANK) }
    shared_cluster_global_im2col_w ".shared::cluster" "8.6" sm_100a;
    shared_cluster_global_im2col_w_cache_hint ".shared::cluster" [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_cta_group ".shared::cluster" [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_im2col_w_cta_group_cache_hint ".shared::cluster"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_multicast ".shared::cluster" [.multicast "" mask: u16, reg16] "8.6" sm_100a;
    shared_cluster_global_im2col_w_multicast_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_multicast_cta_group ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_im2col_w_multicast_cta_group_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cta_global_im2col_w ".shared::cta" "8.6" sm_100;
    shared_cta_global_im2col_w_cache_hint ".shared::cta" [.cache_hint policy] "8.6" sm_100;
    shared_cta_global_im2col_w_cta_group ".shared::cta" [.cta_group GROUP] "8.6" sm_100a;
    shared_cta_global_im2col_w_cta_group_cache_hint ".shared::cta"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_multicast_32b ".shared::cluster" [.multicast "::32b" mask: u32, reg32] "9.4" sm_107a;
    shared_cta_global_im2col_w_report ".shared::cta" [.report R] "9.4" sm_107a;
    shared_cta_global_im2col_w_override_global_address ".shared::cta" [.override address] "9.4" sm_107a;
}

loads! {
    ".im2col::w::128", "Starts a load of the columns of one box along W, 128 pixels of it: `offsets` are the halo and the offset, both below 32.",
    [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords }
    ", offsets" (offsets: [u16; 2],) { pair offsets } { assert_im2col(RANK) }
    shared_cluster_global_im2col_w_128 ".shared::cluster" "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_cache_hint ".shared::cluster" [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_cta_group ".shared::cluster" [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_cta_group_cache_hint ".shared::cluster"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_multicast ".shared::cluster" [.multicast "" mask: u16, reg16] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_multicast_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_multicast_cta_group ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_multicast_cta_group_cache_hint ".shared::cluster"
        [.multicast "" mask: u16, reg16] [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cta_global_im2col_w_128 ".shared::cta" "8.6" sm_100a;
    shared_cta_global_im2col_w_128_cache_hint ".shared::cta" [.cache_hint policy] "8.6" sm_100a;
    shared_cta_global_im2col_w_128_cta_group ".shared::cta" [.cta_group GROUP] "8.6" sm_100a;
    shared_cta_global_im2col_w_128_cta_group_cache_hint ".shared::cta"
        [.cta_group GROUP] [.cache_hint policy] "8.6" sm_100a;
    shared_cluster_global_im2col_w_128_multicast_32b ".shared::cluster" [.multicast "::32b" mask: u32, reg32] "9.4" sm_107a;
    shared_cta_global_im2col_w_128_report ".shared::cta" [.report R] "9.4" sm_107a;
    shared_cta_global_im2col_w_128_override_global_address ".shared::cta" [.override address] "9.4" sm_107a;
}

/// Stores in one mode, with a policy or without, of a tensor at the map's address or at another one.
macro_rules! stores {
    ($mode:literal, $about:literal, $generics:tt $coords:tt $coord_pieces:tt $check:block
        $($name:ident $([$($option:tt)+])* $isa:literal $arch:ident;)+) => { $(
        stores! { @row $mode, $about, $generics $coords $coord_pieces $check $name $([$($option)+])* $isa $arch }
    )+ };
    (@row $mode:literal, $about:literal, [$($generics:tt)+] ($($coords:tt)+) $coord_pieces:tt $check:block
        $name:ident $([.cache_hint $policy:ident])? $([.override $address:ident])? $isa:literal $arch:ident) => {
        #[doc = concat!("`cp.async.bulk.tensor.Nd.global.shared::cta", $mode, ".bulk_group"
            $(, loads!(@cache_hint $policy))? $(, loads!(@override $address))?,
            " [map" $(, ", ", stringify!($address))?, ", coords], [src]" $(, ", ", stringify!($policy))?, ";`")]
        ///
        #[doc = $about]
        /// The store joins the thread's next bulk group. Elements outside the tensor are left out.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        $(#[doc = concat!("The tensor is at `", stringify!($address), "`, in place of the map's address.")])?
        ///
        /// # Safety
        /// 1. `map` is a tensor map for this mode and these coordinates in parameter, constant or global
        ///    memory; where it was written on the device or is in global memory, it was acquired.
        /// 2. `src` is a multiple of 128 and has the box in this block's shared memory. No thread writes
        ///    those bytes until the group has been read, and earlier writes to them went before
        ///    through a `fence.proxy.async` in the writing thread.
        /// 3. No coordinate is negative.
        /// 4. The tensor's memory is allocated. No thread uses the box's elements until the group ends; earlier
        ///    uses of them in this kernel went before through a `fence.proxy.async`, too. Rows end at
        ///    multiples of 16 bytes, or the bytes up to the next one are padding.
        /// 5. The block stays until the group has been read.
        $(#[doc = concat!("6. `", stringify!($address), "` is a multiple of 16; 128 KiB from it on are allocated.")])?
        #[doc(alias = "cp_async_bulk_tensor")]
        #[doc(alias = "cp_async_bulk_tensor_1d_shared_to_global")]
        #[doc(alias = "cp_async_bulk_tensor_2d_shared_to_global")]
        #[doc(alias = "cp_async_bulk_tensor_3d_shared_to_global")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$($generics)+>(
            map: *const TensorMap, $($address: *mut u8,)? $($coords)+, src: SharedPtr<u8>, $($policy: u64,)?
        ) {
            const $check;
            // SAFETY: the map fits mode and coordinates (1, 3), the source keeps its bytes (2, 5), and no thread uses
            // the box until the group ends (4); a replaced address is allocated (6).
            unsafe {
                ptx_asm! { []
                    ("cp.async.bulk.tensor" " [{map}, "; map = in(reg64) map)
                    $(("" "{address}, "; address = in(reg64) $address))?
                    $coord_pieces
                    (".global.shared::cta") ($mode) (".bulk_group" "], [{src}]"; src = in(reg32) src.address())
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                    $({ overrides $address })?
                    ("" ";")
                }
            }
        }
    };
}

stores! {
    ".tile", "Starts a store of one box from this block's shared memory.",
    [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords } { assert_tile(RANK) }
    global_shared_cta_tile "8.0" sm_90;
    global_shared_cta_tile_cache_hint [.cache_hint policy] "8.0" sm_90;
    global_shared_cta_tile_override_global_address [.override address] "9.4" sm_107a;
}

stores! {
    ".tile::scatter4", "Starts a store of four rows of a matrix: `coords` are the column and the rows.",
    [const COORDS: usize,] (coords: [i32; COORDS]) { rows coords } { assert_rows(COORDS) }
    global_shared_cta_tile_scatter4 "8.6" sm_100a;
    global_shared_cta_tile_scatter4_cache_hint [.cache_hint policy] "8.6" sm_100a;
    global_shared_cta_tile_scatter4_override_global_address [.override address] "9.4" sm_107a;
}

stores! {
    ".im2col_no_offs", "Starts a store of the columns of one box.",
    [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords } { assert_im2col(RANK) }
    global_shared_cta_im2col_no_offs "8.0" sm_90;
    global_shared_cta_im2col_no_offs_cache_hint [.cache_hint policy] "8.0" sm_90;
    global_shared_cta_im2col_no_offs_override_global_address [.override address] "9.4" sm_107a;
}

stores! {
    ".im2col_no_offs::w", "Starts a store of the columns of one box along W, without a halo or an offset.",
    [const RANK: usize,] (coords: [i32; RANK]) { rank RANK coords } { assert_im2col(RANK) }
    global_shared_cta_im2col_no_offs_w "9.4" sm_107a;
    global_shared_cta_im2col_no_offs_w_cache_hint [.cache_hint policy] "9.4" sm_107a;
    global_shared_cta_im2col_no_offs_w_override_global_address [.override address] "9.4" sm_107a;
}

/// `cp.async.bulk.tensor.Nd.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address.override::global_dim_stride [dst], [map, address, dims, lower_strides, upper_strides, coords], [bar];`
///
/// Starts a load of the first box of a tensor at `address` with other dimensions and strides than the map
/// has. The stride of dimension `n + 1` is 16 times the number of `lower_strides[n]` and, above its 32 bits,
/// 4 bits `n` of `upper_strides`. For one dimension it is `.override::global_dim`, without strides. Elements
/// outside the tensor are filled as the map defines, and counted at the barrier like the others.
///
/// # Safety
/// 1. `map` is a tiled tensor map of rank `RANK` in parameter, constant or global memory; where it was
///    written on the device or is in global memory, it was acquired.
/// 2. `dst` is a multiple of 128 with room for the box in shared memory. No thread uses those bytes until the
///    barrier's phase completes, and earlier writes to them went before through a `fence.proxy.async`.
/// 3. `bar` is an initialised barrier of this block with a current phase that expects the bytes of the box.
/// 4. No thread writes the box's elements in global memory until the phase completes. Earlier writes to them in
///    this kernel went before through a `fence.proxy.async`, too.
/// 5. `address` is a multiple of 16; 128 KiB from it on are allocated.
/// 6. The dimensions are below 256, and every coordinate is 0.
#[doc(alias = "cp_async_bulk_tensor")]
#[allow(
    clippy::too_many_arguments,
    reason = "each is an operand of the instruction"
)]
#[device_fn(isa = "9.4", arch = sm_107a)]
pub unsafe fn shared_cta_global_tile_override_global_dim_stride<
    const RANK: usize,
    const STRIDES: usize,
>(
    dst: SharedPtr<u8>,
    map: *const TensorMap,
    address: *const u8,
    dims: [u16; RANK],
    lower_strides: [u32; STRIDES],
    upper_strides: u16,
    coords: [i32; RANK],
    bar: SharedPtr<Mbarrier>,
) {
    const { assert_resized(RANK, STRIDES) };
    // SAFETY: the map has this rank and the address is allocated (1, 5), no other access races at either end (2,
    // 4), the barrier counts its bytes (3), and the dimensions are below 256 and the coordinates 0 (6).
    unsafe {
        ptx_asm! { []
            ("cp.async.bulk.tensor" " [{dst}], [{map}, {address}, "; dst = in(reg32) dst.address(),
                map = in(reg64) map, address = in(reg64) address)
            { resized RANK dims lower_strides upper_strides coords }
            (".shared::cta.global.tile.mbarrier::complete_tx::bytes" "], [{bar}];"; bar = in(reg32) bar.address())
            { overrides RANK of address }
        }
    }
}

/// `cp.async.bulk.tensor.Nd.global.shared::cta.tile.bulk_group.override::global_address.override::global_dim_stride [map, address, dims, lower_strides, upper_strides, coords], [src];`
///
/// Starts a store of the first box of a tensor at `address`, with dimensions and strides as in
/// [`shared_cta_global_tile_override_global_dim_stride`]. The store joins the thread's next bulk group. Elements
/// outside the tensor are left out.
///
/// # Safety
/// 1. `map` is a tiled tensor map of rank `RANK` in parameter, constant or global memory; where it was
///    written on the device or is in global memory, it was acquired.
/// 2. `src` is a multiple of 128 and has the box in this block's shared memory. No thread writes those bytes
///    until the group has been read, and earlier writes to them went before through a `fence.proxy.async`
///    in the writing thread.
/// 3. No thread uses the box's elements in global memory until the group ends. Earlier uses of them in this kernel
///    went before through a `fence.proxy.async`, too. Rows end at multiples of 16 bytes, or the bytes up to the
///    next one are padding.
/// 4. The block stays until the group has been read.
/// 5. `address` is a multiple of 16; 128 KiB from it on are allocated.
/// 6. The dimensions are below 256, and every coordinate is 0.
#[doc(alias = "cp_async_bulk_tensor")]
#[device_fn(isa = "9.4", arch = sm_107a)]
pub unsafe fn global_shared_cta_tile_override_global_dim_stride<
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
    // SAFETY: the map has this rank and the address is allocated (1, 5), the source keeps its bytes (2, 4), no
    // thread uses the box until the group ends (3), and the dimensions are below 256 and the coordinates 0 (6).
    unsafe {
        ptx_asm! { []
            ("cp.async.bulk.tensor" " [{map}, {address}, "; map = in(reg64) map, address = in(reg64) address)
            { resized RANK dims lower_strides upper_strides coords }
            (".global.shared::cta.tile.bulk_group" "], [{src}];"; src = in(reg32) src.address())
            { overrides RANK of address }
        }
    }
}
