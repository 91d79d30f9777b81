//! Ports the guide's "Encoding a Tensor Map on Device": maps of tensors of different sizes are made on
//! the device, from a template or from zeros, and released for other kernels, which acquire them
//! ([`consume_map`](mod@crate::consume_map)).
//!
//! `tensormap.replace` is an instruction of each architecture by itself (`sm_90a`, not `sm_90`).

use tma::{
    Block, GlobalMut, GlobalRef, PerBlock, SharedPtr, TensorMap, kernel,
    ptx::{Gpu, tensormap_cp_fenceproxy, tensormap_replace},
    shared,
};

/// The fields of a map of a tensor of bytes. Dimensions are innermost first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MapFields {
    /// The offset of the tensor from the address that the kernel gets: a multiple of 16.
    pub offset_bytes: u64,
    /// Distance of two neighbours in dimension 1 and up, in bytes.
    pub global_stride_bytes: [u64; 4],
    /// Dimensions, 1 to 5.
    pub rank: u32,
    /// Elements of each dimension.
    pub global_dim: [u32; 5],
    /// Elements of the box in each dimension.
    pub box_dim: [u32; 5],
    /// The step between the elements of each dimension that a box takes.
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

/// Makes a map of a tensor of bytes in each block: `maps[i]` by `fields[i]`, from a template; all
/// its fields are replaced.
///
/// # Safety
/// 1. `template` is a tiled tensor map.
/// 2. `fields` and `maps` are as their types require. Each of the fields is one of a map of a tensor in
///    `tensors`, and maps are at multiples of 64.
/// 3. The grid is one-dimensional; blocks are one warp.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/encode_map.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn encode_map(
    #[grid_constant] template: &TensorMap,
    fields: GlobalRef<MapFields, PerBlock>,
    tensors: *mut u8,
    maps: GlobalMut<TensorMap, PerBlock>,
) {
    // SAFETY: fields and maps (2) and the launch (3) are those of `encode` (1).
    unsafe { encode(|word| template.words()[word], fields, tensors, maps) }
}

/// Works like [`encode_map`], from 128 bytes of zeros: no map comes from the host.
///
/// # Safety
/// The conditions of [`encode_map`], (2) and (3).
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/encode_map_zeroed.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn encode_map_zeroed(
    fields: GlobalRef<MapFields, PerBlock>,
    tensors: *mut u8,
    maps: GlobalMut<TensorMap, PerBlock>,
) {
    // SAFETY: fields and maps (2) and the launch (3) are those of `encode` (1).
    unsafe { encode(|_| 0, fields, tensors, maps) }
}

/// Writes the words to a map in shared memory, replaces every field, and copies it to its buffer.
///
/// # Safety
/// 1. (2) and (3) of [`encode_map`].
#[inline(always)]
unsafe fn encode(
    word: impl Fn(usize) -> u64,
    fields: GlobalRef<MapFields, PerBlock>,
    tensors: *mut u8,
    maps: GlobalMut<TensorMap, PerBlock>,
) {
    // SAFETY: the whole warp gets here, which is the block (1).
    let block = unsafe { Block::converged() };
    let (warp, lane, map) = (block.warp(), block.thread(), SMEM_MAP::ptr());
    if lane < TensorMap::WORDS as u32 {
        // SAFETY: the word is the map's, and no other lane has it.
        unsafe { map.cast::<u64>().add(lane).write(word(lane as usize)) };
    }
    warp.sync();
    if lane == 0 {
        // SAFETY: the fields belong to a map (1), which is the block's own; the lanes have synchronised since
        // they wrote it.
        unsafe { replace(map, fields.of(block), tensors) };
    }
    // Show the changes to the other lanes, then copy the map together, and release it to a thread that
    // acquires it for copies.
    warp.sync();
    // SAFETY: the whole warp is here with the same addresses; the map has room at a multiple of 64 (1).
    unsafe {
        tensormap_cp_fenceproxy::global_shared_cta_release::<Gpu>(maps.as_ptr(block), map);
    }
}

/// Replaces every field of a map.
///
/// # Safety
/// 1. `map` is a map in shared memory that no other code uses, and `fields` are the fields of a map.
#[inline(always)]
unsafe fn replace(map: SharedPtr<TensorMap>, fields: &MapFields, tensors: *mut u8) {
    let rank = fields.rank;
    let address = tensors.wrapping_add(fields.offset_bytes as usize);
    // The number of a dimension is part of the instruction.
    macro_rules! for_each_dimension {
        ($($dimension:literal)*) => {$(
            if $dimension < rank {
                tensormap_replace::tile_box_dim::<$dimension>(map, fields.box_dim[$dimension]);
                tensormap_replace::tile_global_dim::<$dimension>(map, fields.global_dim[$dimension]);
                tensormap_replace::tile_element_stride::<$dimension>(
                    map,
                    fields.element_stride[$dimension],
                );
            }
        )*};
    }
    macro_rules! for_each_stride {
        ($($dimension:literal)*) => {$(
            if $dimension + 1 < rank {
                tensormap_replace::tile_global_stride::<$dimension>(
                    map,
                    fields.global_stride_bytes[$dimension],
                );
            }
        )*};
    }
    // SAFETY: no other code uses the map, which has one to five dimensions, and those that are replaced (1).
    unsafe {
        tensormap_replace::tile_global_address(map, address as u64);
        // The field counts from zero.
        tensormap_replace::tile_rank(map, rank - 1);
        for_each_dimension! { 0 1 2 3 4 }
        for_each_stride! { 0 1 2 3 }
        tensormap_replace::tile_elemtype::<{ value::ELEMTYPE_U8 }>(map);
        tensormap_replace::tile_interleave_layout::<{ value::NO_INTERLEAVE }>(map);
        tensormap_replace::tile_swizzle_mode::<{ value::NO_SWIZZLE }>(map);
        tensormap_replace::tile_fill_mode::<{ value::ZERO_FILL }>(map);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{EncodeMap, map_fields};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Interleave, OobFill, Swizzle, Target, TensorMap, Tiled};
    use tma_launch::{BufferRef, Conditions, Launch, MapRef, Region, Shape, Violations};

    use super::{MapFields, encode_map, encode_map_zeroed};
    use crate::{
        arguments::product,
        consume_map::{BOX, BOX_5D},
    };

    /// Makes maps of tensors of bytes on the device.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct EncodeMap {
        /// Begin with a template from the host, or with zeros.
        pub template: bool,
        /// The buffer of the fields of the maps: [`map_fields`] of each.
        pub fields: usize,
        /// The buffer that the tensors are in.
        pub tensors: usize,
        /// The buffer that gets the maps.
        pub maps: usize,
        /// The number of maps.
        pub count: u32,
    }

    impl EncodeMap {
        /// Checks the arguments.
        ///
        /// # Errors
        /// Every condition that the arguments break.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            conditions.at_least("maps", self.count, 1, "the grid must not be empty");
            let map_bytes = TensorMap::BYTES as u32;
            let fields_bytes = size_of::<MapFields>() as u32;
            let bytes = |buffer, of| Region::bytes(buffer, product(&[self.count, of]));
            conditions.reads(bytes(self.fields, fields_bytes));
            conditions.writes(bytes(self.maps, map_bytes));
            let (fields, tensors) = (BufferRef::new(self.fields), BufferRef::new(self.tensors));
            let maps = BufferRef::new(self.maps);
            let call = if self.template {
                let template = TensorMap::tiled(DataType::U8, &[16]).box_dims(&[16]);
                encode_map(MapRef::new(template, self.tensors), fields, tensors, maps)
            } else {
                encode_map_zeroed(fields, tensors, maps)
            };
            conditions.launch(call, Shape::new(self.count, 32))
        }
    }

    /// Returns the fields of the map that the device is to make: a tensor of bytes that begins `offset_bytes` into
    /// the buffer of the tensors.
    ///
    /// # Errors
    /// The tensor is not of bytes, or is interleaved, swizzled or filled with NaN, which the kernels do
    /// not make; its box is none that [`ConsumeMap`](crate::consume_map::ConsumeMap) takes; it breaks
    /// rules of tensor maps.
    pub fn map_fields(tiled: &Tiled, offset_bytes: u64) -> Result<MapFields, Violations> {
        let tensor = &tiled.tensor;
        let mut conditions = Conditions::default();
        if tensor.data_type != DataType::U8
            || tensor.interleave != Interleave::None
            || tensor.swizzle != Swizzle::None
            || tensor.oob_fill != OobFill::Zeros
        {
            let value = format!(
                "{:?}, {:?}, {:?}, {:?}",
                tensor.data_type, tensor.interleave, tensor.swizzle, tensor.oob_fill
            );
            let limit = "must be U8 without interleave and swizzle, filled with zeros";
            conditions.refuse("tensor", value, limit, "make other maps on the host");
        }
        let extents = 0..tensor.rank();
        let extents: Vec<usize> = extents
            .map(|dim| tiled.box_elements(dim) as usize)
            .collect();
        if extents != BOX && extents != BOX_5D {
            let value = format!("{extents:?} bytes");
            let limit = format!("must be {BOX:?} or {BOX_5D:?} bytes, as `ConsumeMap` loads");
            conditions.refuse("box", value, limit, "use one of these");
        }
        // Buffers begin at multiples of 256 bytes.
        let address = offset_bytes.saturating_add(0x1000);
        if let Err(refused) = tiled.params().build_for(address, Target::SM_90) {
            let value = format!("{offset_bytes} bytes into its buffer");
            conditions.refuse(
                "tensor",
                value,
                refused.to_string(),
                "follow the rules of tensor maps",
            );
        }
        conditions.into_result()?;
        let dims = tensor.dims.as_slice().iter().map(|dim| *dim as u32);
        Ok(MapFields {
            offset_bytes,
            global_stride_bytes: padded(tensor.strides_bytes.as_slice().iter().copied()),
            rank: tensor.rank() as u32,
            global_dim: padded(dims),
            box_dim: padded(tiled.box_dims.as_slice().iter().copied()),
            element_stride: padded(tensor.element_strides.as_slice().iter().copied()),
        })
    }

    /// Returns the first `N` of these, and zeros where there are fewer.
    fn padded<T: Copy + Default, const N: usize>(numbers: impl Iterator<Item = T>) -> [T; N] {
        let mut all = [T::default(); N];
        for (slot, number) in all.iter_mut().zip(numbers) {
            *slot = number;
        }
        all
    }

    // SAFETY: numbers of 8 and then of 4 bytes that are 104 in all leave no gaps, and any bytes are some.
    unsafe impl bytemuck::Zeroable for MapFields {}
    // SAFETY: numbers of 8 and then of 4 bytes leave no gaps, and any bytes are some.
    unsafe impl bytemuck::Pod for MapFields {}
    const _: () = assert!(size_of::<MapFields>() == 5 * size_of::<u64>() + 16 * size_of::<u32>());
}
