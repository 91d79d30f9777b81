//! A warpgroup multiplies the boxes of two tensor copies: 64 rows of A, and 32 columns of B with contiguous rows.

use tma::{
    Barrier, TensorMap, kernel,
    ptx::{
        Aligned, Bf16, cp_async_bulk_tensor,
        mbarrier::Mbarrier,
        wgmma::{self, Registers},
    },
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const ANOTHER_SWIZZLE: u32 = 1; //~ product-layout
const A_BASE_OFFSET: u32 = 2; //~ product-layout
const STRIDE_OF_FOUR_ROWS: u32 = 3; //~ product-layout
const BOXES_TOO_NEAR: u32 = 4; //~ product-layout
const ROWS_OF_B: u32 = 5; //~ product-layout

/// 64 elements of 64 rows.
const A_BYTES: u32 = 2 * 64 * 64;
/// 16 columns of 64 rows.
const B_BYTES: u32 = 2 * 16 * 64;

/// Everything but the start: the swizzle's number, and the bytes of the offsets.
const fn descriptor(swizzle: u64, leading: u64, stride: u64, base: u64) -> u64 {
    swizzle << 62 | base << 49 | (stride >> 4) << 32 | (leading >> 4) << 16
}

/// K is 64, in four steps.
#[kernel(max_threads = 128, instances(BUG = CORRECT, ANOTHER_SWIZZLE, A_BASE_OFFSET, STRIDE_OF_FOUR_ROWS, BOXES_TOO_NEAR,
    ROWS_OF_B))]
unsafe fn product_of_boxes<const BUG: u32>(
    #[grid_constant] a: &TensorMap,
    #[grid_constant] b: &TensorMap,
    output: *mut [f32; 16],
) {
    shared! {
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    let tiles = shared::dynamic::<u8, 1024>();
    let tile_of_b = tiles.byte_add(A_BYTES);
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        let _ = bar.arrive_expect_tx(A_BYTES + 2 * B_BYTES);
        cp_async_bulk_tensor::shared_cluster_global_tile(tiles.cast(), a, [0, 0], bar.address());
        let mut half = 0;
        while half < 2 {
            let to = tile_of_b.byte_add(half * B_BYTES);
            let at = [16 * half as i32, 0];
            cp_async_bulk_tensor::shared_cluster_global_tile(to.cast(), b, at, bar.address());
            half += 1;
        }
    }
    bar.wait_parity(0);
    let of_a = const {
        match BUG {
            ANOTHER_SWIZZLE => descriptor(2, 16, 1024, 0),
            A_BASE_OFFSET => descriptor(1, 16, 1024, 1),
            STRIDE_OF_FOUR_ROWS => descriptor(1, 16, 512, 0),
            _ => descriptor(1, 16, 1024, 0),
        }
    };
    let of_b = const {
        match BUG {
            BOXES_TOO_NEAR => descriptor(3, B_BYTES as u64 / 2, 256, 0),
            ROWS_OF_B => descriptor(3, B_BYTES as u64, 128, 0),
            _ => descriptor(3, B_BYTES as u64, 256, 0),
        }
    };
    let of_a = of_a | u64::from(tiles.address() >> 4);
    let of_b = of_b | u64::from(tile_of_b.address() >> 4);
    let mut sums = [0_f32; 16].pinned();
    wgmma::fence_sync::<Aligned>();
    let mut step = 0;
    while step < 4 {
        // 16 elements of a row of A, and 16 rows of B.
        let (a, b) = (of_a + 2 * step, of_b + 32 * step);
        sums = wgmma::mma_async::<_, Bf16, Bf16, 1, 1, 0, 1>(sums, a, b, true);
        step += 1;
    }
    wgmma::commit_group_sync::<Aligned>();
    wgmma::wait_group_sync::<Aligned, 0>();
    output.add(thread as usize).write(sums.pinned());
}
