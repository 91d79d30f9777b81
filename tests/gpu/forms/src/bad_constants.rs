//! Constants that wrappers refuse when a kernel is compiled. The message follows each line.

use tma::ptx::*;

use crate::{cluster, generic, global, shared};

macro_rules! bad {
    ($($name:ident($p:ident): $call:expr;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name($p: *mut u8) {
            // SAFETY: the call does not compile.
            let _ = unsafe { $call };
        }
    )+};
}

bad! {
    three_bytes(p): cp_async::shared_cta_global::<Ca, 3>(shared(0), p); // `cp.async` copies 4, 8 or 16 bytes
    cg_of_8(p): cp_async::shared_cta_global::<Cg, 8>(shared(0), p); // `cp.async.cg` copies 16 bytes
    prefetch_32(p): cp_async::shared_cta_global_l2::<Ca, 16, 32>(shared(0), p); // `cp.async` prefetches 64, 128 or 256 bytes into L2
    no_rank(p): cp_async_bulk_tensor::global_shared_cta_tile(p.cast(), [], shared(0)); // a tensor has 1 to 5 dimensions
    six_ranks(p): cp_async_bulk_tensor::shared_cta_global_tile(shared(0), p.cast(), [0; 6], shared(0)); // a tensor has 1 to 5 dimensions
    six_in_cluster(p): cp_async_bulk_tensor::shared_cluster_global_tile(cluster(0), p.cast(), [0; 6], cluster(0)); // a tensor has 1 to 5 dimensions
    im2col_of_2(p): cp_async_bulk_tensor::global_shared_cta_im2col_no_offs(p.cast(), [0; 2], shared(0)); // a tensor in an im2col mode has 3 to 5 dimensions
    offsets(p): cp_async_bulk_tensor::shared_cta_global_im2col(shared(0), p.cast(), [0; 4], shared(0), [0; 3]); // im2col takes an offset for each dimension but channels and images
    rows(p): cp_async_bulk_tensor::shared_cta_global_tile_gather4(shared(0), p.cast(), [0; 4], shared(0)); // a gather or scatter takes a column and four rows
    group_3(p): cp_async_bulk_tensor::shared_cta_global_tile_cta_group::<2, 3>(shared(0), p.cast(), [0; 2], shared(0)); // `.cta_group` is 1 or 2
    prefetched_6(p): cp_async_bulk_prefetch_tensor::l2_global_tile(p.cast(), [0; 6]); // a tensor has 1 to 5 dimensions
    reduced_6(p): cp_reduce_async_bulk_tensor::global_shared_cta_tile::<Add, 6>(p.cast(), [0; 6], shared(0)); // a tensor has 1 to 5 dimensions
    registers_161(_p): setmaxnreg::inc_sync_aligned::<161>(); // `setmaxnreg` takes multiples of 8 from 24 to 256
    registers_16(_p): setmaxnreg::dec_sync_aligned::<16>(); // `setmaxnreg` takes multiples of 8 from 24 to 256
    dimension_5(p): tensormap_replace::tile_box_dim::<5>(global(p), 1); // the dimension is 0 to 4
    stride_4(p): tensormap_replace::tile_global_stride::<4>(generic(p), 16); // the dimension is 0 to 3
    type_16(_p): tensormap_replace::tile_elemtype::<16>(shared(0)); // the value is 0 to 15
    selector_4(_p): mma::sp_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32::<OrderedMetadata, 4>([0; 2], [0; 2], [0.0; 4], 0); // the sparsity selector is at most 3
    selector_1(_p): mma::sp_sync_aligned_m16n8k64_row_col_s32_s8_s8_s32::<AnyMetadata, 1>([0; 4], [0; 4], [0; 4], 0); // the sparsity selector is at most 0
    byte_1(_p): mma::sync_aligned_m16n8k64_row_col_kind_mxf4_block_scale_scale_vec_2x::<1, 0, 0, 0>([0; 4], [0; 2], [0.0; 4], [0; 2]); // the byte of a scale is 0 or 2
    lane_4(_p): mma::sync_aligned_m16n8k64_row_col_kind_mxf4_block_scale_scale_vec_2x::<0, 0, 0, 4>([0; 4], [0; 2], [0.0; 4], [0; 2]); // the lanes of scales are 0 or 1 for A, and 0 to 3 for B
    fill_2(_p): tensormap_replace::tile_fill_mode::<2>(shared(0)); // the value is 0 to 1
}
