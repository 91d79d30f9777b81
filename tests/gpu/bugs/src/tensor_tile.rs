//! Boxes of a matrix are loaded, changed and stored.

use tma::{
    Barrier, TensorMap, kernel,
    ptx::{cp_async_bulk, cp_async_bulk_tensor, fence, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const COLUMN_NOT_ALIGNED: u32 = 1; //~ illegal-instruction
const STORED_AT_A_NEGATIVE_ROW: u32 = 2; //~ illegal-instruction
const SECOND_STAGE_AT_64: u32 = 3; //~ misaligned
const EXPECTS_WHAT_IS_INSIDE: u32 = 4; //~ transaction-bytes
const NO_FENCE: u32 = 5; //~ missing-proxy-fence
const SAME_BOX_TWICE: u32 = 6; //~ destination-overwritten
const MAP_IN_SHARED_MEMORY: u32 = 7; //~ map-in-local-memory

const BOX_BYTES: u32 = 16 * 4 * 4;

/// The matrix has 40 columns and 8 rows; of the last box, half is outside.
#[kernel(max_threads = 32, instances(BUG = CORRECT, COLUMN_NOT_ALIGNED, STORED_AT_A_NEGATIVE_ROW, SECOND_STAGE_AT_64, EXPECTS_WHAT_IS_INSIDE, NO_FENCE, SAME_BOX_TWICE, MAP_IN_SHARED_MEMORY))]
unsafe fn tensor_tile<const BUG: u32>(#[grid_constant] map: &TensorMap) {
    shared! {
        static BAR: Mbarrier;
        static COPY: [u32; 32] align 128;
    }
    let thread = thread_idx().x;
    let stage_bytes = if BUG == SECOND_STAGE_AT_64 {
        BOX_BYTES + 64
    } else {
        BOX_BYTES
    };
    let stage = |tile: u32| shared::dynamic::<u32, 128>().byte_add(tile * stage_bytes);
    let mut map: *const TensorMap = map;
    if BUG == MAP_IN_SHARED_MEMORY {
        COPY::ptr()
            .at(thread)
            .write(*map.cast::<u32>().add(thread as usize));
        sync_threads();
        map = COPY::ptr().as_ptr().cast();
    }
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    let bytes = if BUG == EXPECTS_WHAT_IS_INSIDE {
        2 * BOX_BYTES + BOX_BYTES / 2
    } else {
        3 * BOX_BYTES
    };
    if thread == 0 {
        let _ = bar.arrive_expect_tx(bytes);
        for tile in 0..3 {
            let x = 16 * tile as i32 + if BUG == COLUMN_NOT_ALIGNED { 2 } else { 0 };
            cp_async_bulk_tensor::shared_cluster_global_tile(
                stage(tile).cast(),
                map,
                [x, 4],
                bar.address(),
            );
        }
    }
    bar.wait_parity(0);
    for tile in 0..3 {
        for half in 0..2 {
            let number = stage(tile).add(32 * half + thread);
            number.write(number.read() + 1);
        }
    }
    if BUG != NO_FENCE {
        fence::proxy_async_shared_cta();
    }
    sync_threads();
    if thread == 0 {
        for tile in 0..3 {
            let y = if BUG == STORED_AT_A_NEGATIVE_ROW {
                -1
            } else {
                4
            };
            let x = if BUG == SAME_BOX_TWICE {
                16 * (tile as i32 & 1)
            } else {
                16 * tile as i32
            };
            cp_async_bulk_tensor::global_shared_cta_tile(map, [x, y], stage(tile).cast());
        }
        cp_async_bulk::commit_group();
        cp_async_bulk::wait_group_read::<0>();
    }
}
