//! `tensormap.replace`, changes of a tensor map's fields.

family! { TensormapReplace "9.7.9.28" { GlobalAddress, Rank, BoxDim, GlobalDim, ElementStride, GlobalStride, Elemtype, InterleaveLayout, SwizzleMode, SwizzleAtomicity, FillMode }
    GlobalAddress: "tensormap.replace.tile.global_address{.shared::cta.b1024.b64 [r]|.global.b1024.b64 [d]|.b1024.b64 [d]}, d"
        isa "8.3" on "sm_90a" = "tensormap_replace::tile_global_address({shared(a)|global(p)|generic(p)}, w)";
    Rank: "tensormap.replace.tile.rank{.shared::cta.b1024.b32 [r]|.global.b1024.b32 [d]|.b1024.b32 [d]}, r"
        isa "8.3" on "sm_90a" = "tensormap_replace::tile_rank({shared(a)|global(p)|generic(p)}, n)";
    BoxDim | GlobalDim | ElementStride: "tensormap.replace.tile.{box_dim|global_dim|element_stride}{.shared::cta.b1024.b32 [r]|.global.b1024.b32 [d]|.b1024.b32 [d]}, 1, r"
        isa "8.3" on "sm_90a" = "tensormap_replace::tile_{box_dim|global_dim|element_stride}::<1>({shared(a)|global(p)|generic(p)}, n)";
    GlobalStride: "tensormap.replace.tile.global_stride{.shared::cta.b1024.b64 [r]|.global.b1024.b64 [d]|.b1024.b64 [d]}, 1, d"
        isa "8.3" on "sm_90a" = "tensormap_replace::tile_global_stride::<1>({shared(a)|global(p)|generic(p)}, w)";
    Elemtype | InterleaveLayout | SwizzleMode | SwizzleAtomicity | FillMode: "tensormap.replace.tile.{elemtype|interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode}{.shared::cta.b1024.b32 [r]|.global.b1024.b32 [d]|.b1024.b32 [d]}, 1"
        isa "{8.3|8.3|8.3|8.6|8.3}" on "{sm_90a|sm_90a|sm_90a|sm_100a_or_sm_120a|sm_90a}" = "tensormap_replace::tile_{elemtype|interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode}::<1>({shared(a)|global(p)|generic(p)})";
    Elemtype: "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [r], {12|13|15}"
        isa "{8.3|8.7|8.7}" on "{sm_90a|sm_100a_or_sm_120a|sm_100a_or_sm_120a}" = "tensormap_replace::tile_elemtype::<{12|13|15}>(shared(a))";
    SwizzleMode: "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [r], {3|4}"
        isa "{8.3|8.8}" on "{sm_90a|sm_103a}" = "tensormap_replace::tile_swizzle_mode::<{3|4}>(shared(a))";
}
