//! `cp.async.bulk.tensor`, copies of the boxes that a tensor map describes.

family! { CpAsyncBulkTensor "9.7.9.27.1.2" { Copy }
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.tile.mbarrier::complete_tx::bytes [r], [d, $COORDS], [r]"
        isa "{S:8.6|8.0}" on "sm_90" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile::<{R:1|2|3|4|5}>({S:shared|cluster}(a), p.cast(), $XYZ, {S:shared|cluster}(b))";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d, $COORDS], [r], d"
        isa "{S:8.6|8.0}" on "sm_90" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_cache_hint::<{R:1|2|3|4|5}>({S:shared|cluster}(a), p.cast(), $XYZ, {S:shared|cluster}(b), w)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.tile.mbarrier::complete_tx::bytes.cta_group::{G:1|2} [r], [d, $COORDS], [r]"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_cta_group::<{R:1|2|3|4|5}, {G:1|2}>({S:shared|cluster}(a), p.cast(), $XYZ, {S:shared|cluster}(b))";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.tile.mbarrier::complete_tx::bytes.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS], [r], d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_cta_group_cache_hint::<{R:1|2|3|4|5}, {G:1|2}>({S:shared|cluster}(a), p.cast(), $XYZ, {S:shared|cluster}(b), w)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [r], [d, $COORDS], [r], h"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::shared_cluster_global_tile_multicast::<{R:1|2|3|4|5}>(shared(a), p.cast(), $XYZ, shared(b), h)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r], [d, $COORDS], [r], h, d"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::shared_cluster_global_tile_multicast_cache_hint::<{R:1|2|3|4|5}>(shared(a), p.cast(), $XYZ, shared(b), h, w)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2} [r], [d, $COORDS], [r], h"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_tile_multicast_cta_group::<{R:1|2|3|4|5}, {G:1|2}>(shared(a), p.cast(), $XYZ, shared(b), h)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS], [r], h, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_tile_multicast_cta_group_cache_hint::<{R:1|2|3|4|5}, {G:1|2}>(shared(a), p.cast(), $XYZ, shared(b), h, w)";
    Copy: "cp.async.bulk.tensor.2d.shared::{S:cta|cluster}.global.tile::gather4.mbarrier::complete_tx::bytes [r], [d, {r,r,r,r,r}], [r]"
        isa "8.6" on "{S:sm_100|sm_100a}" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_gather4({S:shared|cluster}(a), p.cast(), [x, y, z, t, u], {S:shared|cluster}(b))";
    Copy: "cp.async.bulk.tensor.2d.shared::{S:cta|cluster}.global.tile::gather4.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d, {r,r,r,r,r}], [r], d"
        isa "8.6" on "{S:sm_100|sm_100a}" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_gather4_cache_hint({S:shared|cluster}(a), p.cast(), [x, y, z, t, u], {S:shared|cluster}(b), w)";
    Copy: "cp.async.bulk.tensor.2d.shared::{S:cta|cluster}.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::{G:1|2} [r], [d, {r,r,r,r,r}], [r]"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_gather4_cta_group::<5, {G:1|2}>({S:shared|cluster}(a), p.cast(), [x, y, z, t, u], {S:shared|cluster}(b))";
    Copy: "cp.async.bulk.tensor.2d.shared::{S:cta|cluster}.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::{G:1|2}.L2::cache_hint [r], [d, {r,r,r,r,r}], [r], d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_tile_gather4_cta_group_cache_hint::<5, {G:1|2}>({S:shared|cluster}(a), p.cast(), [x, y, z, t, u], {S:shared|cluster}(b), w)";
    Copy: "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster [r], [d, {r,r,r,r,r}], [r], h"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_tile_gather4_multicast(shared(a), p.cast(), [x, y, z, t, u], shared(b), h)";
    Copy: "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r], [d, {r,r,r,r,r}], [r], h, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_tile_gather4_multicast_cache_hint(shared(a), p.cast(), [x, y, z, t, u], shared(b), h, w)";
    Copy: "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2} [r], [d, {r,r,r,r,r}], [r], h"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_tile_gather4_multicast_cta_group::<5, {G:1|2}>(shared(a), p.cast(), [x, y, z, t, u], shared(b), h)";
    Copy: "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2}.L2::cache_hint [r], [d, {r,r,r,r,r}], [r], h, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_tile_gather4_multicast_cta_group_cache_hint::<5, {G:1|2}>(shared(a), p.cast(), [x, y, z, t, u], shared(b), h, w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col.mbarrier::complete_tx::bytes [r], [d, $COORDS3], [r], $OFFSETS3"
        isa "{S:8.6|8.0}" on "sm_90" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col::<{R:3, 1|4, 2|5, 3}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), $IJK3)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d, $COORDS3], [r], $OFFSETS3, d"
        isa "{S:8.6|8.0}" on "sm_90" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_cache_hint::<{R:3, 1|4, 2|5, 3}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), $IJK3, w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col.mbarrier::complete_tx::bytes.cta_group::{G:1|2} [r], [d, $COORDS3], [r], $OFFSETS3"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_cta_group::<{R:3, 1|4, 2|5, 3}, {G:1|2}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), $IJK3)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col.mbarrier::complete_tx::bytes.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS3], [r], $OFFSETS3, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_cta_group_cache_hint::<{R:3, 1|4, 2|5, 3}, {G:1|2}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), $IJK3, w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [r], [d, $COORDS3], [r], $OFFSETS3, h"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::shared_cluster_global_im2col_multicast::<{R:3, 1|4, 2|5, 3}>(shared(a), p.cast(), $XYZ3, shared(b), $IJK3, h)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r], [d, $COORDS3], [r], $OFFSETS3, h, d"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::shared_cluster_global_im2col_multicast_cache_hint::<{R:3, 1|4, 2|5, 3}>(shared(a), p.cast(), $XYZ3, shared(b), $IJK3, h, w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2} [r], [d, $COORDS3], [r], $OFFSETS3, h"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_multicast_cta_group::<{R:3, 1|4, 2|5, 3}, {G:1|2}>(shared(a), p.cast(), $XYZ3, shared(b), $IJK3, h)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS3], [r], $OFFSETS3, h, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_multicast_cta_group_cache_hint::<{R:3, 1|4, 2|5, 3}, {G:1|2}>(shared(a), p.cast(), $XYZ3, shared(b), $IJK3, h, w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col::w.mbarrier::complete_tx::bytes [r], [d, $COORDS3], [r], {h,h}"
        isa "8.6" on "{S:sm_100|sm_100a}" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_w::<{R:3|4|5}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), [i, j])";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col::w::128.mbarrier::complete_tx::bytes [r], [d, $COORDS3], [r], {h,h}"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_w_128::<{R:3|4|5}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), [i, j])";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col::w.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d, $COORDS3], [r], {h,h}, d"
        isa "8.6" on "{S:sm_100|sm_100a}" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_w_cache_hint::<{R:3|4|5}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), [i, j], w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col::w::128.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d, $COORDS3], [r], {h,h}, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_w_128_cache_hint::<{R:3|4|5}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), [i, j], w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.cta_group::{G:1|2} [r], [d, $COORDS3], [r], {h,h}"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_{W:w|w_128}_cta_group::<{R:3|4|5}, {G:1|2}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), [i, j])";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::{S:cta|cluster}.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS3], [r], {h,h}, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_{S:cta|cluster}_global_im2col_{W:w|w_128}_cta_group_cache_hint::<{R:3|4|5}, {G:1|2}>({S:shared|cluster}(a), p.cast(), $XYZ3, {S:shared|cluster}(b), [i, j], w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.multicast::cluster [r], [d, $COORDS3], [r], {h,h}, h"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_{W:w|w_128}_multicast::<{R:3|4|5}>(shared(a), p.cast(), $XYZ3, shared(b), [i, j], h)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r], [d, $COORDS3], [r], {h,h}, h, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_{W:w|w_128}_multicast_cache_hint::<{R:3|4|5}>(shared(a), p.cast(), $XYZ3, shared(b), [i, j], h, w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2} [r], [d, $COORDS3], [r], {h,h}, h"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_{W:w|w_128}_multicast_cta_group::<{R:3|4|5}, {G:1|2}>(shared(a), p.cast(), $XYZ3, shared(b), [i, j], h)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS3], [r], {h,h}, h, d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_{W:w|w_128}_multicast_cta_group_cache_hint::<{R:3|4|5}, {G:1|2}>(shared(a), p.cast(), $XYZ3, shared(b), [i, j], h, w)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.tile.bulk_group [d, $COORDS], [r]"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::global_shared_cta_tile::<{R:1|2|3|4|5}>(p.cast(), $XYZ, shared(a))";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.tile.bulk_group.L2::cache_hint [d, $COORDS], [r], d"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::global_shared_cta_tile_cache_hint::<{R:1|2|3|4|5}>(p.cast(), $XYZ, shared(a), w)";
    Copy: "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [d, {r,r,r,r,r}], [r]"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::global_shared_cta_tile_scatter4(p.cast(), [x, y, z, t, u], shared(a))";
    Copy: "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.L2::cache_hint [d, {r,r,r,r,r}], [r], d"
        isa "8.6" on "sm_100a" = "cp_async_bulk_tensor::global_shared_cta_tile_scatter4_cache_hint(p.cast(), [x, y, z, t, u], shared(a), w)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.im2col_no_offs.bulk_group [d, $COORDS3], [r]"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::global_shared_cta_im2col_no_offs::<{R:3|4|5}>(p.cast(), $XYZ3, shared(a))";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [d, $COORDS3], [r], d"
        isa "8.0" on "sm_90" = "cp_async_bulk_tensor::global_shared_cta_im2col_no_offs_cache_hint::<{R:3|4|5}>(p.cast(), $XYZ3, shared(a), w)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster::32b [r], [d, $COORDS], [r], r"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cluster_global_tile_multicast_32b::<{R:1|2|3|4|5}>(shared(a), p.cast(), $XYZ, shared(b), m)";
    Copy: "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster::32b [r], [d, {r,r,r,r,r}], [r], r"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cluster_global_tile_gather4_multicast_32b::<5>(shared(a), p.cast(), [x, y, z, t, u], shared(b), m)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster::32b [r], [d, $COORDS3], [r], $OFFSETS3, r"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_multicast_32b::<{R:3, 1|4, 2|5, 3}>(shared(a), p.cast(), $XYZ3, shared(b), $IJK3, m)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cluster.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.multicast::cluster::32b [r], [d, $COORDS3], [r], {h,h}, r"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cluster_global_im2col_{W:w|w_128}_multicast_32b::<{R:3|4|5}>(shared(a), p.cast(), $XYZ3, shared(b), [i, j], m)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [r], [d, $COORDS], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_report::<{R:1|2|3|4|5}, Per16Bytes8000>(shared(a), p.cast(), $XYZ, shared(b))";
    Copy: "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::validity::{per_16bytes::8|per_16bytes::80|per_16bytes::80000000|per_element::ff} [r], [d, {r,r}], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_report::<2, {Per16Bytes8|Per16Bytes80|Per16Bytes80000000|PerElementFf}>(shared(a), p.cast(), [x, y], shared(b))";
    Copy: "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::disabled [r], [d, {r,r}], [r]"
        isa "9.4" on "sm_107a" == "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [r], [d, {r,r}], [r]";
    Copy: "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [r], [d, {r,r,r,r,r}], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_gather4_report::<5, Per16Bytes8000>(shared(a), p.cast(), [x, y, z, t, u], shared(b))";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cta.global.im2col.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [r], [d, $COORDS3], [r], $OFFSETS3"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_im2col_report::<{R:3, 1|4, 2|5, 3}, Per16Bytes8000>(shared(a), p.cast(), $XYZ3, shared(b), $IJK3)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cta.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [r], [d, $COORDS3], [r], {h,h}"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_im2col_{W:w|w_128}_report::<{R:3|4|5}, Per16Bytes8000>(shared(a), p.cast(), $XYZ3, shared(b), [i, j])";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address [r], [d, d, $COORDS], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_override_global_address::<{R:1|2|3|4|5}>(shared(a), p.cast(), d, $XYZ, shared(b))";
    Copy: "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address.override::global_dim [r], [d, d, {h}, {r}], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_override_global_dim_stride::<1, 0>(shared(a), p.cast(), d, [h], [], s, [x], shared(b))";
    Copy: "cp.async.bulk.tensor.{R:2d|3d|4d|5d}.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address.override::global_dim_stride [r], [d, d, $DIMS2, $STRIDES2, h, $COORDS2], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_override_global_dim_stride::<{R:2, 1|3, 2|4, 3|5, 4}>(shared(a), p.cast(), d, $SIZES2, $STEPS2, s, $XYZ2, shared(b))";
    Copy: "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.override::global_address [r], [d, d, {r,r,r,r,r}], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_tile_gather4_override_global_address::<5>(shared(a), p.cast(), d, [x, y, z, t, u], shared(b))";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cta.global.im2col.mbarrier::complete_tx::bytes.override::global_address [r], [d, d, $COORDS3], [r], $OFFSETS3"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_im2col_override_global_address::<{R:3, 1|4, 2|5, 3}>(shared(a), p.cast(), d, $XYZ3, shared(b), $IJK3)";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.shared::cta.global.im2col::{W:w|w::128}.mbarrier::complete_tx::bytes.override::global_address [r], [d, d, $COORDS3], [r], {h,h}"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::shared_cta_global_im2col_{W:w|w_128}_override_global_address::<{R:3|4|5}>(shared(a), p.cast(), d, $XYZ3, shared(b), [i, j])";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.tile.bulk_group.override::global_address [d, d, $COORDS], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_tile_override_global_address::<{R:1|2|3|4|5}>(p.cast(), d, $XYZ, shared(a))";
    Copy: "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.override::global_address.override::global_dim [d, d, {h}, {r}], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_tile_override_global_dim_stride::<1, 0>(p.cast(), d, [h], [], s, [x], shared(a))";
    Copy: "cp.async.bulk.tensor.{R:2d|3d|4d|5d}.global.shared::cta.tile.bulk_group.override::global_address.override::global_dim_stride [d, d, $DIMS2, $STRIDES2, h, $COORDS2], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_tile_override_global_dim_stride::<{R:2, 1|3, 2|4, 3|5, 4}>(p.cast(), d, $SIZES2, $STEPS2, s, $XYZ2, shared(a))";
    Copy: "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.override::global_address [d, d, {r,r,r,r,r}], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_tile_scatter4_override_global_address::<5>(p.cast(), d, [x, y, z, t, u], shared(a))";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.{M:im2col_no_offs|im2col_no_offs::w}.bulk_group.override::global_address [d, d, $COORDS3], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_{M:im2col_no_offs|im2col_no_offs_w}_override_global_address::<{R:3|4|5}>(p.cast(), d, $XYZ3, shared(a))";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.im2col_no_offs::w.bulk_group [d, $COORDS3], [r]"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_im2col_no_offs_w::<{R:3|4|5}>(p.cast(), $XYZ3, shared(a))";
    Copy: "cp.async.bulk.tensor.{R:3d|4d|5d}.global.shared::cta.im2col_no_offs::w.bulk_group.L2::cache_hint [d, $COORDS3], [r], d"
        isa "9.4" on "sm_107a" = "cp_async_bulk_tensor::global_shared_cta_im2col_no_offs_w_cache_hint::<{R:3|4|5}>(p.cast(), $XYZ3, shared(a), w)";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.mbarrier::complete_tx::bytes [r], [d, $COORDS], [r]"
        isa "{S:8.6|8.0}" on "sm_90";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d, $COORDS], [r], d"
        isa "{S:8.6|8.0}" on "sm_90";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.mbarrier::complete_tx::bytes.cta_group::{G:1|2} [r], [d, $COORDS], [r]"
        isa "8.6" on "sm_100a";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::{S:cta|cluster}.global.mbarrier::complete_tx::bytes.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS], [r], d"
        isa "8.6" on "sm_100a";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r], [d, $COORDS], [r], h"
        isa "8.0" on "sm_90";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r], [d, $COORDS], [r], h, d"
        isa "8.0" on "sm_90";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2} [r], [d, $COORDS], [r], h"
        isa "8.6" on "sm_100a";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::{G:1|2}.L2::cache_hint [r], [d, $COORDS], [r], h, d"
        isa "8.6" on "sm_100a";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.bulk_group [d, $COORDS], [r]"
        isa "8.0" on "sm_90";
    Copy: "cp.async.bulk.tensor.{R:1d|2d|3d|4d|5d}.global.shared::cta.bulk_group.L2::cache_hint [d, $COORDS], [r], d"
        isa "8.0" on "sm_90";
}
