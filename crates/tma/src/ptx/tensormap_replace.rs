//! `tensormap.replace`, changes of a tensor map's fields. PTX ISA 9.7.9.28.
//!
//! `SPACE` follows from the type of the address: `.global`, `.shared::cta`, or empty for a raw
//! pointer. A changed map is released and acquired before a copy uses it
//! ([`tensormap_cp_fenceproxy`](super::tensormap_cp_fenceproxy), [`fence`](super::fence)).

use tensor_map::TensorMap;

use super::operand::address::EditAddress;

/// Fields that a register replaces.
macro_rules! registers {
    ($($(#[$attribute:meta])* $name:ident = $field:literal, $value:ident: $type:ty, $class:ident, $bits:literal;)+) => {
    $(
        #[doc = concat!("`tensormap.replace.tile.", $field, ".SPACE.b1024", $bits, " [map], ", stringify!($value), ";`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `map` is a multiple of 64 and points to a tensor map in global memory or this block's shared
        ///    memory.
        /// 2. No copy uses the map, and no other code uses these bytes, at the same time.
        #[doc(alias = "tensormap_replace")]
        #[device_fn(isa = "8.3", arch = sm_90a)]
        pub unsafe fn $name(map: impl EditAddress<TensorMap>, $value: $type) {
            // SAFETY: the address is aligned and has a map (1), which nothing else accesses meanwhile (2).
            unsafe {
                ptx_asm! { []
                    ("tensormap.replace.tile.") ($field) { space map } (".b1024")
                    ($bits " [{map}], {value};"; value = in($class) $value)
                }
            }
        }
    )+ };
}

registers! {
    /// Sets the address of the tensor in global memory, a multiple of 16.
    #[doc(alias = "tensormap_replace_global_address")]
    tile_global_address = "global_address", address: u64, reg64, ".b64";
    /// Sets the number of dimensions, less one.
    #[doc(alias = "tensormap_replace_rank")]
    tile_rank = "rank", rank_less_one: u32, reg32, ".b32";
}

/// Fields that a register replaces for one dimension.
macro_rules! dimensions {
    ($($(#[$attribute:meta])* $name:ident = $field:literal, $value:ident: $type:ty, $class:ident, $bits:literal,
        $count:literal $limit:literal;)+) => {
    $(
        #[doc = concat!("`tensormap.replace.tile.", $field, ".SPACE.b1024", $bits, " [map], DIMENSION, ",
            stringify!($value), ";`")]
        ///
        $(#[$attribute])*
        #[doc = concat!("`DIMENSION` counts from the innermost, 0 to ", $limit, ".")]
        ///
        /// # Safety
        /// 1. `map` is a multiple of 64 and points to a tensor map in global memory or this block's shared
        ///    memory.
        /// 2. No copy uses the map, and no other code uses these bytes, at the same time.
        #[doc(alias = "tensormap_replace")]
        #[device_fn(isa = "8.3", arch = sm_90a)]
        pub unsafe fn $name<const DIMENSION: u32>(map: impl EditAddress<TensorMap>, $value: $type) {
            const { assert!(DIMENSION < $count, concat!("the dimension is 0 to ", $limit)) };
            // SAFETY: the address is aligned and has a map (1), which nothing else accesses meanwhile (2); the
            // assertion limits the dimension.
            unsafe {
                ptx_asm! { []
                    ("tensormap.replace.tile.") ($field) { space map } (".b1024")
                    ($bits " [{map}], {dimension}, {value};"; dimension = const DIMENSION, value = in($class) $value)
                }
            }
        }
    )+ };
}

dimensions! {
    /// Sets the box's extent in a dimension, in elements.
    #[doc(alias = "tensormap_replace_box_dim")]
    tile_box_dim = "box_dim", extent_elems: u32, reg32, ".b32", 5 "4";
    /// Sets the tensor's extent in a dimension, in elements.
    #[doc(alias = "tensormap_replace_global_dim")]
    tile_global_dim = "global_dim", extent_elems: u32, reg32, ".b32", 5 "4";
    /// Sets the distance of two neighbours in the dimension after this one, in bytes.
    #[doc(alias = "tensormap_replace_global_stride")]
    tile_global_stride = "global_stride", stride_bytes: u64, reg64, ".b64", 4 "3";
    /// Sets which elements of a dimension a box takes: every `stride_elems`-th.
    #[doc(alias("tensormap_replace_element_size", "tensormap_replace_element_stride"))]
    tile_element_stride = "element_stride", stride_elems: u32, reg32, ".b32", 5 "4";
}

/// Fields with one of a few numbers. The last column is the requirement of the numbers from one on.
macro_rules! choices {
    ($($(#[$attribute:meta])* $name:ident = $field:literal, $count:literal $limit:literal
        isa $isa:literal on $arch:ident $(, $first:literal on $later:ident)?;)+) => {
    $(
        #[doc = concat!("`tensormap.replace.tile.", $field, ".SPACE.b1024.b32 [map], VALUE;`")]
        ///
        $(#[$attribute])*
        $(
            #[doc = concat!("`VALUE` from ", $first, " on: ", architectures!(names $later), ".")]
            ///
        )?
        /// # Safety
        /// 1. `map` is a multiple of 64 and points to a tensor map in global memory or this block's shared
        ///    memory.
        /// 2. No copy uses the map, and no other code uses these bytes, at the same time.
        #[doc(alias = "tensormap_replace")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<const VALUE: u32>(map: impl EditAddress<TensorMap>) {
            const { assert!(VALUE < $count, concat!("the value is 0 to ", $limit)) };
            $(gate!([VALUE >= $first] concat!(module_path!(), "::", stringify!($name), "::<", $first, ">"), $later);)?
            // SAFETY: the address is aligned and has a map (1), which nothing else accesses meanwhile (2); the
            // assertion limits the value.
            unsafe {
                ptx_asm! { []
                    ("tensormap.replace.tile.") ($field) { space map }
                    (".b1024.b32" " [{map}], {value};"; value = const VALUE)
                }
            }
        }
    )+ };
}

choices! {
    /// Sets the type of the elements: 0 to 12 as in the manual's table from `.u8` to `.tf32.ftz`, 13 to 15
    /// types of 4 and 6 bits. The numbers are not those of the driver.
    #[doc(alias = "tensormap_replace_elemtype")]
    tile_elemtype = "elemtype", 16 "15" isa "8.3, from 13 on 8.7" on sm_90a, 13 on sm_100a_or_sm_120a;
    /// Sets the interleaved layout: 0 none, 1 of 16 bytes, 2 of 32.
    #[doc(alias = "tensormap_replace_interleave_layout")]
    tile_interleave_layout = "interleave_layout", 3 "2" isa "8.3" on sm_90a;
    /// Sets the swizzle: 0 none, 1 of 32 bytes, 2 of 64, 3 of 128, 4 of 96.
    #[doc(alias = "tensormap_replace_swizzle_mode")]
    tile_swizzle_mode = "swizzle_mode", 5 "4" isa "8.3, with 4 8.8" on sm_90a, 4 on sm_103a;
    /// Sets the unit that the swizzle moves: 0 of 16 bytes, 1 of 32, 2 of 32 with halves exchanged, 3 of 64.
    #[doc(alias = "tensormap_replace_swizzle_atomicity")]
    tile_swizzle_atomicity = "swizzle_atomicity", 4 "3" isa "8.6" on sm_100a_or_sm_120a;
    /// Sets what loads write for elements outside the tensor: 0 zeros, 1 NaN.
    #[doc(alias = "tensormap_replace_fill_mode")]
    tile_fill_mode = "fill_mode", 2 "1" isa "8.3" on sm_90a;
}
