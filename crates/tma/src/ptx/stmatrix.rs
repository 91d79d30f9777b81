//! `stmatrix`, matrices that a warp stores to shared memory. PTX ISA 9.7.14.5.16.
//!
//! The addresses are generic ones, as in [`ldmatrix`](super::ldmatrix).

/// Stores of one to four matrices.
macro_rules! stores {
    ($(isa $isa:literal on $arch:ident, $what:literal {
        $($name:ident = $mnemonic:literal, $intrinsic:ident, $count:literal, $lanes:literal, [$($index:literal)+];)+
    })+) => { $(stores! { @each $isa $arch $what
        $($name = $mnemonic, $intrinsic, $count, $lanes, [$($index)+];)+ })+ };
    (@each $isa:literal $arch:ident $what:literal
        $($name:ident = $mnemonic:literal, $intrinsic:ident, $count:literal, $lanes:literal, [$($index:literal)+];)+) => {
    $(
        #[doc = concat!("`", $mnemonic, " [row], value;`")]
        ///
        #[doc = $what]
        ///
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        #[doc = concat!("2. ", $lanes)]
        /// 3. No other code uses these bytes at the same time.
        #[doc(alias = "stmatrix")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<T>(row: *mut T, value: [u32; $count]) {
            // SAFETY: the whole warp takes part (1) with addresses of rows (2), which no other code uses meanwhile
            // (3).
            unsafe { crate::ptx::intrinsics::$intrinsic(row.cast(), $(value[$index]),+) }
        }
    )+ };
}

stores! {
    isa "7.8" on sm_90, "Stores matrices of 8 x 8 halves. A lane has two elements in a row of each: lane `t` the elements \
        `2 * (t % 4)` and the next of row `t / 4`, or with `trans` of column `t / 4`." {
        sync_aligned_m8n8_x1 = "stmatrix.sync.aligned.m8n8.x1.b16", stmatrix_m8n8_x1, 1,
            "In each of the lanes 0 to 7 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [0];
        sync_aligned_m8n8_x2 = "stmatrix.sync.aligned.m8n8.x2.b16", stmatrix_m8n8_x2, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [0 1];
        sync_aligned_m8n8_x4 = "stmatrix.sync.aligned.m8n8.x4.b16", stmatrix_m8n8_x4, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [0 1 2 3];
        sync_aligned_m8n8_x1_trans = "stmatrix.sync.aligned.m8n8.x1.trans.b16", stmatrix_m8n8_x1_trans, 1,
            "The condition of [`sync_aligned_m8n8_x1`] holds.", [0];
        sync_aligned_m8n8_x2_trans = "stmatrix.sync.aligned.m8n8.x2.trans.b16", stmatrix_m8n8_x2_trans, 2,
            "The condition of [`sync_aligned_m8n8_x2`] holds.", [0 1];
        sync_aligned_m8n8_x4_trans = "stmatrix.sync.aligned.m8n8.x4.trans.b16", stmatrix_m8n8_x4_trans, 4,
            "The condition of [`sync_aligned_m8n8_x4`] holds.", [0 1 2 3];
    }
    isa "8.6" on sm_100a_or_sm_120a, "Transposes matrices of 16 rows and 8 columns of bytes, and stores them: a column becomes \
        16 bytes." {
        sync_aligned_m16n8_x1_trans_b8 = "stmatrix.sync.aligned.m16n8.x1.trans.b8", stmatrix_m16n8_x1_trans_b8, 1,
            "In each of the lanes 0 to 7 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [0];
        sync_aligned_m16n8_x2_trans_b8 = "stmatrix.sync.aligned.m16n8.x2.trans.b8", stmatrix_m16n8_x2_trans_b8, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [0 1];
        sync_aligned_m16n8_x4_trans_b8 = "stmatrix.sync.aligned.m16n8.x4.trans.b8", stmatrix_m16n8_x4_trans_b8, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [0 1 2 3];
    }
}
