//! A warpgroup multiplies matrices without a swizzle, 64 rows of A with 32 columns of B: pieces of 8 rows of 16 bytes each.
//! K is 16.

use tma::{
    Barrier, TensorMap, kernel,
    ptx::{
        Aligned, Bf16, cp_async_bulk_tensor,
        fence::proxy_async_shared_cta,
        mbarrier::Mbarrier,
        wgmma::{self, Registers},
    },
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const ROWS_OF_32_BYTES: u32 = 1; //~ product-layout
const ROWS_OF_128_BYTES: u32 = 2; //~ product-layout
const NO_LEADING_OFFSET: u32 = 3; //~ product-layout
// The lines that are read include some after the boxes.
const OFFSETS_EXCHANGED: u32 = 4; //~ product-layout uninitialised-use
const COLUMNS_TOO_NEAR: u32 = 5; //~ product-layout
const COLUMNS_OF_64_BYTES: u32 = 6; //~ product-layout
const STORED_WITHOUT_OFFSET: u32 = 7; //~ product-layout

/// A with its longest rows.
const A_BYTES: u32 = 128 * 64;
/// 16 elements along K of 32 columns.
const B_BYTES: u32 = 2 * 16 * 32;
/// 64 rows, or 16 elements along K, of 16 bytes.
const A_PIECE: u32 = 16 * 64;
const B_PIECE: u32 = 16 * 16;

/// Everything but the start.
const fn descriptor(leading: u64, stride: u64) -> u64 {
    (stride >> 4) << 32 | (leading >> 4) << 16
}

#[kernel(max_threads = 128, instances(BUG = CORRECT, ROWS_OF_32_BYTES, ROWS_OF_128_BYTES, NO_LEADING_OFFSET,
    OFFSETS_EXCHANGED, COLUMNS_TOO_NEAR, COLUMNS_OF_64_BYTES, STORED_WITHOUT_OFFSET))]
unsafe fn core_matrices<const BUG: u32>(
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
    if BUG == STORED_WITHOUT_OFFSET {
        tiles
            .byte_add(16 * thread)
            .cast::<[u32; 4]>()
            .write([thread; 4]);
        proxy_async_shared_cta();
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        let bytes_of_a = const {
            match BUG {
                STORED_WITHOUT_OFFSET => 0,
                ROWS_OF_128_BYTES => A_BYTES,
                _ => 2 * A_PIECE,
            }
        };
        let _ = bar.arrive_expect_tx(bytes_of_a + B_BYTES);
        let load = |to: u32, map, at: u32| {
            let to = tiles.byte_add(to);
            let at = [at as i32, 0];
            cp_async_bulk_tensor::shared_cluster_global_tile(to.cast(), map, at, bar.address());
        };
        match BUG {
            STORED_WITHOUT_OFFSET => {}
            ROWS_OF_32_BYTES | ROWS_OF_128_BYTES => load(0, a, 0),
            _ => {
                load(0, a, 0);
                load(A_PIECE, a, 8);
            }
        }
        match BUG {
            COLUMNS_OF_64_BYTES => load(A_BYTES, b, 0),
            _ => {
                let mut piece = 0;
                while piece < 4 {
                    load(A_BYTES + B_PIECE * piece, b, 8 * piece);
                    piece += 1;
                }
            }
        }
    }
    bar.wait_parity(0);
    let of_a = const {
        match BUG {
            ROWS_OF_128_BYTES => descriptor(16, 1024),
            NO_LEADING_OFFSET => descriptor(0, 128),
            OFFSETS_EXCHANGED => descriptor(128, A_PIECE as u64),
            STORED_WITHOUT_OFFSET => descriptor(16, 128),
            _ => descriptor(A_PIECE as u64, 128),
        }
    };
    let of_b = const {
        match BUG {
            COLUMNS_TOO_NEAR => descriptor(128, B_PIECE as u64 / 2),
            _ => descriptor(128, B_PIECE as u64),
        }
    };
    multiply::<1>(of_a, tiles.address(), of_b, tile_of_b.address(), output);
}

/// One product. B is in the order of its columns where `TRANS_B` is 1.
unsafe fn multiply<const TRANS_B: i32>(
    of_a: u64,
    a: u32,
    of_b: u64,
    b: u32,
    output: *mut [f32; 16],
) {
    let (of_a, of_b) = (of_a | u64::from(a >> 4), of_b | u64::from(b >> 4));
    let mut sums = [0_f32; 16].pinned();
    wgmma::fence_sync::<Aligned>();
    sums = wgmma::mma_async::<_, Bf16, Bf16, 1, 1, 0, TRANS_B>(sums, of_a, of_b, true);
    wgmma::commit_group_sync::<Aligned>();
    wgmma::wait_group_sync::<Aligned, 0>();
    output.add(thread_idx().x as usize).write(sums.pinned());
}

/// A is one box. With two dimensions, its rows are pieces of 8 rows that were joined in global memory; with four,
/// pieces follow along K. B is all ones: threads store a piece, and the descriptor repeats it.
#[kernel(max_threads = 128, instances(RANK = 2, 4))]
unsafe fn core_matrices_of_one_box<const RANK: u32>(
    #[grid_constant] a: &TensorMap,
    output: *mut [f32; 16],
) {
    shared! {
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    let tiles = shared::dynamic::<u8, 1024>();
    let ones = tiles.byte_add(2 * A_PIECE);
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    if thread < 8 {
        let to = ones.byte_add(16 * thread).cast::<[u32; 4]>();
        to.write([0x3f80_3f80; 4]);
        proxy_async_shared_cta();
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        let _ = bar.arrive_expect_tx(2 * A_PIECE);
        let (to, bar) = (tiles.cast(), bar.address());
        match RANK {
            4 => cp_async_bulk_tensor::shared_cluster_global_tile(to, a, [0; 4], bar),
            _ => cp_async_bulk_tensor::shared_cluster_global_tile(to, a, [0; 2], bar),
        }
    }
    bar.wait_parity(0);
    let (of_a, of_b) = (descriptor(128, 256), descriptor(0, 0));
    multiply::<0>(of_a, tiles.address(), of_b, ones.address(), output);
}
