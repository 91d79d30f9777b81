//! `cp.async.bulk.prefetch.tensor`, boxes that a tensor map describes brought to the L2 cache.

family! { CpAsyncBulkPrefetchTensor "9.7.9.27.1.4" { Prefetch }
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:1d|2d|3d|4d|5d}.L2.global.tile [d, $COORDS]"
        isa "8.0" on "sm_90" = "cp_async_bulk_prefetch_tensor::l2_global_tile::<{R:1|2|3|4|5}>(p.cast(), $XYZ)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:1d|2d|3d|4d|5d}.L2.global.tile.L2::cache_hint [d, $COORDS], d"
        isa "8.0" on "sm_90" = "cp_async_bulk_prefetch_tensor::l2_global_tile_cache_hint::<{R:1|2|3|4|5}>(p.cast(), $XYZ, w)";
    Prefetch: "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [d, {r,r,r,r,r}]"
        isa "8.6" on "sm_100a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_gather4(p.cast(), [x, y, z, t, u])";
    Prefetch: "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.L2::cache_hint [d, {r,r,r,r,r}], d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_gather4_cache_hint(p.cast(), [x, y, z, t, u], w)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col [d, $COORDS3], $OFFSETS3"
        isa "8.0" on "sm_90" = "cp_async_bulk_prefetch_tensor::l2_global_im2col::<{R:3, 1|4, 2|5, 3}>(p.cast(), $XYZ3, $IJK3)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col.L2::cache_hint [d, $COORDS3], $OFFSETS3, d"
        isa "8.0" on "sm_90" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_cache_hint::<{R:3, 1|4, 2|5, 3}>(p.cast(), $XYZ3, $IJK3, w)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col::{W:w|w::128} [d, $COORDS3], {h,h}"
        isa "8.6" on "sm_100a" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_{W:w|w_128}::<{R:3|4|5}>(p.cast(), $XYZ3, [i, j])";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col::{W:w|w::128}.L2::cache_hint [d, $COORDS3], {h,h}, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_{W:w|w_128}_cache_hint::<{R:3|4|5}>(p.cast(), $XYZ3, [i, j], w)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:1d|2d|3d|4d|5d}.L2.global.tile.L2::evict_last [d, $COORDS]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_evict_last::<{R:1|2|3|4|5}>(p.cast(), $XYZ)";
    Prefetch: "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.L2::evict_last [d, {r,r,r,r,r}]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_gather4_evict_last::<5>(p.cast(), [x, y, z, t, u])";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col.L2::evict_last [d, $COORDS3], $OFFSETS3"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_evict_last::<{R:3, 1|4, 2|5, 3}>(p.cast(), $XYZ3, $IJK3)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col::{W:w|w::128}.L2::evict_last [d, $COORDS3], {h,h}"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_{W:w|w_128}_evict_last::<{R:3|4|5}>(p.cast(), $XYZ3, [i, j])";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:1d|2d|3d|4d|5d}.L2.global.tile.override::global_address [d, d, $COORDS]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_override_global_address::<{R:1|2|3|4|5}>(p.cast(), d, $XYZ)";
    Prefetch: "cp.async.bulk.prefetch.tensor.1d.L2.global.tile.override::global_address.override::global_dim [d, d, {h}, {r}]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_override_global_dim_stride::<1, 0>(p.cast(), d, [h], [], s, [x])";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:2d|3d|4d|5d}.L2.global.tile.override::global_address.override::global_dim_stride [d, d, $DIMS2, $STRIDES2, h, $COORDS2]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_override_global_dim_stride::<{R:2, 1|3, 2|4, 3|5, 4}>(p.cast(), d, $SIZES2, $STEPS2, s, $XYZ2)";
    Prefetch: "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.override::global_address [d, d, {r,r,r,r,r}]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_tile_gather4_override_global_address::<5>(p.cast(), d, [x, y, z, t, u])";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col.override::global_address [d, d, $COORDS3], $OFFSETS3"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_override_global_address::<{R:3, 1|4, 2|5, 3}>(p.cast(), d, $XYZ3, $IJK3)";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:3d|4d|5d}.L2.global.im2col::{W:w|w::128}.override::global_address [d, d, $COORDS3], {h,h}"
        isa "9.4" on "sm_107a" = "cp_async_bulk_prefetch_tensor::l2_global_im2col_{W:w|w_128}_override_global_address::<{R:3|4|5}>(p.cast(), d, $XYZ3, [i, j])";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:1d|2d|3d|4d|5d}.L2.global [d, $COORDS]"
        isa "8.0" on "sm_90";
    Prefetch: "cp.async.bulk.prefetch.tensor.{R:1d|2d|3d|4d|5d}.L2.global.L2::cache_hint [d, $COORDS], d"
        isa "8.0" on "sm_90";
}
