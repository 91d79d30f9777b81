//! `cp.reduce.async.bulk.tensor`, reductions of the boxes that a tensor map describes.

family! { CpReduceAsyncBulkTensor "9.7.9.27.1.3" { Reduce }
    Reduce: "cp.reduce.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile.bulk_group [d, $COORDS], [r]"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk_tensor::global_shared_cta_tile::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:1|2|3|4|5}>(p.cast(), $XYZ, shared(a))";
    Reduce: "cp.reduce.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile.bulk_group.L2::cache_hint [d, $COORDS], [r], d"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk_tensor::global_shared_cta_tile_cache_hint::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:1|2|3|4|5}>(p.cast(), $XYZ, shared(a), w)";
    Reduce: "cp.reduce.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.im2col_no_offs.bulk_group [d, $COORDS3], [r]"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk_tensor::global_shared_cta_im2col_no_offs::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:3|4|5}>(p.cast(), $XYZ3, shared(a))";
    Reduce: "cp.reduce.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.im2col_no_offs.bulk_group.L2::cache_hint [d, $COORDS3], [r], d"
        isa "8.0" on "sm_90" = "cp_reduce_async_bulk_tensor::global_shared_cta_im2col_no_offs_cache_hint::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:3|4|5}>(p.cast(), $XYZ3, shared(a), w)";
    Reduce: "cp.reduce.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile.override::global_address.bulk_group [d, d, $COORDS], [r]"
        isa "9.4" on "sm_107a" = "cp_reduce_async_bulk_tensor::global_shared_cta_tile_override_global_address::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:1|2|3|4|5}>(p.cast(), d, $XYZ, shared(a))";
    Reduce: "cp.reduce.async.bulk.tensor.1d.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile.override::global_address.override::global_dim.bulk_group [d, d, {h}, {r}], [r]"
        isa "9.4" on "sm_107a" = "cp_reduce_async_bulk_tensor::global_shared_cta_tile_override_global_dim_stride::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, 1, 0>(p.cast(), d, [h], [], s, [x], shared(a))";
    Reduce: "cp.reduce.async.bulk.tensor.{R:2d|3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile.override::global_address.override::global_dim_stride.bulk_group [d, d, $DIMS2, $STRIDES2, h, $COORDS2], [r]"
        isa "9.4" on "sm_107a" = "cp_reduce_async_bulk_tensor::global_shared_cta_tile_override_global_dim_stride::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:2, 1|3, 2|4, 3|5, 4}>(p.cast(), d, $SIZES2, $STEPS2, s, $XYZ2, shared(a))";
    Reduce: "cp.reduce.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.im2col_no_offs::w.bulk_group [d, $COORDS3], [r]"
        isa "9.4" on "sm_107a" = "cp_reduce_async_bulk_tensor::global_shared_cta_im2col_no_offs_w::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:3|4|5}>(p.cast(), $XYZ3, shared(a))";
    Reduce: "cp.reduce.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.im2col_no_offs::w.bulk_group.L2::cache_hint [d, $COORDS3], [r], d"
        isa "9.4" on "sm_107a" = "cp_reduce_async_bulk_tensor::global_shared_cta_im2col_no_offs_w_cache_hint::<{O:Add|Min|Max|Inc|Dec|And|Or|Xor}, {R:3|4|5}>(p.cast(), $XYZ3, shared(a), w)";
    Reduce: "cp.reduce.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.bulk_group [d, $COORDS], [r]"
        isa "8.0" on "sm_90";
    Reduce: "cp.reduce.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.bulk_group.L2::cache_hint [d, $COORDS], [r], d"
        isa "8.0" on "sm_90";
    Reduce: "cp.reduce.async.bulk.tensor.2d.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile::scatter4.bulk_group [d, {r,r,r,r,r}], [r]"
        isa "8.6" on "sm_100a";
    Reduce: "cp.reduce.async.bulk.tensor.2d.global.shared::cta.{O:add|min|max|inc|dec|and|or|xor}.tile::scatter4.bulk_group.L2::cache_hint [d, {r,r,r,r,r}], [r], d"
        isa "8.6" on "sm_100a";
}
