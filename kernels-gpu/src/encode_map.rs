//! Ports the guide's "Encoding a Tensor Map on Device": maps of tensors of different sizes are made on
//! the device, from a template or from nothing, and released for other kernels, which acquire them
//! ([`consume_map`](mod@crate::consume_map)).
//!
//! `tensormap.replace` is an instruction of each architecture by itself (`sm_90a`, not `sm_90`).

use tma::{
    SharedPtr, TensorMap, kernel,
    ptx::{Gpu, tensormap_cp_fenceproxy, tensormap_replace},
    shared,
    thread::{block_idx, thread_idx},
    warp,
};

/// What a map is to say of a tensor of bytes. Dimensions are innermost first.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MapFields {
    /// Where the tensor begins, from the address that the kernel is given: a multiple of 16.
    pub offset_bytes: u64,
    /// Distance of two neighbours in dimension 1 and up, in bytes.
    pub global_stride_bytes: [u64; 4],
    /// Dimensions, 1 to 5.
    pub rank: u32,
    /// Elements of each dimension.
    pub global_dim: [u32; 5],
    /// Elements of the box in each dimension.
    pub box_dim: [u32; 5],
    /// Which elements of each dimension a box takes: every so-manieth.
    pub element_stride: [u32; 5],
}

/// Numbers that `tensormap.replace` has for the fields (PTX ISA 9.7.9.28).
mod value {
    pub(super) const ELEMTYPE_U8: u32 = 0;
    pub(super) const NO_INTERLEAVE: u32 = 0;
    pub(super) const NO_SWIZZLE: u32 = 0;
    pub(super) const ZERO_FILL: u32 = 0;
}

shared! {
    static SMEM_MAP: TensorMap align 128;
}

/// Makes a map of a tensor of bytes in each block: `maps[i]` by `fields[i]`, from a template all of
/// whose fields are replaced.
///
/// # Safety
/// 1. `template` is a tiled tensor map.
/// 2. `fields` has an entry for each block, and each is one of a map.
/// 3. `maps` has room for a map for each block, at a multiple of 64 in global memory, that nobody else
///    uses while the kernel runs.
/// 4. The grid is one-dimensional; blocks are one warp.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/encode_map.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn encode_map(
    #[grid_constant] template: &TensorMap,
    fields: *const MapFields,
    tensors: *mut u8,
    maps: *mut TensorMap,
) {
    let lane = thread_idx().x;
    let map = SMEM_MAP::ptr();
    if lane < TensorMap::WORDS as u32 {
        // SAFETY: the words are the map's, and no other lane has this one.
        unsafe {
            map.cast::<u64>()
                .add(lane)
                .write(template.words()[lane as usize])
        };
    }
    // SAFETY: the conditions are this kernel's own.
    unsafe { replace_and_release(map, fields, tensors, maps) }
}

/// As [`encode_map`], from 128 bytes of zeros: no map comes from the host.
///
/// # Safety
/// As for [`encode_map`], (2) to (4).
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/encode_map_zeroed.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn encode_map_zeroed(fields: *const MapFields, tensors: *mut u8, maps: *mut TensorMap) {
    let lane = thread_idx().x;
    let map = SMEM_MAP::ptr();
    if lane < TensorMap::WORDS as u32 {
        // SAFETY: the words are the map's, and no other lane has this one.
        unsafe { map.cast::<u64>().add(lane).write(0) };
    }
    // SAFETY: the conditions are this kernel's own.
    unsafe { replace_and_release(map, fields, tensors, maps) }
}

/// Replaces every field of the map in shared memory, and copies it to its place.
///
/// # Safety
/// 1. Those of [`encode_map`]; all lanes are here and have written the map.
#[inline(always)]
unsafe fn replace_and_release(
    map: SharedPtr<TensorMap>,
    fields: *const MapFields,
    tensors: *mut u8,
    maps: *mut TensorMap,
) {
    let block = block_idx().x as usize;
    // SAFETY: the whole warp is here (1).
    unsafe { warp::sync_warp() };
    if thread_idx().x == 0 {
        // SAFETY: there are fields for each block, and they are those of a map (1); the map is the
        // block's own, and the lanes have met since they wrote it.
        unsafe {
            let fields = fields.add(block);
            let address = tensors.add((*fields).offset_bytes as usize);
            tensormap_replace::tile_global_address(map, address as u64);
            replace_dimensions(map, fields);
            tensormap_replace::tile_elemtype::<{ value::ELEMTYPE_U8 }>(map);
            tensormap_replace::tile_interleave_layout::<{ value::NO_INTERLEAVE }>(map);
            tensormap_replace::tile_swizzle_mode::<{ value::NO_SWIZZLE }>(map);
            tensormap_replace::tile_fill_mode::<{ value::ZERO_FILL }>(map);
        }
    }
    // Show the changes to the other lanes, then copy the map together, and release it to whoever
    // acquires it for copies.
    // SAFETY: the whole warp is here with the same addresses; the map has its place (1).
    unsafe {
        warp::sync_warp();
        tensormap_cp_fenceproxy::global_shared_cta_release::<Gpu>(maps.add(block), map);
    }
}

/// # Safety
/// 1. `map` is a map in shared memory that nobody else uses, and `fields` are those of a map.
#[inline(always)]
unsafe fn replace_dimensions(map: SharedPtr<TensorMap>, fields: *const MapFields) {
    // SAFETY: the fields are there (1).
    let fields = unsafe { &*fields };
    let rank = fields.rank;
    // The number of a dimension is part of the instruction.
    macro_rules! for_each_dimension {
        ($($dimension:literal)*) => {$(
            if $dimension < rank {
                // SAFETY: the map has this dimension (1).
                unsafe {
                    tensormap_replace::tile_box_dim::<$dimension>(map, fields.box_dim[$dimension]);
                    tensormap_replace::tile_global_dim::<$dimension>(map, fields.global_dim[$dimension]);
                    tensormap_replace::tile_element_stride::<$dimension>(
                        map,
                        fields.element_stride[$dimension],
                    );
                }
            }
        )*};
    }
    macro_rules! for_each_stride {
        ($($dimension:literal)*) => {$(
            if $dimension + 1 < rank {
                // SAFETY: the map has this dimension (1).
                unsafe {
                    tensormap_replace::tile_global_stride::<$dimension>(
                        map,
                        fields.global_stride_bytes[$dimension],
                    );
                }
            }
        )*};
    }
    // The field counts from zero.
    // SAFETY: a map has one to five dimensions (1).
    unsafe { tensormap_replace::tile_rank(map, rank - 1) };
    for_each_dimension! { 0 1 2 3 4 }
    for_each_stride! { 0 1 2 3 }
}
